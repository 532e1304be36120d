"""The decision page: sections, figures and tables from evidence, and the page in a browser."""

from pathlib import Path

import pandas as pd
import pytest
from browser import open_page
from matplotlib.collections import PolyCollection
from own_frames import (
    BASELINES,
    MODELS,
    NAN,
    TRAINING,
    audit,
    classes,
    crossing,
    evidence,
    frame,
    pair,
    parts,
    point,
    sharing,
)
from test_report_page import Outline

from tabbench.core.schemas import decision as schema
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.decision.next_steps import next_steps
from tabbench.reporting.figures import own as figures
from tabbench.reporting.page.own import (
    Asked,
    Block,
    Data,
    Subject,
    build_own_page,
    sections,
    whole_prompt,
)
from tabbench.reporting.page.own_tables import readable

TEMPLATE = Path(__file__).parents[1] / "workflow/scripts/tabbench/reporting/page/templates/own.html"
HOSTILE = "</pre></script><script>document.title = 'taken'</script><b>&amp;"
SHOTS = (0, 4, 16)


def whole(models=("small", "large")):
    """Evidence with rows in every table."""
    points = [point(one, k, 0.6 + k / 200) for one in models for k in SHOTS]
    points += [point(one, k, 0.55 + k / 4000) for one in BASELINES for k in (4, 16, TRAINING)]
    pairs = [
        pair(kind, one, k, 0.6 + k / 200, other, 0.7, p=p)
        for kind in (schema.SAME_LABELS, schema.ALL_LABELS)
        for one in models
        for other in BASELINES
        for k, p in ((4, 0.001), (16, 0.4))
    ]
    power = [
        {key: one for key, one in row.items() if key in schema.POWER.names}
        | {
            "delta": 0.05,
            "alpha": 0.0125,
            "power_now": 0.4,
            "detectable": 0.08,
            "rows_needed": rows,
        }
        | {"rows_there": 660}
        for row, rows in zip(pairs[-2:], (600, 2000), strict=True)
    ]
    contexts = [
        {"model": one, "k": 0, "configuration": name, "roc_auc": 0.6, "difference": lost}
        | {"low": lost - 0.02, "high": lost + 0.02, "p": p, "p_holm": p}
        | {"prompt": "contextual", "serialization": "feat_val"}
        for one in models
        for name, lost, p in (("Cols-Context", 0.0, NAN), ("NoCols-NoContext", 0.1, 0.001))
    ]
    bins = [
        {"model": one, "kind": "model", "k": k, "method": schema.AS_ANSWERED, "bin": at}
        | {"mean_predicted": at / 10, "observed": at / 12, "n": 30, "n_rows": 30}
        | {"observed_low": max(at / 12 - 0.1, 0), "observed_high": at / 12 + 0.1}
        for one in models
        for k in (0, 16)
        for at in range(10)
    ]
    calibrations = [
        {"model": one, "kind": "model", "method": method, "brier": 0.2, "brier_base_rate": 0.21}
        | {"log_loss": float("inf"), "log_loss_base_rate": 0.6, "calibration_error": 0.1}
        for one in models
        for method in (schema.AS_ANSWERED, schema.PLATT)
    ]
    thresholds = [
        {"model": one, "kind": "model", "threshold": at, "chosen": at == 0.3, "f1": 0.5}
        for one in models
        for at in (0.3, 0.5)
    ]
    costs = [
        {"model": one, "kind": "model", "k": k, "draws": 3 if k else 1, "seconds": 100.0 + 10 * k}
        | {"prompt_tokens": 1e5 * (1 + k), "completion_tokens": 1e3, "file_rows": 1000}
        | {"cost": 2.0, "currency": "USD"}
        for one in models
        for k in SHOTS
    ]
    return evidence(
        points, pairs,
        [crossing(one, "logistic", schema.WITHIN, 64) for one in models],
        models=models,
        power=frame(schema.POWER, power),
        context_effects=frame(schema.CONTEXT_EFFECTS, contexts),
        reliability_bins=frame(schema.RELIABILITY_BINS, bins),
        calibrations=frame(schema.CALIBRATIONS, calibrations),
        thresholds=frame(schema.THRESHOLDS, thresholds),
        costs=frame(schema.COSTS, costs),
    )  # fmt: skip


