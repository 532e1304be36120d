"""A dialogue becomes a labelled table: how functions and rules are called, what is refused."""

import contextlib
from pathlib import Path

import pandas as pd
import pytest
from hostile import JSON
from hypothesis import given, settings
from hypothesis import strategies as st

from tabbench.config.dataset_entry import TaskText
from tabbench.config.validation import load_yaml
from tabbench.sandbox.model_code import UnusableAnswerError
from tabbench.sandbox.sandbox import Outcome
from tabbench.synthetic import llm_table
from tabbench.synthetic.dialogue import read_answers
from tabbench.synthetic.llm_table import LabelledTable, fires, make_table, target_names

ROOT = Path(__file__).parents[1]
TASK = TaskText(
    "a patient",
    "whether the patient has diabetes",
    negative="does not have diabetes",
    positive="has diabetes",
)
SCHEMA = "Features: `Age` (years), `BMI`, `Sex` (male, female). Target: `Diabetes` (0, 1)."
MAKE = """
import numpy as np
import pandas as pd

def generate(n_samples=100):
    rng = np.random.default_rng()
    return pd.DataFrame({
        "Age": rng.integers(20, 80, n_samples),
        "BMI": rng.normal(28, 5, n_samples),
        "Sex": rng.choice(["male", "female"], n_samples),
    })
"""
RULES = """
def rule_1(row): return row["Age"] > 70
def rule_2(row): return row["BMI"] > 36
def rule_3(row): return row["Sex"] == "male" and row["Age"] < 30
"""


def fenced(code: str) -> str:
    return f"Here is the code.\n\n```python\n{code}\n```\n"


def table(
    make: str = MAKE, rules: str = RULES, schema: str = SCHEMA, rows: int = 200
) -> LabelledTable:
    return make_table([schema, fenced(make), fenced(rules)], TASK, rows, "process")


def expected(frame: pd.DataFrame) -> list[int]:
    fired = (
        (frame["Age"] > 70) | (frame["BMI"] > 36) | ((frame["Sex"] == "male") & (frame["Age"] < 30))
    )
    return fired.astype(int).tolist()


def test_a_row_is_positive_when_at_least_one_rule_fires() -> None:
    made = table()
    assert list(made.table) == ["row_id", "y", "Age", "BMI", "Sex"]
    assert made.table["y"].tolist() == expected(made.table)
    assert 0.1 < made.table["y"].mean() < 0.5
    assert (made.table["BMI"] == made.table["BMI"].round(3)).all()
    assert made.rules.count("def rule_") == 3


def test_codes_of_a_model_with_more_digits_than_a_number_holds_stay_as_written() -> None:
    make = MAKE.replace(
        '"BMI":', '"Age": 4147202158431690000 + np.arange(n_samples),\n        "BMI":'
    )
    rules = RULES.replace('row["Age"] > 70', 'str(row["Age"])[-1] in "12"')
    codes = table(make, rules.replace('row["Age"] < 30', "True")).table["Age"]
    assert codes.tolist() == [str(4147202158431690000 + number) for number in range(200)]


@pytest.mark.parametrize("name", ["y", "row_id", "answer", "Answer"])
def test_a_feature_called_as_the_label_is_refused(name: str) -> None:
    """A prompt's head would name two columns so."""
    with pytest.raises(UnusableAnswerError, match=rf"feature.*\['{name}'\] are called as labels"):
        table(
            MAKE.replace("BMI", name),
            RULES.replace("BMI", name),
            SCHEMA.replace("BMI", name),
        )


UNSEEDED = """
import random
import numpy as np
def generate(n, seed=None):
    np.random.seed(seed)
    return {
        "Age": np.random.randint(20, 80, n),
        "BMI": np.random.default_rng().normal(28, 5, n),
        "Sex": [random.choice(["male", "female"]) for _ in range(n)],
    }
"""


@pytest.mark.parametrize("make", [MAKE, UNSEEDED])
def test_the_same_dialogue_gives_the_same_table(make: str) -> None:
    pd.testing.assert_frame_equal(table(make).table, table(make).table)


def test_unseeded_generators_draw_different_numbers() -> None:
    make = MAKE.replace(
        "rng.integers(20, 80, n_samples)", "np.random.default_rng().normal(28, 5, n_samples)"
    ).replace("rng.normal", "np.random.default_rng().normal")
    with pytest.raises(UnusableAnswerError, match="of 200 rows class 1"):
        table(
            make,
            RULES.replace('row["Age"] > 70', 'row["Age"] == row["BMI"]')
            .replace("> 36", "> 99")
            .replace("< 30", "< 0"),
        )


