"""Questions about plans and complexity (SciTaRC)."""

from fractions import Fraction

import tables_scitarc as tables
from published import best, cells, read, rounded
from question import Question

ABLATION = read("scitarc_table4")


def best_oracle() -> Question:
    oracle = {line["model"]: Fraction(line["oracle"]) for line in ABLATION}
    name = best(oracle)
    return Question(
        "scitarc",
        "Which model is the most accurate one with the gold plan, and what is its accuracy?",
        """
        SELECT Oracle accuracy of all models
        COMPUTE best_model = argmax
        RETURN best_model, its Oracle accuracy
        """,
        f"{name}, {rounded(oracle[name], 1)}%",
        (tables.planning,),
    )


def printed_changes() -> Question:
    sources = {
        "Auto": ("delta_auto", "auto", "direct"),
        "Max": ("delta_max", "oracle", "direct"),
        "Plan": ("delta_plan", "oracle", "auto"),
    }
    wrong = []
    for line in ABLATION:
        for name, (column, after, before) in sources.items():
            found = Fraction(line[after]) - Fraction(line[before])
            if found != Fraction(line[column]):
                wrong.append(
                    f"{line['model']}, Delta_{name}: printed {line[column]}, recomputed "
                    f"{rounded(found, 1)}"
                )
    (answer,) = wrong
    return Question(
        "scitarc",
        r"""Recompute the three change columns from the printed accuracies. In which row and column
        does the printed change differ from the recomputed one, and what are the two values? Name
        the columns Delta_Auto, Delta_Max and Delta_Plan.""",
        """
        LOOP for each model
            SELECT Direct, Auto and Oracle accuracy
            LOOP for each change column
                SELECT the printed change
                IF the column is Delta_Auto
                    COMPUTE change = Auto - Direct
                ELSE IF the column is Delta_Max
                    COMPUTE change = Oracle - Direct
                ELSE
                    COMPUTE change = Oracle - Auto
                IF change is not the printed change
                    COMPUTE remember the model, the column, the printed change and change
        RETURN what was remembered
        """,
        answer,
        (tables.planning,),
    )


def plan_and_demonstrations() -> Question:
    (oracle,) = (Fraction(line["oracle"]) for line in ABLATION if line["model"] == "Qwen3-30B")
    shown = cells("scitarc_table11", "model", value="fs_oracle")["Qwen3-30B",]
    return Question(
        "scitarc",
        """How many percentage points more accurate is Qwen3-30B with the gold plan and two
        demonstrations than with the gold plan alone?""",
        """
        SELECT FS-Oracle accuracy of Qwen3-30B in the two-shot ablation
        SELECT Oracle accuracy of Qwen3-30B in the planning ablation
        COMPUTE difference
        RETURN difference
        """,
        rounded(shown - oracle, 1),
        (tables.planning, tables.few_shot),
    )


def above_the_mean() -> Question:
    means = cells("scitarc_table1", "metric")
    lines = read("scitarc_tables6_7")
    above = {
        line["example"]: [name for name in tables.METRICS if Fraction(line[name]) > means[name,]]
        for line in lines
    }
    name = best({example: Fraction(len(found)) for example, found in above.items()})
    (missing,) = (metric for metric in tables.METRICS if metric not in above[name])
    letter, rest = missing.split("_")
    nothing = [example for example, found in above.items() if not found]
    return Question(
        "scitarc",
        """Which of the five example questions lies above the mean of all questions on the largest
        number of the six metrics, how many metrics are that, and on which metric does it not lie
        above the mean? Which example lies above the mean on none of the six?""",
        """
        SELECT the mean of each metric over all questions
        COMPUTE most = 0
        LOOP for each example question
            COMPUTE above = 0
            LOOP for each of the six metrics
                SELECT the metric of the example
                IF it is greater than the mean of the metric
                    COMPUTE increment above by 1
                ELSE
                    COMPUTE add the metric to the example's missed list
            IF above > most
                COMPUTE most = above
                COMPUTE top_example = this example
            IF above = 0
                COMPUTE none_example = this example
        RETURN top_example, most, its missed list, none_example
        """,
        f"{name}, {len(above[name])}, {letter.upper()}_{rest}; {nothing[0]}",
        (tables.statistics, tables.examples),
    )


ALL = (
    best_oracle(),
    printed_changes(),
    plan_and_demonstrations(),
    above_the_mean(),
)
