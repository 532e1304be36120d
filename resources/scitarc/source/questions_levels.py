"""Questions about the complexity grid (LLMTabBench)."""

from fractions import Fraction
from itertools import pairwise

import tables_llmtabbench as tables
from published import best, cells, mean, rounded
from question import Question

MODELS = ("GPT-4o-mini", "Qwen3-8B", "Qwen3-14B")


def dimension_per_feature() -> Question:
    features = cells("table15", "level", value="features")
    dimension = cells("table16", "level", value="value")
    ratios = {level: dimension[level,] / features[level,] for (level,) in features}
    first = next(level for level, ratio in ratios.items() if ratio < Fraction("0.8"))
    return Question(
        "llmtabbench",
        """Going from the easiest to the hardest level, at which level does the intrinsic dimension
        first fall below 80% of the number of features, and what is the ratio of the two there,
        rounded to three decimals?""",
        """
        LOOP for each level from the easiest to the hardest
            SELECT number of features
            SELECT intrinsic dimension
            COMPUTE ratio = intrinsic dimension / number of features
            IF ratio < 0.8
                RETURN this level, its ratio
        """,
        f"{first}, {rounded(ratios[first], 3)}",
        (tables.mlp_levels, tables.intrinsic_dimension),
    )


def examples_do_not_help() -> Question:
    values = cells("table10", "level", "model", "k")
    levels = [f"MLP{level}" for level in tables.LEVELS]
    without = {
        model: [at for at in levels if values[at, model, "16"] <= values[at, model, "0"]]
        for model in MODELS
    }
    (model,) = (model for model, found in without.items() if found)
    return Question(
        "llmtabbench",
        """Which model has levels at which its mean ROC-AUC with 16 examples is not above that with
        0 examples, and which levels are these?""",
        """
        LOOP for each model
            COMPUTE level_list = empty
            LOOP for each level
                SELECT mean ROC-AUC of the model with 0 and with 16 examples
                IF ROC-AUC with 16 examples <= ROC-AUC with 0 examples
                    COMPUTE add the level to level_list
            IF level_list is not empty
                COMPUTE remember the model with its level_list
        RETURN what was remembered
        """,
        f"{model}: {', '.join(without[model])}",
        (tables.mlp_grid,),
    )


def deep_levels() -> Question:
    values = cells("table10", "level", "model", "k")
    layers = cells("table15", "level", value="layers")
    dimension = cells("table16", "level", value="value")
    gains = {}
    for (level,), count in layers.items():
        if count > 3:
            name = level.replace("-", "")
            gains[level] = mean(values[name, m, "16"] - values[name, m, "0"] for m in MODELS)
    top = best(gains)
    return Question(
        "llmtabbench",
        """Consider only the levels whose networks have more than 3 layers. At which of them is the
        gain in mean ROC-AUC from 0 to 16 examples, averaged over the three models, largest? Give
        the level, the averaged gain rounded to three decimals, and the intrinsic dimension of its
        datasets.""",
        """
        SELECT levels with more than 3 layers
        LOOP for each of these levels
            LOOP for each model
                SELECT mean ROC-AUC with 0 examples
                SELECT mean ROC-AUC with 16 examples
                COMPUTE gain = ROC-AUC with 16 examples - ROC-AUC with 0 examples
            COMPUTE average_gain over the models
        COMPUTE top = argmax(average_gain)
        SELECT intrinsic dimension of top
        RETURN top, its average_gain, its intrinsic dimension
        """,
        f"{top}, {rounded(gains[top], 3)}, {rounded(dimension[top,], 4)}",
        (tables.mlp_levels, tables.mlp_grid, tables.intrinsic_dimension),
    )


def clear_drops() -> Question:
    means = cells("table10", "level", "model", "k")
    spreads = cells("table10", "level", "model", "k", value="std")
    levels = [f"MLP{level}" for level in tables.LEVELS]
    drops, rises = dict.fromkeys(MODELS, 0), 0
    for model in MODELS:
        for k in ("0", "4", "16"):
            for easier, harder in pairwise(levels):
                change = means[harder, model, k] - means[easier, model, k]
                limit = spreads[harder, model, k] + spreads[easier, model, k]
                drops[model] += change < -limit
                rises += change > limit
    fewest = best({model: Fraction(-count) for model, count in drops.items()})
    parts = "; ".join(f"{model}: {count}" for model, count in drops.items())
    return Question(
        "llmtabbench",
        """Going from one level to the next harder one, call a change of mean ROC-AUC clear if it is
        larger in size than the sum of the two standard deviations. Counting over 0, 4 and 16
        examples and all pairs of neighbouring levels, how many clear drops does each model have,
        which model has the fewest, and how many clear rises are there over all models?""",
        """
        SELECT all levels in order of difficulty
        COMPUTE rises = 0
        COMPUTE fewest_drops = infinity
        LOOP for each model
            COMPUTE drops = 0
            LOOP for each number of examples (0, 4, 16)
                LOOP for each pair of neighbouring levels
                    SELECT mean and standard deviation at the easier level
                    SELECT mean and standard deviation at the harder level
                    COMPUTE change = mean at the harder level - mean at the easier level
                    COMPUTE limit = sum of the two standard deviations
                    IF change < -limit
                        COMPUTE increment drops by 1
                    ELSE IF change > limit
                        COMPUTE increment rises by 1
            COMPUTE remember drops of this model
            IF drops < fewest_drops
                COMPUTE fewest_drops = drops
                COMPUTE fewest_model = this model
        RETURN drops of each model, fewest_model, rises
        """,
        f"{parts}; fewest: {fewest}; clear rises: {rises}",
        (tables.mlp_grid,),
    )


ALL = (
    dimension_per_feature(),
    examples_do_not_help(),
    deep_levels(),
    clear_drops(),
)
