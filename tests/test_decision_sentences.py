"""The decision page's sentences: each branch, and never more than the tests allow."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from decision_frames import answers as given_answers
from decision_frames import labels, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from own_frames import (
    BASELINES,
    MODELS,
    NAN,
    TRAINING,
    crossing,
    curves,
    evidence,
    frame,
    pair,
    point,
)  # fmt: skip
from score_frames import predictions

from tabbench.core.schemas import decision as schema
from tabbench.decision import learning_curves as curves_module
from tabbench.decision.context_effects import context_effects
from tabbench.decision.differences import paired_differences
from tabbench.decision.probability_sentences import probability_sentences
from tabbench.decision.sentences import (
    answers,
    each,
    place_bound,
)
from tabbench.decision.sentences import headline as parts
from tabbench.decision.use_sentences import context_sentences, format_sentences


def headline(found):
    return " ".join(parts(found))


ALL, SAME = schema.ALL_LABELS, schema.SAME_LABELS
LEVELS = curves({"small": {0: 0.7, 16: 0.74}, "logistic": {16: 0.6, TRAINING: 0.82}})


def against(auc, p, **more):
    """Small-1B at its best against logistic regression on all labels."""
    return evidence(
        LEVELS,
        [pair(ALL, "small", k, own, "logistic", auc, p) for k, own in ((16, 0.74), (0, 0.7))],
        **more,
    )


def test_a_baseline_that_overtakes_is_named_with_the_place():
    said = headline(
        against(0.82, 0.001, crossings=[crossing("small", "logistic", schema.WITHIN, 64)])
    )
    assert said == (
        "Only while labels are few. Without labels, Small-1B is better than guessing: ROC-AUC "
        "0.700 [0.650, 0.750] on 331 test rows. Logistic regression fitted on all 669 labels is "
        "better by 0.080 [0.040, 0.120] than the model with 16 labels in the prompt, its best; it "
        "overtakes at about 64 labels [32, 128]."
    )


def test_a_place_that_is_not_known_to_one_side_says_so():
    open_ended = crossing(
        "small", "logistic", schema.WITHIN, 64, low=0, high=float("inf"),
    )  # fmt: skip
    said = headline(against(0.82, 0.001, crossings=[open_ended]))
    assert "about 64 labels [fewer than 4, more than 669]" in said


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0, 0, "< 4 < 4"),
        (0, 40, "< 4 40"),
        (16, float("inf"), "16 > 669"),
        (float("inf"), float("inf"), "> 669 > 669"),
    ],
)
def test_a_bound_outside_the_labels_tried_names_its_side(low, high, shown):
    (row,) = each(frame(schema.CROSSINGS, [{"first": 4, "last": TRAINING}]))
    assert " ".join(place_bound(row, end, "<", ">") for end in (low, high)) == shown


def test_a_baseline_ahead_from_the_first_labels_on():
    first = crossing("small", "logistic", schema.BEFORE_FIRST, share_before=0.97)
    found = against(0.82, 0.001, crossings=[first])
    assert ", and ahead from 4 labels on, the fewest tried." in headline(found)
    assert (
        "Logistic regression, the best with most labels, 4 labels, the fewest tried (in 97% of"
        in " ".join(answers(found)["Small-1B"])
    )


def test_the_first_baseline_is_named_next_to_the_best():
    found = against(
        0.82, 0.001,
        crossings=[
            crossing("small", "logistic", schema.WITHIN, 64),
            crossing("small", "forest", schema.WITHIN, 20),
            crossing("small", "logistic", schema.WITHIN, 5, comparison=schema.SAME_LABELS),
        ],
    )  # fmt: skip
    assert (
        "By the learning curves, an estimate and no test, a baseline overtakes the model without "
        "labels at: Random forest, the first, about 20 labels [10, 40]; Logistic regression, the "
        "best with most labels, about 64 labels [32, 128]."
    ) in answers(found)["Small-1B"]


def test_no_baseline_better():
    found = against(0.6, 0.001, crossings=[crossing("small", "logistic", schema.NOT_WITHIN)])
    said = headline(found)
    assert said.startswith("Yes. Without labels, Small-1B is better than guessing")
    assert "The model with 16 labels in the prompt is better by 0.140 [0.100, 0.180] than" in said
    assert "not with the 669 labels there are (in 11% of" in " ".join(answers(found)["Small-1B"])


def power(rows_needed, status=schema.OK, power_now=0.3):
    sides = pair(ALL, "small", 16, 0.74, "logistic", 0.75)
    row = {key: value for key, value in sides.items() if key in schema.POWER.names}
    row |= {"delta": 0.05, "power_now": power_now, "rows_needed": rows_needed, "status": status}
    return frame(schema.POWER, [row])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (power(2068), "; about 2,100 test rows would be needed to tell a difference of 0.05."),
        (power(300, power_now=0.83), "of 0.05 would have shown with a chance of 83%."),
        (power(0, schema.MORE_DRAWS), "more of them, not more rows, would tell a difference of"),
        (power(0, schema.ONE_CLASS), "(difference −0.010 [−0.050, +0.030])."),
        (frame(schema.POWER, ()), "(difference −0.010 [−0.050, +0.030])."),
    ],
)
def test_what_cannot_be_told_apart_names_the_rows_that_it_would_take(table, words):
    said = headline(against(0.75, 0.6, power=table))
    assert said.startswith("Perhaps. ")
    assert "cannot be told apart on these 331 rows" in said and words in said
    assert "is better by" not in said


@pytest.mark.parametrize("p", [0.05, NAN])
def test_a_difference_is_none_where_its_test_says_nothing(p):
    assert "cannot be told apart" in headline(against(0.82, p))


GUESSES = curves({"small": {0: 0.51, 16: 0.52}, "logistic": {16: 0.6, TRAINING: 0.82}})


def test_guessing_is_called_guessing():
    worse = [pair(ALL, "small", k, auc, "logistic", 0.82) for k, auc in ((0, 0.51), (16, 0.52))]
    said = headline(evidence(GUESSES, worse))
    assert said.startswith("No. Without labels, Small-1B cannot be told from guessing: ROC-AUC ")
    # Better than a baseline that ranks the wrong way round is no reason for a yes.
    better = [pair(ALL, "small", 16, 0.52, "logistic", 0.3)]
    assert headline(evidence(GUESSES, better)).startswith("Not on this evidence. ")
    alone = evidence(GUESSES[:2], baselines={})
    assert headline(alone) == (
        "Not on this evidence. Without labels, Small-1B cannot be told from guessing: ROC-AUC "
        "0.510 [0.460, 0.560] on 331 test rows."
    )


def test_a_model_that_needs_examples_to_see_anything():
    points = curves({"small": {0: 0.51, 16: 0.74}, "logistic": {16: 0.6, TRAINING: 0.82}})
    worse = [pair(ALL, "small", 16, 0.74, "logistic", 0.82)]
    assert headline(evidence(points, worse)).startswith("No. Without labels, Small-1B cannot be")
    # With as few labels it is ahead, which is a reason to use it while there are no more.
    same = [pair(SAME, "small", 16, 0.74, "logistic", 0.6)]
    assert headline(evidence(points, worse + same)).startswith("Only while labels are few. ")
    unsure = [pair(SAME, "small", 16, 0.74, "logistic", 0.7, p=0.2)]
    assert headline(evidence(points, worse + unsure)).startswith("No. ")


def test_no_baselines():
    said = headline(evidence(LEVELS[:2], baselines={}))
    assert said.startswith("Not decided: there is no baseline to compare with. Without labels, ")
    (told,) = answers(evidence(LEVELS[:2], baselines={})).values()
    assert told == (
        "It is better than guessing: without labels ROC-AUC 0.700 [0.650, 0.750] on 331 test rows; "
        "with 16 labels ROC-AUC 0.740 [0.690, 0.790] on 331 test rows.",
    )


def test_the_same_labels_decide_where_nothing_was_fitted_on_all():
    same = [pair(SAME, "small", k, 0.7, "logistic", 0.8) for k in (4, 16)]
    said = headline(evidence(LEVELS, same))
    assert "Logistic regression fitted on the same 16 labels is better by 0.100" in said


def test_of_several_the_best_leads_and_each_is_answered():
    points = LEVELS + curves({"large": {0: 0.8, 16: 0.85}})
    pairs = [
        pair(ALL, "large", 16, 0.85, "logistic", 0.82, p=0.3),
        pair(ALL, "large", 16, 0.85, "forest", 0.79, p=0.1),
        pair(schema.MODELS, "small", 0, 0.7, "large", 0.8, p=0.01),
        pair(schema.MODELS, "small", 16, 0.74, "large", 0.77, p=0.3),
    ]
    found = evidence(points, pairs, models=("small", "large"))
    assert "Without labels, Large <8B>, the best of 2 models here, is better" in headline(found)
    assert "Logistic regression, the best of 2 baselines, fitted on all" in headline(found)
    told = answers(found)
    assert list(told) == ["Small-1B", "Large <8B>"]
    assert (
        "Difference to another model: without labels −0.100 [−0.140, −0.060] to Large <8B>; with "
        "16 labels −0.030 [−0.070, +0.010] to Large <8B>, not told apart."
    ) in told["Small-1B"]


@pytest.mark.parametrize(
    ("status", "auc", "words"),
    [
        (
            schema.NO_ANSWERS,
            NAN,
            "cannot be scored: without labels no test row has a valid answer under every",
        ),
        (
            schema.ONE_CLASS,
            NAN,
            "cannot be scored: without labels the test rows with a valid answer are all of",
        ),
        (
            schema.CONSTANT,
            0.5,
            "ranks nothing: without labels every row got the same probability (331 test rows)",
        ),
        (schema.PERFECT, 1.0, "ROC-AUC 1.000 (no interval, as no two rows are in the wrong order)"),
        (schema.ONE_ROW, 0.7, "ROC-AUC 0.700 (no interval, as one class has a single row)"),
    ],
)
def test_a_missing_number_says_why(status, auc, words):
    row = point("small", 0, auc, status=status, roc_auc_low=NAN, roc_auc_high=NAN)
    found = evidence([row], baselines={})
    assert words in answers(found)["Small-1B"][0]
    if auc != auc:
        assert headline(found).startswith("Not answered. ")
        assert words.split("labels ")[1] in headline(found).lower()


def test_nothing_asked():
    assert headline(evidence()) == "Not answered. No language model was asked."
    assert answers(evidence())["Small-1B"] == ("No answers: it was not asked.",)


def test_the_wrong_way_round_is_no_guessing():
    said = answers(evidence([point("small", 0, 0.3)]))["Small-1B"][0]
    assert said.startswith("It ranks the rows the wrong way round: without labels ROC-AUC 0.300")


def test_draws_that_differ_much_are_no_better_than_guessing():
    wide = point("small", 4, 0.735, p_chance_holm=0.001, roc_auc_low=0.0, roc_auc_high=1.0)
    said = answers(evidence([wide]))["Small-1B"][0]
    assert said.startswith("It cannot be told from guessing: with 4 labels ROC-AUC 0.735 [0.000,")


def test_one_draw_is_named():
    lone = [point("small", 0, 0.7), point("small", 4, 0.7, draws=1)]
    assert any("one draw of" in text.lower() for text in answers(evidence(lone))["Small-1B"])
    assert not any("one draw of" in text.lower() for text in answers(evidence(LEVELS))["Small-1B"])


def test_left_out_rows_are_counted():
    row = point("small", 0, 0.7, n_dropped=12)
    assert answers(evidence([row]))["Small-1B"][-1] == (
        "Rows left out since an answer to them is invalid: 12 of 343 without labels."
    )


def test_examples_and_costs():
    found = evidence(
        LEVELS,
        [pair(schema.EXAMPLES, "small", 16, 0.74, "small", 0.7, p=0.2)],
        costs=frame(
            schema.COSTS,
            [
                {"model": "small", "kind": "model", "k": 0, "prompt_tokens": 3e5,
                 "completion_tokens": 1e3, "seconds": 125.4, "currency": "USD",
                  "cost": 0.25},
                {"model": "small", "kind": "model", "k": 16, "prompt_tokens": 3e6,
                 "completion_tokens": 1e3, "seconds": 3725.0},
            ],
        ),
    )  # fmt: skip
    told = answers(found)["Small-1B"]
    assert (
        "Compared with none, examples in the prompt change the ROC-AUC: 16 labels +0.040 [+0.000, "
        "+0.080], not told apart."
    ) in told
    assert (
        "1,000 rows take 125 s, 301,000 tokens and at most 0.25 USD without labels; 62 min, "
        "3,001,000 tokens with 16 labels."
    ) in told


def effect(configuration, difference, p):
    return {
        "model": "small", "configuration": configuration, "difference": difference,
        "low": difference - 0.03, "high": difference + 0.03, "p": p, "p_holm": p,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ([("NoCols-Context", 0.1, 0.001), ("Cols-NoContext", 0.01, 0.5)], "It uses column names."),
        ([("NoCols-Context", 0.01, 0.4)], "None of them can be told from nothing on these rows."),
        ([("NoCols-NoContext", 0.1, 0.001)], "It uses both together."),
        ([("Cols-NoContext", -0.1, 0.001)], "It does better without the task text."),
    ],
)
def test_what_a_model_uses(effects, words):
    main = {"model": "small", "configuration": "Cols-Context", "difference": 0.0}
    table = frame(schema.CONTEXT_EFFECTS, [main, *(effect(*one) for one in effects)])
    (said,) = context_sentences(evidence(context_effects=table))
    assert said.startswith("Small-1B, without labels: what parts of the prompt bring to ")
    assert said.endswith(words)


@pytest.mark.parametrize(
    ("p", "words"), [(0.4, "formats cannot be told apart"), (0.01, "formats differ")]
)
def test_formats(p, words):
    prompt = {"prompt": "contextual"}
    main = {"model": "small", "configuration": "Cols-Context", "difference": 0.0, "roc_auc": 0.7}
    rows = [
        main | prompt | {"serialization": "feat_val"},
        effect("", 0.04, p) | prompt | {"serialization": "html", "roc_auc": 0.66},
        effect("", -0.01, 0.8) | prompt | {"serialization": "markdown", "roc_auc": 0.71},
        effect("NoCols-Context", 0.2, 0.001)
        | prompt
        | {"serialization": "feat_val_mask", "roc_auc": 0.5},
    ]
    table = frame(schema.CONTEXT_EFFECTS, rows)
    assert format_sentences(evidence(context_effects=table)) == [
        "Small-1B, without labels: over 3 text formats the ROC-AUC goes from 0.660 (html) to 0.710 "
        f"(markdown); {words} (feat_val less html +0.040 [+0.010, +0.070], p = {p:.3f})."
    ]
    assert format_sentences(evidence(context_effects=table[:1])) == []


def test_formats_without_a_difference_are_said_to_differ_at_the_stated_rate():
    random = np.random.default_rng(0)
    y, said = labels(120), []
    for _ in range(150):
        shared = scores(random, y, 0.7, 1)
        found = [
            predictions(
                dataset="loans", model="small", mode="forward", prompt="contextual",
                serialization=one, row_id=range(120), y_true=y.tolist(),
                p_1=(1 / (1 + np.exp(-(shared[0] + 0.5 * random.normal(size=120))))).tolist(),
            )
            for one in ("feat_val", "html", "markdown")
        ]  # fmt: skip
        table = context_effects(pd.concat(found))
        said += format_sentences(evidence(context_effects=table))
    assert len(said) == 150
    assert sum("formats differ" in text for text in said) / 150 <= 0.09


def test_probabilities():
    common = {"model": "small", "kind": "model", "brier_base_rate": 0.21, "labelled_rows": 40}
    table = frame(
        schema.CALIBRATIONS,
        [
            common | {"method": schema.AS_ANSWERED, "brier": 0.3},
            common | {"method": schema.PLATT, "brier": 0.2, "brier_change": -0.1,
                      "brier_change_low": -0.14, "brier_change_high": -0.06},
            common | {"method": schema.ISOTONIC, "brier": NAN, "status": schema.TOO_FEW_ROWS},
        ],
    )  # fmt: skip
    assert probability_sentences(evidence(calibrations=table)) == [
        "Small-1B, without labels: the Brier score is 0.300, not below the 0.210 of forecasting "
        "the base rate for every row; Platt's recalibration changes it by −0.100 [−0.140, −0.060] "
        "to 0.200 (40 labelled rows)."
    ]


def test_every_number_of_a_sentence_is_in_the_evidence():
    """Whatever a sentence says stands in a table, rounded as it is there."""
    found = against(0.82, 0.001, crossings=[crossing("small", "logistic", schema.WITHIN, 64)])
    values = set()
    for table in (found.curves, found.differences, found.crossings):
        for column in table.select_dtypes("number"):
            values |= {f"{abs(value):.3f}" for value in table[column]}
    said = " ".join([headline(found), *answers(found)["Small-1B"]])
    told = re.findall(r"\d\.\d{3}", said)
    assert len(told) > 10 and set(told) <= values


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(12, 60))
def test_what_cannot_be_told_apart_has_an_interval_around_0(seed, n):
    """Whatever the answers; a reader would take the one for a denial of the other."""
    random = np.random.default_rng(seed)
    y = labels(n)
    sides = {("small", "model", k, False): scores(random, y, 0.7, 3 if k else 1) for k in (0, 4)}
    for one in BASELINES:
        sides[one, "baseline", 4, False] = scores(random, y, random.uniform(0.3, 0.95), 3)
        sides[one, "baseline", n, True] = scores(random, y, random.uniform(0.3, 0.98), 1)
    given_ = given_answers(y, sides)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves_module, "RESAMPLES", 20)
        patch.setattr(curves_module, "RANDOM_RANKINGS", 200)
        patch.setattr(curves_module, "_null", curves_module._null.__wrapped__)
        points = curves_module.learning_curves(given_)
    pairs, needed = paired_differences(given_)
    found = replace(evidence(), curves=points, differences=pairs, power=needed.assign(rows_there=n))
    texts = [headline(found), *answers(found)["Small-1B"]]
    for text in texts:
        for part in re.split(r"[;.] ", text):
            if "told apart" in part and "[" in part:
                low, high = (
                    float(bound.replace("−", "-"))
                    for bound in re.search(r"\[([^,]+), ([^]]+)\]", part).groups()
                )
                assert low <= 0 <= high, part
    guessing = [text for text in texts if "cannot be told from guessing" in text]
    for text in guessing:
        told = text.split("cannot be told from guessing")[1].split("ROC-AUC ")[1]
        bounds = re.search(r"\[(\d.\d+), ", told)
        if bounds and float(bounds[1]) > 0.5:
            assert "among all points of the learning curves" in told


def test_names():
    found = evidence()
    assert [found.name(one) for one in ("small", "forest")] == ["Small-1B", "Random forest"]
    assert set(MODELS) & set(BASELINES) == set()
