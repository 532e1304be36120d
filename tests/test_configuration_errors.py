"""A fault in the configuration stops the workflow before any job, with a message to act on."""

import pytest
import yaml
from workflow_copy import TINY, WorkflowCopy


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return WorkflowCopy.create(tmp_path_factory.mktemp("errors") / "copy")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"datasets": ["diabets"]}, "unknown dataset 'diabets': did you mean 'diabetes'?"),
        ({"models": ["smollm"]}, "unknown model 'smollm': did you mean 'smollm2_135m'?"),
        ({"sheeds": [1]}, "unknown key 'sheeds': did you mean 'seeds'?"),
        ({"max_shots": {"credit": 2}}, "max_shots names 'credit', which is not run"),
    ],
)
def test_it_is_named_with_the_closest_valid_name(copy, changes, message):
    copy.configure(**changes)
    output = copy.run("-n", fails=True)
    assert message in output
    assert "Traceback" not in output


def test_a_configuration_on_the_command_line_stands_alone(copy):
    without = {key: value for key, value in TINY.items() if key != "seeds"}
    (copy.folder / "config/tiny.yaml").write_text(yaml.safe_dump(without))
    assert "'seeds' is a required property" in copy.run("-n", fails=True)


def test_an_error_of_a_job_is_short_and_names_the_dataset(copy):
    copy.configure(
        datasets=["tae"], shots=[0, 200], research_questions={"rq3": {"modes": ["forward"]}}
    )
    output = copy.run("results/datasets/tae/shots_k200.parquet", fails=True)
    assert "ERROR: dataset 'tae': class 0 has 66 training row(s), k = 200 needs 100" in output
    assert "Traceback" not in output