@pytest.mark.parametrize(
    "make",
    [
        MAKE.replace("n_samples=100", ""). replace("n_samples", "200"),
        MAKE.replace("n_samples=100", "N").replace("n_samples", "N"),
        MAKE.replace("n_samples=100", "n_samples, seed"),
        MAKE.replace("n_samples=100", "*, num_records").replace("n_samples", "num_records"),
        MAKE.replace("return pd.DataFrame(", "return dict("),
        MAKE.replace("})", "}), None"),
        MAKE.replace("generate(", "helper(") + "\ndef create_data(n): return helper(n)\n",
        MAKE + "\ndef show(df, title): print(title, df)\ndf = undefined(3)\n",
        MAKE.replace("return pd", "print('x' * 1000)\n    return pd"),
        """
import random
def make_patient():
    return {"Age": random.randint(20, 80), "BMI": random.gauss(28, 5),
            "Sex": random.choice(["male", "female"])}
""",
    ],
)  # fmt: skip
def test_functions_are_called_as_they_need(make: str) -> None:
    made = table(make).table
    assert len(made) == 200
    assert made["y"].tolist() == expected(made)


def three(body: str, head: str = "row") -> str:
    conditions = ("{Age} > 70", "{BMI} > 36", "({Sex} == 'male') & ({Age} < 30)")
    return "LIMIT = 1\n" + "\n".join(
        f"def rule_{number}({head}):\n    {body.replace('CONDITION', condition)}"
        for number, condition in enumerate(conditions, start=1)
    )


def over(name: str, text: str) -> str:
    for column in ("Age", "BMI", "Sex"):
        text = text.replace(f"{{{column}}}", f"{name}['{column}']")
    return text


FORMS = {
    "row, truth values": over("row", three("return CONDITION")),
    "row, 0 and 1": over("row", three("return LIMIT if CONDITION else 0")),
    "row, nothing otherwise": over("row", three("if CONDITION:\n        return True")),
    "row, yes and no": over("row", three("return 'Yes' if CONDITION else 'No'")),
    "row, words of the task": over(
        "row", three("return 'Diabetes' if CONDITION else 'No diabetes'")
    ),
    "row, a reason beside": over("row", three("return (CONDITION, 'because')")),
    "row, by attribute": three("return CONDITION")
    .replace("{Age}", "row.Age").replace("{BMI}", "row.BMI").replace("{Sex}", "row.Sex"),
    "row, added entry": over("row", three("row['risk'] = int(CONDITION)\n    return row")),
    "row, changed in place": over("row", three("row['risk'] = int(CONDITION)")),
    "table, changed in place, oddly called": over(
        "patients", three("patients['risk'] = CONDITION", "patients")
    ),
    "row, called data": over("data", three("return 1 if CONDITION else 0", "data")),
    "row, with a default": over("row", three("return CONDITION", "row, limit=3")),
    "table, series": over("df", three("return CONDITION", "df")),
    "table, numbers": over("df", three("return (CONDITION).astype(int)", "df: 'pd.DataFrame'")),
    "table, numpy": over("df", three("return np.where(CONDITION, 'high', 'low')", "df")),
    "table, added column": over("df", three("df['label'] = CONDITION\n    return df", "df")),
    "table, changed in place": over("df", three("df['label'] = (CONDITION) * 1", "df")),
    "table, row by row": over(
        "r", three("return df.apply(lambda r: 1 if CONDITION else 0, axis=1)", "df")
    ),
    "table, a column for each rule": over("df", """
def label(df):
    df['rule_1'], df['rule_2'] = {Age} > 70, {BMI} > 36
    df['rule_3'] = ({Sex} == 'male') & ({Age} < 30)
    df['target'] = (df['rule_1'] | df['rule_2'] | df['rule_3']).astype(int)
    return df
"""),
    "features": three("return CONDITION", "age, bmi, sex")
    .replace("{Age}", "age").replace("{BMI}", "bmi").replace("{Sex}", "sex"),
    "one function": over("row", """
def label(row):
    if {Age} > 70:
        return 1
    elif {BMI} > 36:
        return 1
    return int({Sex} == 'male' and {Age} < 30)
"""),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_rules_are_called_as_they_need(form: str) -> None:
    made = table(rules=FORMS[form]).table
    assert made["y"].tolist() == expected(made)


def test_a_column_for_the_label_is_no_feature() -> None:
    make = MAKE.replace('"Age"', '"Diabetes": rng.integers(0, 2, n_samples), "Age"', 1)
    assert list(table(make).table) == ["row_id", "y", "Age", "BMI", "Sex"]


def test_truth_values_and_missing_cells_become_text_and_missing() -> None:
    smoker, thin = 'lambda d: d["Age"] > 50', 'lambda d: d["BMI"].where(d["Age"] < 70)'
    make = MAKE.replace("    })", f"    }}).assign(Smoker={smoker}, BMI={thin})")
    made = table(make, schema=SCHEMA + " `Smoker`").table
    assert set(made["Smoker"]) == {"True", "False"}
    assert made["BMI"].isna().sum() == (made["Age"] >= 70).sum() > 0


CONSTANT = "\n".join(f"def rule_{n}(row): return {n > 3}" for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rules": CONSTANT}, "0 of 200 rows class 1"),
        ({"rules": RULES.replace("> 36", "> 0")}, "200 of 200 rows class 1"),
        ({"rules": "def rule_1(row): return 1"}, "200 of 200 rows"),
        ({"rules": RULES.replace('"Age"', '"Agee"')}, r"rule_1 fails.*KeyError.*Agee"),
        ({"rules": RULES.replace("> 70", "+ 1")}, "the class is ambiguous"),
        ({"make": "def f(path): return path"}, "no function made a table.*f:.*returned int"),
        ({"make": "def generate(a, b): return a"}, "no value for its parameter 'a'"),
        ({"make": MAKE.replace("n_samples)", "n_samples // 2)")}, "100 row.s., expected 200"),
        (
            {"make": MAKE.replace("Sex", "Gender"), "rules": RULES.replace("Sex", "Gender")},
            "Gender",
        ),
        ({"make": MAKE.replace('"BMI"', '"y"'), "rules": RULES.replace("BMI", "y")}, "'y'"),
        ({"make": "import nonsense\n" + MAKE.replace("pd.Data", "nonsense.")}, "No module named"),
        ({"make": MAKE.replace("    rng", "    raise SystemExit(0)\n    rng")}, "SystemExit"),
        ({"make": MAKE.replace("    rng", "    import os; os._exit(0)\n    rng")}, "'killed'"),
    ],
)
def test_what_is_no_table_is_refused(changes: dict[str, str], fault: str) -> None:
    with pytest.raises(UnusableAnswerError, match=rf"(?s){fault}"):
        table(**changes)


