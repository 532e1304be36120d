"""Questions about the suites of datasets (LLMTabBench)."""

from fractions import Fraction

import tables_datasets as tables
from published import LLMS, best, cells, mean, read, rounded
from question import Question


def most_cut() -> Question:
    kept = {
        line["dataset"]: Fraction(line["rows"]) / Fraction(line["original_rows"])
        for line in read("datasets")
        if line["table"] == "XII"
    }
    name = best({dataset: 1 - share for dataset, share in kept.items()})
    return Question(
        "llmtabbench",
        """Of which dataset is the smallest share of the published rows used, and how large is that
        share in percent, rounded to one decimal?""",
        """
        SELECT rows used and rows published of all datasets
        COMPUTE share = rows used / rows published for each dataset
        COMPUTE smallest = dataset with the lowest share
        RETURN smallest, its share in percent
        """,
        f"{name}, {rounded(100 * kept[name], 1)}%",
        (tables.core_one,),
    )


def rare_class() -> Question:
    shares: dict[str, dict[str, Fraction]] = {"XII": {}, "XIII": {}, "XIV": {}}
    for line in read("datasets"):
        positive = Fraction(line["positive_percent"])
        shares[line["table"]][line["dataset"]] = min(positive, 100 - positive)
    counts = [sum(one < 20 for one in found.values()) for found in shares.values()]
    every = {name: -share for found in shares.values() for name, share in found.items()}
    rarest = best(every)
    first, second, new = counts
    return Question(
        "llmtabbench",
        """The rarer class of a dataset is the positive or the negative one, whichever has fewer
        rows. How many datasets have a rarer class of under 20% in the first half of the core suite,
        how many in its second half, and how many in the new suite? And in which of all these
        datasets is the rarer class smallest, and what is its share in percent?""",
        """
        COMPUTE smallest = 100
        LOOP for each of the three tables
            COMPUTE count = 0
            LOOP for each dataset of the table
                SELECT its share of positives in percent
                IF share of positives > 50
                    COMPUTE rare = 100 - share of positives
                ELSE
                    COMPUTE rare = share of positives
                IF rare < 20
                    COMPUTE increment count by 1
                IF rare < smallest
                    COMPUTE smallest = rare
                    COMPUTE smallest_dataset = this dataset
            COMPUTE remember count for this table
        RETURN the three counts, smallest_dataset, smallest
        """,
        f"{first} in the first half, {second} in the second half, {new} in the new suite; "
        f"{rarest}, {rounded(-every[rarest], 1)}%",
        (tables.core_one, tables.core_two, tables.new_suite),
    )


def kinds_of_features() -> Question:
    values = cells("table17", "dataset", "model")
    groups: dict[str, list[str]] = {"categorical": [], "other": []}
    for line in read("datasets"):
        if line["table"] == "XIV":
            more = int(line["categorical"]) > int(line["numeric"])
            groups["categorical" if more else "other"].append(line["dataset"])

    def winner(names: list[str]) -> str:
        averages = {model: mean(values[name, model] for name in names) for model in LLMS}
        top = best(averages)
        return f"{top}, {rounded(averages[top], 3)}"

    return Question(
        "llmtabbench",
        """Split the new datasets into those with more categorical than numeric features and the
        others. Which of the four in-context language models has the highest average of the mean
        ROC-AUC in each group, and how high is it, rounded to three decimals?""",
        """
        LOOP for each new dataset
            SELECT number of numeric and of categorical features
            IF categorical > numeric
                COMPUTE add the dataset to mostly_categorical
            ELSE
                COMPUTE add the dataset to others
        LOOP for each of the two groups
            LOOP for each in-context language model
                SELECT its mean ROC-AUC on the datasets of the group
                COMPUTE average
            COMPUTE winner = argmax(average)
        RETURN winner and its average for each group
        """,
        f"more categorical: {winner(groups['categorical'])}; others: {winner(groups['other'])}",
        (tables.new_suite, tables.new_datasets),
    )


ALL = (
    most_cut(),
    rare_class(),
    kinds_of_features(),
)
