"""The first screen of the page of results, and notes that are said once."""

import math
from io import StringIO

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scitarc_frames import scored
from score_frames import chance_frame, gains_frame, grid

from tabbench.reporting.figures.overview import MOST_ROWS, Row, Value, dots
from tabbench.reporting.notes import GENERAL
from tabbench.reporting.page.findings import MAIN_TABLES, UNDEFINED
from tabbench.reporting.page.headlines import headline
from tabbench.reporting.page.overview import _shots, cards, doubts
from tabbench.reporting.page.run_summary import totals
from tabbench.reporting.page.shared_notes import share
from tabbench.reporting.style import svg
from tabbench.reporting.tables import rq1, rq1_chance, rq2, rq3, rq4, rq5, rq6, rq7
from tabbench.scitarc.tables.leaderboard import table2
from tabbench.scitarc.tables.planning import table4
from tabbench.statistics.contrasts import EQUAL, PLANNED

MODELS = {"small": "Small-1B", "large": "Large-14B"}
FITTED = {"logistic": "Logistic regression"}


def read_back(tables):
    """What a run's .csv files hold."""
    return {
        name: pd.read_csv(StringIO(table.numbers.to_csv(index=False)))
        for name, table in tables.items()
    }


def of_a_run(names):
    core = grid(list(names), ["diabetes", "credit"])
    mlp = grid(list(names), ["mlp0_t0", "mlp3_t0"], suite="mlp")
    llm = grid(list(names), ["tae_ls_q"], suite="llm_synthetic")
    card = {"developer": "Us", "access": "open weights", "size": "1B"}
    right = scored(20, [(name, "language", 0.3) for name in names])
    return read_back(
        {
            "rq1/table2": rq1.table2(core, chance_frame(core), names, FITTED),
            "rq1/chance": rq1_chance.chance_summary(core, chance_frame(core), names),
            "rq2/table6": rq2.table6(core, names),
            "rq3/table7": rq3.table7(core, gains_frame(core), names),
            "rq4/table8": rq4.table8(core, names),
            "rq5/table9": rq5.table9(llm, names, FITTED, {"q": "Someone"}),
            "rq6/table10": rq6.table10(mlp, names),
            "rq7/table11": rq7.table11(core, names),
            "scitarc/table2": table2(right, names, dict.fromkeys(names, card)),
            "scitarc/table4": table4(right, names),
        }
    )


@pytest.mark.parametrize("models", [["small"], ["small", "large"]])
def test_every_question_is_answered_briefly_with_a_figure(models):
    names = {model: MODELS[model] for model in models}
    tables = of_a_run(names)
    made = cards(list(MAIN_TABLES), tables, names)
    assert [one.id for one in made] == [*MAIN_TABLES, "scitarc"]
    for card in made:
        assert card.answer.endswith(".") and ".." not in card.answer
        assert "nan" not in card.answer and "–" not in card.answer
        assert len(card.answer) < 260, card.answer
        assert "not tested" in card.answer or "significant" in card.answer
        assert card.drawing and card.drawing.uri.startswith("data:image/svg+xml;base64,")
        assert "nan" not in card.drawing.alt
    for name in tables:
        undefined = tables[name].assign(mean=math.nan, n=0)
        (card,) = [
            one
            for one in cards(list(MAIN_TABLES), tables | {name: undefined}, names)
            if one.id == name.partition("/")[0]
        ]
        if name.partition("/")[2] in ("chance", "table4"):
            continue
        assert (card.answer, card.drawing) == (UNDEFINED, None)


def test_without_tables_nothing_is_claimed():
    made = cards(["rq1", "rq4"], {}, MODELS)
    assert [(one.id, one.answer, one.drawing) for one in made] == [
        ("rq1", UNDEFINED, None),
        ("rq4", UNDEFINED, None),
    ]


def zero_shot(**extra):
    rows = [("small", "Small-1B", 0.61), ("large", "Large-14B", 0.72), ("forest", "Forest", 0.8)]
    cells = pd.DataFrame(
        {"group": "All", "model": model, "name": name, "k": 16, "mean": mean, "std": math.nan}
        for model, name, mean in rows
    )
    return {"rq1/table2": cells} | extra


def test_zero_shot_states_a_difference_with_its_interval_or_says_that_it_is_untested():
    text = headline("rq1", zero_shot(), MODELS)
    assert text == (
        "Large-14B, the best of 2, reaches 0.720 without examples. Forest on 16 examples has "
        "0.800; the difference is not tested."
    )
    pair = {"group": "All", "model": "large", "reference": "forest", "mean": -0.08}
    pairs = pd.DataFrame([pair | {"low": -0.12, "high": -0.03, "level": 0.95}])
    text = headline("rq1", zero_shot(**{"rq1/differences": pairs}), MODELS)
    assert "the difference is −0.080, 95 % interval [−0.120, −0.030]." in text
    other = pairs.assign(model="small")
    assert "not tested" in headline("rq1", zero_shot(**{"rq1/differences": other}), MODELS)


def contrast(kind, k, p, difference=0.04, model="small"):
    return {
        **{"model": model, "contrast": kind, "k_maximal": k, "k_minimal": 16, "p_holm": p},
        **{"difference": difference, "low": 0.01, "high": 0.07, "log10_p": math.log10(p)},
    }


def test_the_prompt_has_the_test_of_its_own_contrast():
    cells = pd.DataFrame(
        {"configuration": name, "model": "small", "mean": mean}
        for name, mean in (("NoCols-NoContext", 0.5), ("Cols-Context", 0.54))
    )
    tests = pd.DataFrame([contrast(PLANNED, 0, 0.001), contrast(EQUAL, 0, 0.2)])
    text = headline("rq2", {"rq2/table6": cells, "rq4/contrasts": tests}, MODELS)
    assert "by +0.040 (95 % interval [+0.010, +0.070], corrected p = 0.200)." in text
    assert headline("rq2", {"rq2/table6": cells}, MODELS).endswith("by +0.040 (not tested).")