def subject(**changes):
    data = Data(
        classes(),
        parts(),
        audit(("near_unique", HOSTILE, 0.99, "")),
        sharing(("small", "https://example.org", True, HOSTILE, "feature", True, HOSTILE)),
    )
    given = {
        "name": "loans",
        "title": f"Loans {HOSTILE}",
        "negative": "pays back",
        "positive": f"defaults {HOSTILE}",
        "data": data,
        "prompt": Block("prompt", "One whole prompt", f"job = {HOSTILE}\nAnswer is "),
        "asked": Asked({"test_rows": 331}, SHOTS, (0,), 300),
    }
    return Subject(**{**given, **changes})


def built(found=None, **changes):
    return build_own_page(TEMPLATE, subject(**changes), found or whole(), {"Python": "3"})


def test_the_page_is_whole():
    text = built()
    assert text == built()
    outline = Outline(text)
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
    steps = zip(outline.levels, outline.levels[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    assert len(outline.ids) == len(set(outline.ids))
    inside = {target[1:] for target in outline.targets if target.startswith("#")}
    assert inside and inside <= set(outline.ids)
    assert len(outline.images) == 4
    for image in outline.images:
        assert len(image["alt"]) > 80
        assert image["src"].startswith("data:image/svg+xml;base64,")
    assert "<script>document" not in text and HOSTILE not in text
    assert all(name in text for name in ("Small-1B", "Large &lt;8B&gt;", "Logistic regression"))


def test_the_answer_is_first_and_every_section_is_there():
    names = [one.id for one in sections(subject(), whole())]
    assert names == [
        "answer", "curves", "differences", "uses", "probabilities", "cost", "seen", "grid", "data",
        "next",
    ]  # fmt: skip


def test_one_whole_prompt_is_shown():
    row = dict.fromkeys(PROMPTS.names, "") | {"k": 4, "system": "Be brief.", "prefix": "a = 1. 0\n"}
    masked = row | {"prompt": "contextual", "serialization": "feat_val_mask", "query": "F1 = 2."}
    named = row | {"prompt": "contextual", "serialization": "feat_val", "query": "a = 2. "}
    block = whole_prompt(pd.DataFrame([masked, named]))
    assert block.text == "Be brief.\n\na = 1. 0\na = 2. "
    assert "with 4 labelled rows" in block.caption


@pytest.mark.parametrize(
    "found",
    [
        evidence(),
        evidence([point("small", 0, NAN, status=schema.NO_ANSWERS, n=0)], baselines={}),
        evidence([point("small", 0, 0.5, status=schema.CONSTANT)], baselines={}),
        whole(("small",)),
    ],
)
def test_little_evidence_makes_a_page_as_well(found):
    text = built(found)
    assert Outline(text).levels
    assert 'id="answer"' in text and "nan" not in text.lower().replace("nanny", "")


def test_what_was_not_asked_is_said_with_its_command():
    by_name = {one.id: one for one in sections(subject(), whole())}
    assert "results/own/loans/placement.md" in by_name["grid"].blocks[0].text
    assert "'probes={datasets: [loans]}'" in by_name["seen"].blocks[0].text
    asked = subject(probes=["It has."], placement=readable("Placed", ["a"], [["loans"]]))
    by_name = {one.id: one for one in sections(asked, whole())}
    assert not by_name["grid"].blocks and not by_name["seen"].blocks
    assert by_name["seen"].sentences == ["It has."]


def test_next_steps_are_priced_by_what_was_measured():
    rows, labels, model = next_steps(whole(("small",)), SHOTS, {0: 4}, 300)
    # 329 rows: 4 contexts without labels, 3 draws of 4 and of 16 labels.
    seconds = 0.329 * (4 * 100 + 3 * 140 + 3 * 260)
    assert f"about {seconds / 60:.2g} min" in rows.text and "331 of 660" in rows.text
    money = 0.329 * 2 * (4 + 3 + 3)
    assert f"at most {money:.2f} USD" in rows.text
    assert "enough for 1 of 2 comparisons" in rows.text
    assert rows.change == {"test_rows": 660}
    # 64 labels: 6,500,000 tokens per 1,000 rows and draw against 1,700,000 with 16.
    seconds = 0.331 * 260 * 3 * 65 / 17
    assert f"about {seconds / 60:.0f} min" in labels.text
    assert labels.change == {"shots": [0, 4, 16, 64]}
    tokens = 331 / 1000 * (4 * 101_000 + 3 * 501_000 + 3 * 1_701_000)
    assert f"about {tokens / 1e6:.2g} million tokens" in model.text


def test_no_step_is_offered_that_cannot_be_taken():
    found = whole(("small",))
    assert [one.title for one in next_steps(found, SHOTS, {0: 4}, 16)] == [
        "More test rows", "Another model",
    ]  # fmt: skip
    assert next_steps(evidence(), (), {}, 300) == []


def test_ten_lines_fit_the_figure():
    models = {f"m{at}": f"Model {at}" for at in range(3)}
    baselines = {f"b{at}": f"Baseline {at}" for at in range(7)}
    points = [point(one, k, 0.6) for one in models for k in SHOTS]
    points += [point(one, k, 0.55, kind="baseline") for one in baselines for k in (4, 16, TRAINING)]
    drawn = figures.learning_curves(frame(schema.CURVES, points), models, baselines).figure
    above = drawn.axes[0]
    handles, labels = above.get_legend_handles_labels()
    assert sorted(labels) == sorted([*models.values(), *baselines.values()])
    looks = {(one[0].get_color(), one[0].get_marker(), one[0].get_linestyle()) for one in handles}
    assert len(looks) == 10
    assert f"all\n{TRAINING}" in [text.get_text() for text in drawn.axes[1].get_xticklabels()]


def test_a_curve_has_a_log_axis_and_its_band():
    drawn = figures.learning_curves(whole(("small",)).curves, MODELS, BASELINES).figure
    above = drawn.axes[0]
    places = dict(
        zip(
            [text.get_text() for text in drawn.axes[1].get_xticklabels()],
            drawn.axes[1].get_xticks(),
            strict=True,
        )
    )
    assert places["16"] - places["4"] == 2 and places["0"] == places["4"] - 2
    (band,) = [one for one in above.collections if isinstance(one, PolyCollection)]
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(0.55) and heights.max() == pytest.approx(0.73)


def test_a_difference_is_filled_where_it_is_told():
    drawn = figures.differences(whole(("small",)).differences, MODELS, BASELINES).figure
    faces = {
        axes.get_title(): {
            line.get_markerfacecolor() for line in axes.lines if len(line.get_xdata()) == 1
        }
        for axes in drawn.axes
    }
    assert "white" not in faces["4 labels"] and faces["16 labels"] == {"white"}
    assert faces[f"16 against all {TRAINING}"] == {"white"}


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_in_a_browser(tmp_path, width):
    path = tmp_path / "index.html"
    path.write_text(built(), encoding="utf-8")
    with open_page(path, width=width, height=800) as opened:
        page = opened.page
        assert page.title().startswith("Loans </pre>")
        assert opened.overflow() == 0
        assert opened.faint() == []
        assert page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
        assert page.locator("b").count() == 0
        assert HOSTILE in page.locator("#prompt pre").inner_text()
        # The keyboard reaches the content first, then every part that scrolls.
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        unreachable = page.evaluate(
            "[...document.querySelectorAll('.scroll, pre')].filter((one) => one.tabIndex < 0)"
            ".length"
        )
        assert unreachable == 0
        unnamed = page.evaluate(
            "[...document.querySelectorAll('[role=region]')].filter((one) => !one.ariaLabel && "
            "!document.getElementById(one.getAttribute('aria-labelledby'))).length"
        )
        assert unnamed == 0
        assert not opened.problems


@pytest.mark.slow
def test_the_printed_page_has_everything(tmp_path):
    path = tmp_path / "index.html"
    path.write_text(built(), encoding="utf-8")
    with open_page(path, width=700) as opened:
        opened.page.emulate_media(media="print")
        assert opened.page.locator("nav").is_hidden()
        cut = opened.page.evaluate(
            "[...document.querySelectorAll('pre, .rows')]"
            ".filter((one) => one.scrollHeight > one.clientHeight + 2).length"
        )
        assert cut == 0
        widest = opened.page.evaluate(
            "Math.max(...[...document.images].map((one) => one.getBoundingClientRect().right))"
        )
        assert widest <= 700
