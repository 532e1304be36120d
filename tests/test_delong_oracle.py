"""DeLong's test against reference values of R's pROC (tests/oracle/)."""

import math
import shutil
import subprocess

import pytest
from oracle.delong import KINDS, R_COLUMNS, REFERENCE, cases, read, run_r

from tabbench.statistics.delong import two_curve_test

TOLERANCE = 1e-9
CASES = list(cases())
VALUES = {int(row["case"]): row for row in read(REFERENCE)}


def proc_installed() -> bool:
    if shutil.which("Rscript") is None:
        return False
    found = subprocess.run(
        ["Rscript", "--vanilla", "-e", 'quit(status = !requireNamespace("pROC"))'],
        capture_output=True,
        check=False,
    )
    return found.returncode == 0


def test_the_reference_belongs_to_these_cases() -> None:
    assert len(CASES) >= 200
    assert {case.kind for case in CASES} == set(KINDS)
    assert (min(case.n for case in CASES), max(case.n for case in CASES)) == (6, 2000)
    for case in CASES:
        kept = VALUES[case.number]
        assert (kept["kind"], int(kept["n"])) == (case.kind, case.n)
        assert int(kept["positives"]) == case.positives == sum(case.rows()[0])
        assert kept["rows_sha256"] == case.digest(), f"case {case.number} draws other rows"


@pytest.mark.parametrize("kind", KINDS)
def test_equals_proc(kind: str) -> None:
    """One exception: no variance but a difference, see the next test."""
    tested = 0
    for case in CASES:
        expected = {name: float(VALUES[case.number][name]) for name in R_COLUMNS}
        if case.kind != kind or math.isinf(expected["z"]):
            continue
        y, first, second = case.rows()
        test = two_curve_test(y, first, second)
        ours = {
            "auc_first": test.aucs[0],
            "auc_second": test.aucs[1],
            # No variance and no difference: pROC says 0, where we say that there is no z.
            "z": 0.0 if test.se == 0 else test.z,
            "p_two_sided": test.p_two_sided,
            "p_greater": test.p_greater,
            "p_less": two_curve_test(y, second, first).p_greater,
        }
        assert ours == pytest.approx(expected, abs=TOLERANCE, rel=0), case
        tested += 1
    assert tested >= 28


def test_no_variance_but_a_difference_is_certainty_to_proc_and_undefined_here() -> None:
    """Two rows of a class ranked alike are no proof, so p = 0 would be wrong in a table."""
    infinite = [case for case in CASES if math.isinf(float(VALUES[case.number]["z"]))]
    assert infinite
    for case in infinite:
        assert float(VALUES[case.number]["p_two_sided"]) == 0
        test = two_curve_test(*case.rows())
        assert test.se == 0
        assert math.isnan(test.p_two_sided)
        assert math.isnan(test.p_greater)


@pytest.mark.oracle
@pytest.mark.skipif(not proc_installed(), reason="needs R with pROC (r-base-core, r-cran-proc)")
def test_r_gives_the_reference_values_again() -> None:
    again = run_r()
    assert again.keys() == VALUES.keys()
    for number, values in again.items():
        kept = {name: float(VALUES[number][name]) for name in R_COLUMNS}
        assert values == pytest.approx(kept, abs=1e-12, rel=1e-12), number
