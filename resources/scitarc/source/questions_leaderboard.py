"""Questions about the leaderboard (SciTaRC)."""

from fractions import Fraction
from itertools import combinations

import tables_scitarc as tables
from published import best, mean, read, rounded
from question import Question

BOARD = read("scitarc_table2")
JUDGE = {(line["model"], line["method"]): Fraction(line["llm_judge"]) for line in BOARD}


def _billions(line: dict[str, str]) -> int:
    return int(line["size"].removesuffix("B"))


def thinking() -> Question:
    difference = JUDGE["Kimi-K2-Thinking", "CoT"] - JUDGE["Kimi-K2", "CoT"]
    return Question(
        "scitarc",
        """By how many percentage points does the judged accuracy of Kimi-K2-Thinking exceed that of
        Kimi-K2?""",
        """
        SELECT judged accuracy of Kimi-K2-Thinking
        SELECT judged accuracy of Kimi-K2
        COMPUTE difference
        RETURN difference
        """,
        rounded(difference, 1),
        (tables.leaderboard,),
    )


def words_or_code() -> Question:
    average = {
        method: mean(value for (_, one), value in JUDGE.items() if one == method)
        for method in ("CoT", "PoT")
    }
    both = [model for model, method in JUDGE if method == "PoT" and (model, "CoT") in JUDGE]
    (model,) = both
    drop = JUDGE[model, "CoT"] - JUDGE[model, "PoT"]
    return Question(
        "scitarc",
        """What is the average judged accuracy of the rows with PoT and of the rows with CoT, each
        rounded to one decimal? Which model is listed with both methods, and how many percentage
        points lower is its judged accuracy with PoT than with CoT?""",
        """
        SELECT judged accuracy of all rows with method PoT
        COMPUTE average_pot
        SELECT judged accuracy of all rows with method CoT
        COMPUTE average_cot
        SELECT the model that has a row with PoT and a row with CoT
        COMPUTE drop = its accuracy with CoT - its accuracy with PoT
        RETURN average_pot, average_cot, the model, drop
        """,
        f"PoT: {rounded(average['PoT'], 1)}; CoT: {rounded(average['CoT'], 1)}; "
        f"{model}, {rounded(drop, 1)}",
        (tables.leaderboard,),
    )


def judge_against_match() -> Question:
    gaps: dict[str, dict[str, Fraction]] = {}
    for line in BOARD:
        found = gaps.setdefault(line["access"], {})
        name = f"{line['model']} {line['method']}"
        found[name] = Fraction(line["llm_judge"]) - Fraction(line["em"])
    tops = {access: best(found) for access, found in gaps.items()}
    parts = [
        f"{access}: {name.rsplit(' ', 1)[0]}, {rounded(gaps[access][name], 1)}"
        for access, name in tops.items()
    ]
    return Question(
        "scitarc",
        """Which of the proprietary models and which of the open-weights models has the largest gap
        between judged accuracy and exact match, and how large is the gap of each of the two in
        percentage points?""",
        """
        LOOP for each group (proprietary models, open-weights models)
          SELECT judged accuracy and exact match of all models of the group
          COMPUTE gap = judged accuracy - exact match
          COMPUTE widest = model with the largest gap
        RETURN widest and its gap for each group
        """,
        "; ".join(parts),
        (tables.leaderboard,),
    )


def two_orders() -> Question:
    group = [line for line in BOARD if line["access"] == "proprietary"]
    signs = []
    for one, other in combinations(group, 2):
        judged, matched = (
            Fraction(one[name]) - Fraction(other[name]) for name in ("llm_judge", "em")
        )
        signs.append(judged * matched)
    swapped, tied = sum(sign < 0 for sign in signs), sum(sign == 0 for sign in signs)
    return Question(
        "scitarc",
        """Look at all pairs of proprietary models. In how many of these pairs is one model ahead by
        judged accuracy while the other one is ahead by exact match, how many pairs are there in
        all, and in how many of them are the two models tied in one of the two measures?""",
        """
        SELECT judged accuracy and exact match of all proprietary models
        LOOP for each pair of different models
            COMPUTE increment pairs by 1
            COMPUTE judged = difference of their judged accuracies
            COMPUTE matched = difference of their exact matches, in the same order
            IF judged = 0 or matched = 0
                COMPUTE increment tied by 1
            ELSE IF judged and matched have different signs
                COMPUTE increment swapped by 1
        RETURN swapped, pairs, tied
        """,
        f"{swapped} of {len(signs)} pairs; tied: {tied}",
        (tables.leaderboard,),
    )


def bigger_is_worse() -> Question:
    group = [line for line in BOARD if line["access"] == "open weights" and line["method"] == "CoT"]
    worse = [
        (small["family"], small["model"], large["model"])
        for small in group
        for large in group
        if small["family"] == large["family"]
        and _billions(small) < _billions(large)
        and Fraction(small["llm_judge"]) > Fraction(large["llm_judge"])
    ]
    ((family, small, large),) = worse
    return Question(
        "scitarc",
        """Compare open-weights models with CoT of the same family. In which family does a smaller
        model have a higher judged accuracy than a larger one, and which two models are these (the
        smaller one first)?""",
        """
        SELECT open-weights models with method CoT
        LOOP for each family
            SELECT models of this family with their sizes
            IF the family has more than one model
                LOOP for each pair of models of different size
                    SELECT judged accuracy of the smaller and of the larger model
                    IF accuracy of the smaller model > accuracy of the larger model
                        COMPUTE add the family and the two models to the result list
        RETURN the result list
        """,
        f"{family}; {small} over {large}",
        (tables.leaderboard,),
    )


def overtaken() -> Question:
    parts = []
    for line in read("scitarc_table4"):
        direct, oracle = Fraction(line["direct"]), Fraction(line["oracle"])
        parts.append(f"{line['model']}: {sum(direct < value < oracle for value in JUDGE.values())}")
    return Question(
        "scitarc",
        """How many rows of the leaderboard does each of the four models of the planning ablation
        overtake thanks to the gold plan? A row is overtaken if its judged accuracy lies strictly
        between the Direct and the Oracle accuracy of the model.""",
        """
        SELECT judged accuracy of all rows of the leaderboard
        LOOP for each model of the planning ablation
            SELECT its Direct accuracy
            SELECT its Oracle accuracy
            COMPUTE overtaken = 0
            LOOP for each row of the leaderboard
                IF Direct accuracy < judged accuracy of the row
                    IF judged accuracy of the row < Oracle accuracy
                        COMPUTE increment overtaken by 1
            COMPUTE add the model with overtaken to the result list
        RETURN the result list
        """,
        "; ".join(parts),
        (tables.leaderboard, tables.planning),
    )


ALL = (
    thinking(),
    words_or_code(),
    judge_against_match(),
    two_orders(),
    bigger_is_worse(),
    overtaken(),
)