CELLS = st.lists(
    st.sampled_from([None, True, 0, 1, 2.5, "a", "no", "no " * 999, [], {}]), max_size=4
)
MADE = st.fixed_dictionaries(
    {},
    optional={
        "columns": st.lists(st.tuples(st.sampled_from(["Age", "y", "", 1]), CELLS).map(list))
        | JSON,
        "rules": st.dictionaries(st.text(max_size=2), CELLS, max_size=3) | JSON,
        "counted": st.booleans() | JSON,
    },
)


@given(MADE | JSON)
@settings(deadline=None)
def test_whatever_comes_back_is_a_table_or_refused(value: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llm_table, "run", lambda *_: Outcome("ok", value, "", ""))
        with contextlib.suppress(UnusableAnswerError):
            assert not table().table.empty


@pytest.mark.parametrize(
    ("values", "fired"),
    [
        ([True, False, None], [True, False, False]),
        ([1, 0, 1.0], [True, False, True]),
        (["1", "0"], [True, False]),
        (["High Risk", "Low Risk", None], [True, False, False]),
        (["At risk", None], [True, False]),
        (["non-diabetic", "diabetic"], [False, True]),
        (["has diabetes", "does not have diabetes"], [True, False]),
        (["No", ""], [False, False]),
    ],
)
def test_what_a_rule_says(values: list[object], fired: list[bool]) -> None:
    assert fires(values, TASK) == fired


@pytest.mark.parametrize("values", [["red", "blue"], [2, 0], [-1, 1], ["yes", "perhaps"]])
def test_what_a_rule_must_not_say(values: list[object]) -> None:
    with pytest.raises(UnusableAnswerError, match="the class is ambiguous"):
        fires(values, TASK)


def test_the_tasks_own_words_come_first() -> None:
    credit = TaskText("", "", negative="no default", positive="default")
    assert fires(["Default", "No default"], credit) == [True, False]
    good = TaskText("", "", negative="bad credit risk", positive="good credit risk")
    assert fires(["bad", "good"], good) == [False, True]


def test_names_of_the_label_are_read_from_the_schema() -> None:
    schema = (
        "- **Age**: years\n- **Heart Disease** (target): 0 or 1\n| is_sick | the label |\n"
        "Target variable: `Outcome_2`\n- **class_size**: students in the class"
    )
    names = target_names(schema)
    assert {"heartdisease", "issick", "outcome2", "target"} <= names
    assert not {"age", "classsize"} & names


@pytest.mark.parametrize(
    "folder",
    sorted((ROOT / "resources/dialogues").glob("*/*")),
    ids=lambda path: f"{path.parent.name}-{path.name}",
)
def test_each_published_dialogue_makes_a_table(folder: Path) -> None:
    answers = read_answers(folder / f"turn{number}.md" for number in (1, 2, 3))
    task = TaskText(**load_yaml(ROOT / f"resources/datasets/{folder.name}.yaml")["task"])
    made = make_table(answers, task, 1000, "process")
    assert len(made.table) == 1000
    assert made.table["y"].mean() > 0.15
    sentences = made.rules.splitlines()
    assert len(sentences) == 3
    assert all(line.startswith(f"Rule {n}") for n, line in enumerate(sentences, start=1))
