"""Contrasts of RQ4: the right sides, the same rows, tests by DeLong, Stouffer and Holm."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from score_frames import predictions

from tabbench.core.contexts import POOREST, RICHEST, Context
from tabbench.core.errors import TabBenchError
from tabbench.core.frames import write_table
from tabbench.core.schemas.contrasts import CONTRASTS
from tabbench.reporting.tables.contrasts import contrasts as table
from tabbench.statistics.bootstrap import resampled_aucs
from tabbench.statistics.contrasts import combine_contrasts, context_contrasts
from tabbench.statistics.delong import two_curve_test
from tabbench.statistics.multiplicity import holm

ROWS = 40
Y = np.tile([0, 1], ROWS // 2)
JOINED = {"suite": "core", "domain": "law", "test_rows": ROWS, "capped": False}


def cell(one: Context, k: int, seed: int, signal: float = 0.5, **values: object) -> pd.DataFrame:
    random = np.random.default_rng([k, seed, len(one.serialization), len(one.prompt)])
    p = 1 / (1 + np.exp(-(signal * Y + random.normal(size=ROWS))))
    return predictions(
        **{
            "prompt": one.prompt,
            "serialization": one.serialization,
            "k": k,
            "seed": seed,
            "y_true": Y.tolist(),
            "p_1": p.tolist(),
        }
        | values
    )


def dataset(name: str, shots: Sequence[int] = (0, 4, 16), **values: object) -> pd.DataFrame:
    parts = [
        cell(one, k, seed, dataset=name, **values)
        for one in (POOREST, RICHEST)
        for k in shots
        for seed in ((1, 2) if k else (0,))
    ]
    return pd.concat(parts, ignore_index=True)


def test_one_draw_is_delongs_test_of_two_curves() -> None:
    many, few = cell(POOREST, 16, 1), cell(RICHEST, 4, 1)
    tests = context_contrasts(pd.concat([many, few]), 4, 16)
    assert len(tests) == 1  # no equal k has both sides
    row = tests.iloc[0]
    oracle = two_curve_test(Y, many["p_1"], few["p_1"])
    assert (row["contrast"], row["k_maximal"], row["k_minimal"]) == ("planned", 4, 16)
    assert row["difference"] == pytest.approx(row["auc_maximal"] - row["auc_minimal"])
    assert row["auc_maximal"] == pytest.approx(oracle.aucs[1])
    assert row["z"] == pytest.approx(oracle.z)
    assert row["p_two_sided"] == pytest.approx(oracle.p_two_sided)


def test_draws_are_averaged_and_every_k_is_compared(tmp_path: object) -> None:
    tests = context_contrasts(dataset("tae"), 4, 16)
    assert tests["contrast"].tolist() == ["planned", "equal_k", "equal_k", "equal_k"]
    assert tests["k_maximal"].tolist() == [4, 0, 4, 16]
    assert tests["draws_maximal"].tolist() == [2, 1, 2, 2]
    aucs = [two_curve_test(Y, cell(RICHEST, 4, seed)["p_1"], Y).aucs[0] for seed in (1, 2)]
    assert tests["auc_maximal"][0] == pytest.approx(np.mean(aucs))
    write_table(tests.assign(**JOINED), f"{tmp_path}/contrasts.parquet", CONTRASTS)


def test_other_prompts_and_formats_do_not_matter() -> None:
    frame = dataset("tae")
    other = frame.assign(serialization="html")
    half = frame.assign(prompt="contextual", serialization="feat_val_mask").drop_duplicates(
        ["k", "seed", "row_id"]
    )
    both = context_contrasts(pd.concat([frame, other, half]), 4, 16)
    pd.testing.assert_frame_equal(both, context_contrasts(frame, 4, 16))


def test_a_dataset_without_the_stated_k_has_no_planned_contrast() -> None:
    frame = pd.concat([dataset("tae"), dataset("credit", shots=(0, 4))])
    tests = context_contrasts(frame, 4, 16)
    assert tests[tests["contrast"] == "planned"]["dataset"].tolist() == ["tae"]
    none = context_contrasts(frame, None, None)
    assert set(none["contrast"]) == {"equal_k"}
    made = table(tests.assign(**JOINED), {"small": "Small-1B"}, "forward")
    assert made.rows[0][:4] == ("Small-1B, planned", "4-shot", "16-shot", "1")
    notes = "\n".join(made.notes)
    assert (
        "4-shot against 16-shot (planned): 1 of 2 datasets do not have both sides, or no defined "
        "test, and are left out: credit" in notes
    )


def test_invalid_answers_leave_their_row_out_of_both_sides() -> None:
    frame = dataset("tae")
    first = (frame["k"] == 16) & (frame["seed"] == 1) & (frame["prompt"] == POOREST.prompt)
    frame.loc[first & (frame["row_id"] < 3), "status"] = "invalid"
    tests = context_contrasts(frame, 4, 16).set_index(["contrast", "k_maximal"])
    assert tests.loc[("planned", 4), ["n", "n_dropped"]].tolist() == [ROWS - 3, 3]
    assert tests.loc[("equal_k", 4), ["n", "n_dropped"]].tolist() == [ROWS, 0]


def test_changed_labels_are_an_error_by_name() -> None:
    frame = dataset("tae")
    frame.loc[0, "y_true"] = 1 - frame.loc[0, "y_true"]
    with pytest.raises(TabBenchError, match=r"tae / small / forward.*change their label"):
        context_contrasts(frame, 4, 16)


def frame_of_tests(zs: Sequence[float], model: str = "small", **values: object) -> pd.DataFrame:
    z = np.array(zs, dtype=float)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{index}" for index in range(len(z))],
            "model": model,
            "mode": "forward",
            "contrast": "planned",
            "k_maximal": 4,
            "k_minimal": 64,
            "n": 50,
            "n_dropped": 0,
            "draws_maximal": 5,
            "draws_minimal": 5,
            "auc_maximal": 0.6,
            "auc_minimal": 0.6 - 0.04 * z,
            "difference": 0.04 * z,
            "se": 0.04,
            "z": z,
            "p_two_sided": 2 * norm.sf(np.abs(z)),
        }
        | JOINED
    )
    return frame.assign(**values)[CONTRASTS.names]


def test_datasets_are_combined_two_sided_by_stouffer() -> None:
    cells = combine_contrasts(frame_of_tests([-1.0, -2.0, 0.5, -1.5]))
    row = cells.iloc[0]
    assert row["z"] == pytest.approx(-4.0 / 2)
    assert row["p"] == pytest.approx(2 * norm.sf(2.0))
    assert row["log10_p"] == pytest.approx(np.log10(row["p"]))
    assert row["difference"] == pytest.approx(-0.04)
    assert row["high"] - row["low"] == pytest.approx(2 * 1.959964 * 0.04 / 2)


def test_undefined_tests_are_left_out_and_equal_curves_count_as_no_evidence() -> None:
    frame = frame_of_tests([2.0, 2.0, 2.0])
    frame.loc[1, ["difference", "se", "z", "p_two_sided"]] = [0.0, 0.0, np.nan, 1.0]
    frame.loc[2, ["se", "z", "p_two_sided"]] = np.nan
    row = combine_contrasts(frame).iloc[0]
    assert row["z"] == pytest.approx(2 / np.sqrt(2))
    assert (row["n_datasets"], row["n_left_out"], row["datasets"]) == (2, 1, "d0; d1")
    assert row["difference"] == pytest.approx(0.04)


def test_holm_corrects_within_each_family() -> None:
    frame = pd.concat(
        [
            frame_of_tests([2.5, 1.0], "small"),
            frame_of_tests([2.2, 2.0], "large"),
            frame_of_tests([2.0], "small", contrast="equal_k", k_minimal=4),
        ]
    )
    cells = combine_contrasts(frame)
    planned = cells[cells["contrast"] == "planned"]
    assert planned["p_holm"].tolist() == pytest.approx(holm(planned["p"]).tolist())
    alone = cells[cells["contrast"] == "equal_k"].iloc[0]
    assert alone["p_holm"] == alone["p"]
    made = table(
        frame, {"small": "Small-1B", "large": "Large-14B", "absent": "Absent-9B"}, "forward"
    )
    assert [row[0] for row in made.rows] == ["Small-1B, planned", "Small-1B", "Large-14B, planned"]
    notes = "\n".join(made.notes)
    assert "the planned contrasts (2), and the comparisons at equal shots (1)" in notes
    assert "two-sided" in notes
    assert "Absent-9B: not run (–)" in notes


def test_the_interval_is_that_of_a_bootstrap_of_the_rows() -> None:
    random = np.random.default_rng(7)
    y = np.tile([0, 1], 150)
    parts, resampled = [], []
    for name in ("a", "b", "c"):
        curves = 1 / (1 + np.exp(-(y + random.normal(size=(2, len(y))))))
        for one, k, curve in zip((POOREST, RICHEST), (16, 4), curves, strict=True):
            parts.append(
                predictions(
                    dataset=name,
                    prompt=one.prompt,
                    serialization=one.serialization,
                    k=k,
                    seed=1,
                    y_true=y.tolist(),
                    p_1=curve.tolist(),
                )
            )
        aucs = resampled_aucs(y, curves, seed=len(resampled))
        resampled.append(aucs[:, 1] - aucs[:, 0])
    tests = context_contrasts(pd.concat(parts), 4, 16)
    row = combine_contrasts(tests.assign(**JOINED)).iloc[0]
    low, high = np.quantile(np.mean(resampled, axis=0), [0.025, 0.975])
    assert row["low"] == pytest.approx(low, abs=0.006)
    assert row["high"] == pytest.approx(high, abs=0.006)


def test_no_contrast_of_the_mode_is_an_error() -> None:
    with pytest.raises(TabBenchError, match="no scored cell"):
        table(frame_of_tests([1.0]), {"small": "Small-1B"}, "generation")


def test_rows_dropped_are_counted_over_all_datasets() -> None:
    frame = frame_of_tests([2.0, 1.0, 1.0]).assign(n_dropped=[1, 2, 4])
    frame.loc[2, ["se", "z", "p_two_sided"]] = np.nan
    assert combine_contrasts(frame)["n_dropped"].item() == 7


def test_every_column_of_the_table_of_contrasts() -> None:
    shown = [
        frame_of_tests([2.5, 1.0], auc_maximal=0.7),
        frame_of_tests([0.5, -2.0], "large"),
        frame_of_tests([1.5, 1.8], contrast="equal_k", k_maximal=16, k_minimal=16),
    ]
    models = {"large": "Large-14B", "small": "Small-1B"}
    made = table(pd.concat(shown), models, "forward")
    p = {}
    for place, part in enumerate(shown):
        z = part["z"].sum() / np.sqrt(2)
        p[place] = 2 * norm.sf(abs(z))
    corrected = [*holm([p[0], p[1]]), p[2]]  # the planned ones are one family
    for row, place in zip(made.rows, (1, 0, 2), strict=True):
        part = shown[place]
        first = part.iloc[0]
        gain, half = part["difference"].mean(), norm.isf(0.025) * 0.04 / np.sqrt(2)
        bounds = [f"{end:+.3f}".replace("-", "−") for end in (gain, gain - half, gain + half)]
        assert dict(zip(made.header, row, strict=True)) == {
            "Model": models[first["model"]] + (", planned" if place < 2 else ""),
            "Maximal context": f"{first['k_maximal']}-shot",
            "Minimal context": f"{first['k_minimal']}-shot",
            "n": "2",
            "AUC maximal": f"{part['auc_maximal'].mean():.3f}",
            "AUC minimal": f"{part['auc_minimal'].mean():.3f}",
            "Δ": bounds[0],
            "95 % interval of Δ": f"{bounds[1]} to {bounds[2]}",
            "p": f"{p[place]:.3f}",
            "p (Holm)": f"{corrected[place]:.3f}",
        }


@pytest.mark.parametrize("column", ["dataset", "model", "mode"])
def test_every_condition_has_contrasts_of_its_own(column: str) -> None:
    first = dataset("tae")
    second = first.assign(p_1=first["p_1"] ** 2 * (1 - first["y_true"] / 2), **{column: "other"})
    both = context_contrasts(pd.concat([second, first]), 4, 16)
    for frame in (first, second):
        alone = context_contrasts(frame, 4, 16)
        mine = both[both[column] == frame[column].iloc[0]].reset_index(drop=True)
        pd.testing.assert_frame_equal(mine, alone)
