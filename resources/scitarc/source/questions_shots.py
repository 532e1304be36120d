"""Questions about labelled examples (LLMTabBench)."""

from fractions import Fraction
from itertools import pairwise

import tables_llmtabbench as tables
from published import LLMS, SHOTS, cells, read, rounded
from question import Question


def a_step_down() -> Question:
    values = cells("table7", "model", "k")
    ((model, fewer, more),) = (
        (model, fewer, more)
        for model in LLMS
        for fewer, more in pairwise(SHOTS)
        if values[model, more] < values[model, fewer]
    )
    return Question(
        "llmtabbench",
        """For which model does the mean ROC-AUC on the classic datasets fall from one number of
        labelled examples to the next, and between which two numbers?""",
        """
        LOOP for each model
            SELECT mean ROC-AUC for all numbers of examples in ascending order
            LOOP for each pair of neighbouring numbers of examples
                COMPUTE change = ROC-AUC with more examples - ROC-AUC with fewer examples
                IF change < 0
                    COMPUTE add the model and the two numbers of examples to the result list
        RETURN the result list
        """,
        f"{model}, from {fewer} to {more} examples",
        (tables.shots_classic,),
    )


def gain_on_new_data() -> Question:
    classic, new = cells("table7", "model", "k"), cells("table18", "model", "k")
    pairs = [(model, k) for model in LLMS for k in SHOTS[1:]]

    def gain(values: dict[tuple[str, ...], Fraction], model: str, k: str) -> Fraction:
        return values[model, k] - values[model, "0"]

    more = [pair for pair in pairs if gain(new, *pair) > gain(classic, *pair)]
    return Question(
        "llmtabbench",
        """Take the models that stand in both tables and all numbers of labelled examples above 0.
        In how many combinations of model and number of examples is the gain in mean ROC-AUC over 0
        examples larger on the new datasets than on the classic ones? Give the count and the total
        number of combinations.""",
        """
        SELECT models that are in both tables
        LOOP for each model
            SELECT classic_zero and new_zero, mean ROC-AUC with 0 examples in each table
            LOOP for each number of examples above 0
                SELECT classic_k and new_k, mean ROC-AUC in each table
                COMPUTE gain_classic = classic_k - classic_zero
                COMPUTE gain_new = new_k - new_zero
                COMPUTE increment total by 1
                IF gain_new > gain_classic
                    COMPUTE increment count by 1
        RETURN count, total
        """,
        f"{len(more)} of {len(pairs)}",
        (tables.shots_classic, tables.shots_new),
    )


def overtaking_tabpfn() -> Question:
    fitted = cells("table2", "group", "model")
    values = {"Classic": cells("table7", "model", "k"), "New": cells("table18", "model", "k")}

    def first(group: str, model: str) -> str:
        above = (k for k in SHOTS if values[group][model, k] > fitted[group, "TabPFN"])
        return next(above, "never")

    parts = [f"{model}: {first('Classic', model)} and {first('New', model)}" for model in LLMS]
    return Question(
        "llmtabbench",
        """For each of the four language models, what is the smallest number of labelled examples
        with which it has a strictly higher mean ROC-AUC than TabPFN with 16 examples, first on the
        classic and then on the new datasets? Write "never" where no number in the tables is
        enough.""",
        """
        SELECT classic_limit = ROC-AUC of TabPFN on the classic datasets
        SELECT new_limit = ROC-AUC of TabPFN on the new datasets
        SELECT language models that are in all three tables
        LOOP for each language model
            COMPUTE first_classic = never
            COMPUTE first_new = never
            LOOP for each number of examples in descending order
                SELECT its mean ROC-AUC on the classic datasets
                SELECT its mean ROC-AUC on the new datasets
                IF ROC-AUC on the classic datasets > classic_limit
                    COMPUTE first_classic = this number of examples
                IF ROC-AUC on the new datasets > new_limit
                    COMPUTE first_new = this number of examples
            COMPUTE add the model with first_classic and first_new to the result list
        RETURN the result list
        """,
        "; ".join(parts),
        (tables.groups, tables.shots_classic, tables.shots_new),
    )


def stopping_rule() -> Question:
    least = Fraction("0.010")
    tops = {"classic": cells("table7", "model", "k"), "new": cells("table18", "model", "k")}

    def stop(values: dict[tuple[str, ...], Fraction], model: str) -> str:
        for fewer, more in pairwise(SHOTS):
            if values[model, more] - values[model, fewer] < least:
                return fewer
        return SHOTS[-1]

    stops = {model: [stop(tops[name], model) for name in tops] for model in LLMS}
    same = [model for model, (classic, new) in stops.items() if classic == new]
    parts = [f"{model}: {classic} and {new}" for model, (classic, new) in stops.items()]
    return Question(
        "llmtabbench",
        """A user starts with 0 labelled examples and goes on to the next number in the table as
        long as that step raises the mean ROC-AUC by at least 0.010; she stops before the first step
        that does not. At which number of examples does she stop for each of the four language
        models, first on the classic and then on the new datasets, and for which models is it the
        same number on both?""",
        """
        SELECT language models that are in both tables
        LOOP for each language model
            LOOP for each of the two tables
                COMPUTE stop = 0
                COMPUTE going_on = true
                SELECT mean ROC-AUC of the model for all numbers of examples in ascending order
                LOOP for each pair of neighbouring numbers of examples
                    COMPUTE step = ROC-AUC with more examples - ROC-AUC with fewer examples
                    IF going_on = true
                        IF step >= 0.010
                            COMPUTE stop = the larger number of examples
                        ELSE
                            COMPUTE going_on = false
                COMPUTE remember stop for this model and table
            IF stop on the classic datasets = stop on the new datasets
                COMPUTE add the model to same_list
        RETURN stop of each model on the classic and the new datasets, same_list
        """,
        f"{'; '.join(parts)}; the same for {' and '.join(same)}",
        (tables.shots_classic, tables.shots_new),
    )


def forward_ahead() -> Question:
    ahead = [
        (line["model"], line["k"], Fraction(line["forward"]) - Fraction(line["generation"]))
        for line in read("table11")
        if Fraction(line["forward"]) > Fraction(line["generation"])
    ]
    ((model, k, difference),) = ahead
    return Question(
        "llmtabbench",
        """For which model and which number of labelled examples does the forward pass reach a
        higher mean ROC-AUC than generation, and by how much?""",
        """
        LOOP for each model and number of examples
            SELECT mean ROC-AUC of Generation and of Forward
            COMPUTE difference = Forward - Generation
            IF difference > 0
                COMPUTE remember the model, the number of examples and the difference
        RETURN what was remembered
        """,
        f"{model} with {k} examples, {rounded(difference, 4)}",
        (tables.modes,),
    )


ALL = (
    a_step_down(),
    gain_on_new_data(),
    overtaking_tabpfn(),
    stopping_rule(),
    forward_ahead(),
)
