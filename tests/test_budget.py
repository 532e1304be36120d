"""The configuration's budget reaches the jobs that ask."""

import pytest
import yaml
from endpoint_run import PRICES, entry, last_charges
from fault_server import fault_server
from workflow_copy import TINY, WorkflowCopy


@pytest.mark.slow
def test_a_run_ends_where_the_budget_of_all_models_does(tmp_path):
    copy = WorkflowCopy.create(tmp_path / "copy")
    budget = 1.0
    copy.configure(
        budget=budget,
        models=["faulty"],
        datasets=["tae"],
        mlp={"levels": [], "tables": 1, "rows": 60},
        llm_synthetic=None,
        llm_baselines=None,
        probes=None,
        scitarc=None,
        shots=[0],
        research_questions={"rq1": TINY["research_questions"]["rq1"]},
    )
    with fault_server() as server:
        shown = {"title": "Faulty", "licence": "none", "prices": PRICES}
        (copy.folder / "resources/models/faulty.yaml").write_text(
            yaml.safe_dump(entry(server.url) | shown)
        )
        output = copy.run("results/predictions/faulty/core/k0.parquet", fails=True)
        assert f"the budget of all models of {budget:g} USD is spent" in output
        charges = last_charges(copy.folder / "results/models/faulty/spending.csv")
        spent = sum(float(line["cost"]) for line in charges)
        assert sum(server.billed) / 1000 == pytest.approx(spent)
        assert 0 < spent <= budget
        copy.run("plan")
        text = (copy.folder / "results/plan.md").read_text()
        assert f"Budget of all models: 1.00, of which {spent:,.2f} is charged" in text
