"""What an edit of each module runs again is what was reviewed; rerun tests try a sample of it."""

import pytest
from module_reach import described_reach, expected_reach, hashed_rules, reach
from rerun_expectations import MODULES, closure

FIT = {"baseline", "baseline_pretrained"}
RUN_PROGRAMS = {"dialogue", "llm_table", "llm_baseline", "scitarc_answers"}
ASK = {one.rule for one in hashed_rules() if one.engine}


def rules_reached(module):
    return {one.rule for one in reach()[f"tabbench.{module}"]}


def test_every_module_is_in_the_hashes_that_the_table_says():
    expected, found = expected_reach(), described_reach()
    changed = [
        f"{module}: {expected.get(module, 'not in the table')} -> {found.get(module, 'no module')}"
        for module in sorted(expected.keys() | found.keys())
        if expected.get(module) != found.get(module)
    ]
    assert not changed, "\n".join(
        [
            "modules are in other hashes than tests/module_reach.csv says; where that is meant, "
            "PYTHONPATH=workflow/scripts python tests/module_reach.py writes it anew:",
            *changed,
        ]
    )


def test_a_column_of_the_scores_fits_runs_and_asks_nothing():
    reached = rules_reached("core.schemas.scores")
    assert {"score", "score_all"} <= reached
    assert not reached & (FIT | RUN_PROGRAMS | ASK)
    made_anew = {job.split()[0] for job in closure(MODULES["core/schemas/scores"])}
    assert not made_anew & (FIT | RUN_PROGRAMS | ASK)


@pytest.mark.parametrize(
    ("module", "rules"),
    [
        ("baselines.fitting", FIT),
        ("sandbox.sandbox", RUN_PROGRAMS),
        ("inference.models", ASK),
    ],
)
def test_these_rules_fit_run_programs_and_ask(module, rules):
    # Others that import the module are tables that quote its settings, and rules that only read.
    assert rules
    assert rules <= rules_reached(module)
    others = rules_reached(module) - rules
    read = {"plan", "predict", "scitarc_error_sheet", "scitarc_table3"}
    assert others <= {"rq3_llm_baselines", *read}
