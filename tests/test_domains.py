"""Appendix F: every cell as a table, and as a page that searches and sorts in a real browser."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from browser import WIDTHS, OpenPage, open_page
from hypothesis import given
from hypothesis import strategies as st
from score_frames import grid, scores_frame

from tabbench.core.errors import TabBenchError
from tabbench.core.frames import read_table, write_table
from tabbench.core.schemas.cell_means import CELLS
from tabbench.reporting.page.cell_means import domain_cells
from tabbench.reporting.page.cells import PLACE, domain_page

TEMPLATE = (
    Path(__file__).parents[1] / "workflow/scripts/tabbench/reporting/page/templates/cells.html"
)
NAMES = {"small": "Small-1B", "large": "Large <8B>", "logistic": "Logistic regression"}
NAN = float("nan")


def test_a_cell_reduces_its_seeds(tmp_path: Path) -> None:
    common = {"k": 4, "n": 10, "test_rows": 30, "capped": True}
    rows = [
        common | {"seed": seed, "roc_auc": auc, "n_scored": scored, "label_mass": mass}
        for seed, auc, scored, mass in ((864, 0.6, 10, 0.9), (460, 0.8, 8, 0.5), (142, NAN, 6, 0.7))
    ]
    cells = domain_cells(scores_frame([*rows, {"k": 0, "roc_auc": 0.5, "n": 10, "n_scored": 10}]))
    write_table(cells, tmp_path / "cells.parquet", CELLS)
    zero, four = read_table(tmp_path / "cells.parquet", CELLS).to_dict("records")
    assert (zero["k"], zero["roc_auc"], zero["n_seeds"]) == (0, 0.5, 1)
    assert pd.isna(zero["roc_auc_std"])
    assert four["roc_auc"] == pytest.approx(0.7)
    assert four["roc_auc_std"] == pytest.approx(0.02**0.5)
    assert (four["n_seeds"], four["n_undefined"]) == (2, 1)
    assert (four["n"], four["test_rows"], four["capped"]) == (10, 30, True)
    assert four["invalid_rate"] == pytest.approx(6 / 30)
    assert four["label_mass"] == pytest.approx(0.7)


def test_every_cell_is_there_baselines_too() -> None:
    scores = grid(["small"], ("diabetes", "credit"), shots=(0, 4))
    cells = domain_cells(scores)
    key = ["dataset", "model", "mode", "prompt", "serialization", "k"]
    expected = scores[key].drop_duplicates()
    assert len(cells) == len(expected) == len(cells[key].merge(expected))
    assert {"logistic", "forest"} <= set(cells["model"])


def embedded(page: str) -> dict[str, dict[str, list[object]]]:
    """The data of a page, read as a browser would."""
    (text,) = re.findall(r'<script id="cells" type="application/json">(.*?)</script>', page)
    data: dict[str, dict[str, list[object]]] = json.loads(text)
    return data


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_name_reaches_the_page_as_it_is(name: str) -> None:
    cells = domain_cells(scores_frame([{"dataset": name}, {"dataset": "</script><!--"}]))
    datasets = embedded(domain_page(cells, TEMPLATE.read_text(), {}))["texts"]["dataset"]
    assert set(datasets["values"]) == {name, "</script><!--"}  # type: ignore[call-overload]


def test_undefined_numbers_are_null_not_nan() -> None:
    page = domain_page(domain_cells(scores_frame([{"roc_auc": NAN}])), TEMPLATE.read_text(), {})
    numbers = embedded(page)["numbers"]
    assert numbers["roc_auc"] == numbers["roc_auc_std"] == [None]


def test_the_template_needs_one_place_for_the_data() -> None:
    cells = domain_cells(scores_frame([{}]))
    for template in ("", PLACE + PLACE):
        with pytest.raises(TabBenchError, match="stands there"):
            domain_page(cells, template, {})


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    made = pd.concat(
        [
            grid(["small", "large"], ("diabetes", "tech_mental_health_survey", "kc1")),
            grid(["small"], ("mlp0_t0", "mlp1_t0"), suite="mlp"),
        ],
        ignore_index=True,
    )
    undefined = (made["dataset"] == "diabetes") & (made["model"] == "small") & (made["k"] == 0)
    made.loc[undefined, "roc_auc"] = NAN
    return made


@pytest.fixture(scope="module")
def page(scores: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "cells.html"
    path.write_text(domain_page(domain_cells(scores), TEMPLATE.read_text(), NAMES))
    return path


def column(opened: OpenPage, title: str) -> list[str]:
    return opened.page.locator(f"td[data-title='{title}']").all_text_contents()


def count(opened: OpenPage) -> str:
    return opened.page.inner_text("#count")


@pytest.mark.slow
def test_the_page_filters(page: Path, scores: pd.DataFrame) -> None:
    cells = domain_cells(scores)
    with open_page(page) as opened:
        assert count(opened).startswith(f"{len(cells)} of {len(cells)} cells match")
        for label, option in {
            "Suite": "core",
            "Domain": "Healthcare",
            "Dataset": "diabetes",
            "Model": "Large <8B>",
            "Mode": "forward",
            "Prompt": "contextual",
            "Serialization": "feat_val",
            "k": "16",
        }.items():
            opened.page.get_by_label(label, exact=True).select_option(option)
        assert count(opened) == f"1 of {len(cells)} cells match"
        wanted = cells[
            (cells["dataset"] == "diabetes")
            & (cells["model"] == "large")
            & (cells["mode"] == "forward")
            & (cells["prompt"] == "contextual")
            & (cells["serialization"] == "feat_val")
            & (cells["k"] == 16)
        ].iloc[0]
        assert column(opened, "ROC-AUC") == [f"{wanted['roc_auc']:.3f}"]
        assert column(opened, "±") == [f"{wanted['roc_auc_std']:.3f}"]
        assert column(opened, "Test rows") == ["100 of 256"]
        opened.page.get_by_text("Clear filters").click()
        opened.page.fill("#search", "LOGISTIC kc1")
        assert set(column(opened, "Model")) == {"Logistic regression"}
        assert set(column(opened, "Dataset")) == {"kc1"}
        opened.page.fill("#search", "no such words")
        assert count(opened) == f"0 of {len(cells)} cells match"
        assert not opened.problems


@pytest.mark.slow
def test_the_page_sorts_with_undefined_values_last(page: Path, scores: pd.DataFrame) -> None:
    cells = domain_cells(scores)
    values = [f"{value:.3f}" for value in sorted(cells["roc_auc"].dropna())]
    with open_page(page) as opened:
        opened.page.get_by_label("Dataset", exact=True).select_option("diabetes")
        for down in (False, True):
            opened.page.get_by_role("button", name="ROC-AUC").click()
            shown = column(opened, "ROC-AUC")
            defined = [float(value) for value in shown if value != "–"]
            assert defined == sorted(defined, reverse=down)
            assert shown.index("–") == len(defined)
        opened.page.get_by_text("Clear filters").click()
        assert column(opened, "ROC-AUC")[0] == values[-1]
        assert not opened.problems


@pytest.mark.slow
def test_only_the_first_matches_are_drawn(page: Path, scores: pd.DataFrame) -> None:
    total = len(domain_cells(scores))
    with open_page(page) as opened:
        assert len(column(opened, "k")) == 200
        assert count(opened) == f"{total} of {total} cells match, the first 200 are shown"
        opened.page.locator("#more").click()
        assert len(column(opened, "k")) == total
        assert opened.page.locator("#more").is_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(page: Path, width: int) -> None:
    with open_page(page, width=width) as opened:
        opened.page.get_by_text("What the columns mean").click()
        assert opened.overflow() == 0
        table = opened.page.locator("table").bounding_box()
        assert table is not None
        assert table["x"] + table["width"] <= width
        assert not opened.problems