def test_context_states_its_planned_contrast():
    cells = pd.DataFrame({"model": "small", "k": [0, 16], "mean": [0.1, -0.02], "std": math.nan})
    text = headline("rq4", {"rq4/table8": cells}, MODELS)
    assert text == (
        "Context is worth +0.100 with 0 examples and −0.020 with 16 examples (not tested)."
    )
    tests = pd.DataFrame([contrast(PLANNED, 0, 0.03)])
    text = headline("rq4", {"rq4/table8": cells, "rq4/contrasts": tests}, MODELS)
    assert text.endswith(
        "16 examples. 0 examples with context against 16 without: +0.040 (95 % interval "
        "[+0.010, +0.070], corrected p = 0.030)."
    )
    both = pd.concat([tests, pd.DataFrame([contrast(PLANNED, 0, 0.2, -0.1, "large")])])
    text = headline("rq4", {"rq4/table8": cells, "rq4/contrasts": both}, MODELS)
    assert text.endswith("without: −0.100 to +0.040 (significant for 1 of 2 models).")


def test_a_gain_on_fewer_datasets_says_so():
    """Means over 4 and over 2 datasets differ by something else than the gain."""
    cells = pd.DataFrame(
        {"model": "small", "k": [0, 16], "mean": [0.61, 0.64], "n_datasets": [4, 2]}
        | {"gain": [math.nan, 0.19], "p": math.nan, "log10_p": math.nan}
    )
    text = headline("rq3", {"rq3/table7": cells}, MODELS)
    assert text == ("16 examples change ROC-AUC by +0.190 on the same 2 datasets (not tested).")
    drawn = _shots("rq3")({"rq3/table7": cells.assign(std=0.1)}, MODELS)
    assert [row.label for row in drawn] == ["0-shot (n = 4)", "16-shot (n = 2)"]


@given(st.lists(st.one_of(st.just(math.nan), st.floats(0, 1)), min_size=1, max_size=2))
def test_no_significant_gain_without_a_small_p(p_values):
    cells = pd.DataFrame(
        {"model": model, "k": k, "mean": 0.5, "gain": math.nan if k == 0 else 0.1, "p": p}
        | {"log10_p": -8.0, "n_datasets": 4}
        for model, p in zip(MODELS, p_values, strict=False)
        for k in (0, 16)
    )
    text = headline("rq3", {"rq3/table7": cells}, MODELS)
    small = sum(p < 0.05 for p in p_values)
    if not small:
        assert "a significant gain for 1" not in text and "a significant gain for 2" not in text
        assert "a significant gain (" not in text
    if all(map(math.isnan, p_values)):
        assert text.endswith("(not tested).")


def test_doubts_count_what_makes_scores_unreliable():
    scores = grid(["large", "small"], ["diabetes"], shots=(0,))
    poor = (scores["model"] == "small") & (scores["mode"] == "forward")
    scores["n_scored"] = scores["n"].where(~poor, 50)
    scores.loc[poor, "label_mass"] = 0.2
    names = dict.fromkeys(["large", "small"], "")
    invalid, low, few, tests = doubts(scores, totals(scores), names)
    asked = scores[scores["model"].isin(names)]
    share = 100 * 50 * poor.sum() / asked["n"].sum()
    assert invalid.startswith(f"{share:.1f} % of the answers")
    assert low.startswith(f"in {poor.sum()} of {len(asked)} cells")
    assert few.startswith("at most 100 test rows per dataset")
    assert tests == "only results with a p-value or an interval were tested"
    whole = grid(["large"], ["diabetes"], shots=(0,)).assign(capped=False)
    whole["n_scored"] = whole["n"]
    lost = totals(whole).assign(too_long=[3, 0])
    assert doubts(whole, lost, names) == ["3 prompts too long for their model and not sent", tests]
    assert doubts(whole, totals(whole), names) == [tests]


NOTES = st.dictionaries(st.text(max_size=3), st.lists(st.sampled_from("abcdef"), max_size=5))


@given(NOTES, st.sets(st.sampled_from("ab")))
def test_no_note_is_lost_and_none_is_said_twice(tables, general):
    shared, left = share(tables, general)
    said = [*shared, *(note for notes in left.values() for note in notes.own)]
    assert len(said) == len(set(said)) and not set(said) & general
    assert all(sum(note in notes for notes in tables.values()) > 1 for note in shared)
    for name, notes in tables.items():
        found = {*left[name].own, *(shared[number - 1] for number in left[name].shared)}
        assert found == set(notes) - general


def test_general_notes_are_those_of_the_tables():
    notes = rq2.table6(grid(["small"], ["diabetes"]), {"small": "S"}).notes
    assert {GENERAL["Scores"], GENERAL["Spread"]} <= set(notes)


def test_small_figures_are_equal_for_equal_values_and_show_each():
    one = Value(0.6, 0.5, 0.7, "#000000")
    bare = Value(0.4, math.nan, math.nan, "#000000")
    rows = [Row("a long label that does not fit in here", (one, bare)), Row("b", (bare,))]
    first, second = (dots(rows, "Mean ROC-AUC", 0.5) for _ in range(2))
    assert svg(first) == svg(second)
    assert first.caption.startswith("Mean ROC-AUC: a long label that does not fit in here 0.600, ")
    (axes,) = first.figure.axes
    drawn = [line for line in axes.get_lines() if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in drawn] == [0.6, 0.4, 0.4]
    assert axes.get_yticklabels()[0].get_text().endswith("…")
    assert MOST_ROWS >= 8
