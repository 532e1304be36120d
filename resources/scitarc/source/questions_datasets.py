"""Questions about results on single datasets (LLMTabBench)."""

from fractions import Fraction
from itertools import combinations

import tables_datasets as tables
from published import LLMS, best, cells, mean, read, rounded
from question import Question


def name_only() -> Question:
    (count,) = (
        line["datasets"]
        for line in read("table3")
        if (line["outcome"], line["model"]) == ("Knows name only", "GPT-4o-mini")
    )
    return Question(
        "llmtabbench",
        "Of how many of the 24 classic datasets does GPT-4o-mini know the name only?",
        """
        SELECT number of datasets with outcome Knows name only for GPT-4o-mini
        RETURN the number
        """,
        count,
        (tables.recognition,),
    )


def widest_lift() -> Question:
    accuracy = cells("table4", "dataset", "model", value="accuracy")
    datasets: dict[str, dict[str, Fraction]] = {}
    for (dataset, model), value in accuracy.items():
        datasets.setdefault(dataset, {})[model] = value
    gaps = {
        name: max(found.values()) - min(found.values())
        for name, found in datasets.items()
        if len(found) > 1
    }
    name = best(gaps)
    winner = best(datasets[name])
    return Question(
        "llmtabbench",
        """Among the datasets that were probed with more than one model, on which one do the models
        differ most in the share of cells filled in correctly (highest minus lowest), how large is
        the difference, and which model is ahead there?""",
        """
        SELECT all datasets
        LOOP for each dataset
            SELECT the models probed on it with their share of correct cells (LLM)
            IF there is more than one model
                COMPUTE difference = highest share - lowest share
        COMPUTE widest = dataset with the largest difference
        COMPUTE winner = model with the highest share on widest
        RETURN widest, its difference, winner
        """,
        f"{name}, {rounded(gaps[name], 3)}, {winner}",
        (tables.reconstruction,),
    )


def behind_the_methods() -> Question:
    values = cells("table17", "dataset", "model")
    datasets = list(dict.fromkeys(dataset for dataset, _ in values))
    behind = [
        name
        for name in datasets
        if max(values[name, m] for m in LLMS)
        < max(values[name, "FeatLLM"], values[name, "LLM-tree"])
    ]
    return Question(
        "llmtabbench",
        """On which new datasets does at least one of FeatLLM and LLM-tree have a higher mean
        ROC-AUC than every one of the four in-context language models?""",
        """
        LOOP for each new dataset
            SELECT mean ROC-AUC of the four in-context language models
            COMPUTE best_llm = max
            SELECT mean ROC-AUC of FeatLLM and LLM-tree
            COMPUTE best_method = max
            IF best_method > best_llm
                COMPUTE add the dataset to the result list
        RETURN the result list
        """,
        ", ".join(behind),
        (tables.new_datasets,),
    )


def average_rank() -> Question:
    values = cells("table17", "dataset", "model")
    datasets, methods = (list(dict.fromkeys(key[at] for key in values)) for at in (0, 1))
    ranks: dict[str, list[int]] = {method: [] for method in methods}
    for dataset in datasets:
        column = {method: values[dataset, method] for method in methods}
        assert len(set(column.values())) == len(methods), f"a tie on {dataset}"
        for method in methods:
            ranks[method].append(1 + sum(one > column[method] for one in column.values()))
    averages = {method: mean(map(Fraction, found)) for method, found in ranks.items()}
    first = best({method: -average for method, average in averages.items()})
    last = best(averages)
    return Question(
        "llmtabbench",
        """Rank all six methods on each new dataset by mean ROC-AUC, 1 being the best. Which method
        has the best average rank over the eight datasets and which one the worst, and what are
        these two average ranks, to three decimals?""",
        """
        SELECT all six methods
        LOOP for each new dataset
            SELECT mean ROC-AUC of the six methods
            COMPUTE sort the methods by ROC-AUC in descending order
            COMPUTE rank of each method = its place in the sorted list
        LOOP for each method
            COMPUTE average_rank over the eight datasets
        COMPUTE best_method = argmin(average_rank)
        COMPUTE worst_method = argmax(average_rank)
        RETURN best_method and worst_method with their average_rank
        """,
        f"{first}: {rounded(averages[first], 3)}; {last}: {rounded(averages[last], 3)}",
        (tables.new_datasets,),
    )


def tournament() -> Question:
    means = cells("table17", "dataset", "model")
    spreads = cells("table17", "dataset", "model", value="std")
    datasets, methods = (list(dict.fromkeys(key[at] for key in means)) for at in (0, 1))
    points, undecided = dict.fromkeys(methods, Fraction(0)), 0
    for dataset in datasets:
        for one, other in combinations(methods, 2):
            difference = means[dataset, one] - means[dataset, other]
            margin = max(spreads[dataset, one], spreads[dataset, other])
            if abs(difference) > margin:
                points[one if difference > 0 else other] += 1
            else:
                points[one] += Fraction(1, 2)
                points[other] += Fraction(1, 2)
                undecided += 1
    first = best(points)
    second = best({method: value for method, value in points.items() if method != first})
    return Question(
        "llmtabbench",
        """On each new dataset every one of the six methods meets every other one once. A method
        wins a point if its mean ROC-AUC is higher than the other's by more than the larger one of
        the two standard deviations; otherwise the meeting is undecided and both get half a point.
        Which methods come first and second over all eight datasets, with how many points (one
        decimal), and how many meetings are undecided?""",
        """
        SELECT all six methods
        LOOP for each method
            COMPUTE points = 0
        COMPUTE undecided = 0
        LOOP for each new dataset
            LOOP for each pair of different methods
                SELECT mean and standard deviation of the first method
                SELECT mean and standard deviation of the second method
                COMPUTE difference = mean of the first - mean of the second
                IF standard deviation of the first > standard deviation of the second
                    COMPUTE margin = standard deviation of the first
                ELSE
                    COMPUTE margin = standard deviation of the second
                IF difference > margin
                    COMPUTE add 1 to the points of the first method
                ELSE IF difference < -margin
                    COMPUTE add 1 to the points of the second method
                ELSE
                    COMPUTE add 0.5 to the points of the first method
                    COMPUTE add 0.5 to the points of the second method
                    COMPUTE increment undecided by 1
        COMPUTE sort the methods by points in descending order
        SELECT the first and the second method of the sorted list
        RETURN these two methods with their points, undecided
        """,
        f"{first}: {rounded(points[first], 1)}; {second}: {rounded(points[second], 1)}; "
        f"undecided: {undecided}",
        (tables.new_datasets,),
    )


ALL = (
    name_only(),
    widest_lift(),
    behind_the_methods(),
    average_rank(),
    tournament(),
)
