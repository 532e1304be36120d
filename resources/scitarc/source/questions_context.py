"""Questions about prompts: columns, description, expert rules (LLMTabBench)."""

import tables_llmtabbench as tables
from published import LLMS, SHOTS, best, cells, mean, rounded
from question import Question

FEW, EXPERT, PRIOR = "Few-shot (16)", "Expert", "Prior"
REGIMES = tables.REGIMES[:-1]


def column_names() -> Question:
    values = cells("table6", "configuration", "model")

    def gain(context: str) -> str:
        named, unnamed = f"Cols-{context}", f"NoCols-{context}"
        return rounded(mean(values[named, m] - values[unnamed, m] for m in LLMS), 3)

    return Question(
        "llmtabbench",
        """Averaged over the four models, how much ROC-AUC do column names add when the prompt has
        no task description, and how much when it has one? Round both to three decimals.""",
        """
        SELECT ROC-AUC of all models with no task description, with and without column names
        COMPUTE gain_without = average over models of (with names - without names)
        SELECT ROC-AUC of all models with a task description, with and without column names
        COMPUTE gain_with = average over models of (with names - without names)
        RETURN gain_without, gain_with
        """,
        f"{gain('NoContext')} without a description, {gain('Context')} with one",
        (tables.context,),
    )


def richest_prompt() -> Question:
    values = cells("table6", "configuration", "model")
    tops = {
        model: best({name: values[name, model] for name in tables.CONFIGURATIONS}) for model in LLMS
    }
    ((model, name),) = ((m, name) for m, name in tops.items() if name != "Cols-Context")
    assert name == "Cols-NoContext"
    value = rounded(values[name, model], 3)
    return Question(
        "llmtabbench",
        """For one model the prompt with both column names and task description is not the best of
        the four prompts. Which model is it, what does its best prompt show instead, and what
        ROC-AUC does it reach with that prompt?""",
        """
        LOOP for each model
          SELECT ROC-AUC with each of the four prompts
          COMPUTE best_prompt = argmax of ROC-AUC
          IF best_prompt is not the one with column names and task description
            COMPUTE remember the model, best_prompt and its ROC-AUC
        RETURN the remembered model, prompt and ROC-AUC
        """,
        f"{model}, column names only, {value}",
        (tables.context,),
    )


def context_worth_it() -> Question:
    means = cells("table8", "model", "k")
    spreads = cells("table8", "model", "k", value="std")
    clear = [key for key in means if means[key] > spreads[key]]
    (shots,) = {k for _, k in clear}
    return Question(
        "llmtabbench",
        """In how many of the table's 24 entries is the mean gain larger than its own standard
        deviation, and which number of labelled examples do all these entries have in common?""",
        """
        SELECT all entries: mean gain and standard deviation
        LOOP for each model
            LOOP for each number of labelled examples
                IF mean gain > standard deviation
                    COMPUTE increment count by 1
                    COMPUTE add the number of examples to example_counts
        RETURN count, example_counts
        """,
        f"{len(clear)} entries, all with {shots} examples",
        (tables.context_gain,),
    )


def gain_that_stays() -> Question:
    means = cells("table8", "model", "k")
    kept = {model: means[model, "64"] / means[model, "0"] for model in LLMS}
    name = best(kept)
    return Question(
        "llmtabbench",
        """Which model keeps the largest share of its zero-shot context gain when it sees 64
        labelled examples, and how large is that share in percent, rounded to one decimal?""",
        """
        LOOP for each model
            SELECT mean gain with 0 examples
            SELECT mean gain with 64 examples
            COMPUTE share = gain with 64 examples / gain with 0 examples
        COMPUTE best_model = argmax(share)
        RETURN best_model, its share in percent
        """,
        f"{name}, {rounded(100 * kept[name], 1)}%",
        (tables.context_gain,),
    )


def context_against_examples() -> Question:
    full, gains = cells("table7", "model", "k"), cells("table8", "model", "k")
    poor = {key: full[key] - gains[key] for key in full}
    firsts = {}
    for model in LLMS:
        enough = [k for k in SHOTS if poor[model, k] > full[model, "0"]]
        firsts[model] = enough[0]
    return Question(
        "llmtabbench",
        """One table gives ROC-AUC with the full prompt (column names and task description) on the
        classic datasets, the other one how much of it is gained over a prompt without both. For
        each of the four models, what is the smallest number of labelled examples with which the
        prompt without both has a higher mean ROC-AUC than the full prompt with 0 examples?""",
        """
        LOOP for each model
            SELECT zero_shot = ROC-AUC of the full prompt with 0 examples
            LOOP for each number of examples in descending order
                SELECT ROC-AUC of the full prompt with this number of examples
                SELECT gain of the full prompt with this number of examples
                COMPUTE poor = ROC-AUC - gain
                IF poor > zero_shot
                    COMPUTE first = this number of examples
            COMPUTE add model and first to the result list
        RETURN the result list
        """,
        "; ".join(f"{model}: {first}" for model, first in firsts.items()),
        (tables.shots_classic, tables.context_gain),
    )


def widest_regime() -> Question:
    values = cells("table9", "regime", "model")
    spread = {
        name: max(values[name, m] for m in LLMS) - min(values[name, m] for m in LLMS)
        for name in REGIMES
    }
    name = best(spread)
    return Question(
        "llmtabbench",
        """Leaving TabPFN out, with which prompt do the four language models differ most, measured
        as the highest minus the lowest mean ROC-AUC, and how large is that difference?""",
        """
        SELECT all prompts except TabPFN
        LOOP for each prompt
            SELECT mean ROC-AUC of the four models
            COMPUTE spread = max - min
        COMPUTE widest = argmax(spread)
        RETURN widest, its spread
        """,
        f"{name}, {rounded(spread[name], 3)}",
        (tables.regimes,),
    )


def examples_that_hurt() -> Question:
    values = cells("table9", "regime", "model")
    pairs = {
        EXPERT: f"{FEW} + expert",
        PRIOR: f"{FEW} + prior",
        "Expert + prior": f"{FEW} + expert + prior",
    }
    losses = {
        (model, base): values[base, model] - values[more, model]
        for model in LLMS
        for base, more in pairs.items()
        if values[more, model] < values[base, model]
    }
    assert {base for _, base in losses} == {"Expert + prior"}
    parts = "; ".join(f"{model}: {rounded(loss, 3)}" for (model, _), loss in losses.items())
    return Question(
        "llmtabbench",
        """Compare each prompt without labelled examples (Expert, Prior, Expert + prior) with the
        same prompt plus 16 labelled examples. Which models lose mean ROC-AUC when the examples are
        added to at least one of the three prompts, and how much does each of them lose there?""",
        """
        SELECT the prompts Expert, Prior, Expert + prior
        LOOP for each model
            LOOP for each of the three prompts
                SELECT mean ROC-AUC of the prompt
                SELECT mean ROC-AUC of Few-shot (16) + the prompt
                COMPUTE change = with examples - without examples
                IF change < 0
                    COMPUTE loss = -change
                    COMPUTE add the model with its loss to the result list
        RETURN the result list
        """,
        parts,
        (tables.regimes,),
    )


def all_or_none() -> Question:
    values = cells("table9", "regime", "model")
    wins = {
        name: sum(values[name, model] > values["TabPFN (16)", model] for model in LLMS)
        for name in REGIMES
    }
    everyone = [name for name, count in wins.items() if count == len(LLMS)]
    nobody = [name for name, count in wins.items() if count == 0]
    return Question(
        "llmtabbench",
        """With which prompts do all four language models exceed the mean ROC-AUC of the TabPFN in
        their own column, and with which prompts does none of them? A tie does not count as
        exceeding.""",
        """
        SELECT mean ROC-AUC of TabPFN in each model's column
        LOOP for each prompt except TabPFN
            COMPUTE wins = 0
            LOOP for each model
                SELECT mean ROC-AUC of the model with this prompt
                IF it is greater than the TabPFN of this column
                    COMPUTE increment wins by 1
            IF wins = 4
                COMPUTE add the prompt to list_all
            ELSE IF wins = 0
                COMPUTE add the prompt to list_none
        RETURN list_all, list_none
        """,
        f"all: {', '.join(everyone)}; none: {', '.join(nobody)}",
        (tables.regimes,),
    )


ALL = (
    column_names(),
    richest_prompt(),
    context_worth_it(),
    gain_that_stays(),
    context_against_examples(),
    widest_regime(),
    examples_that_hurt(),
    all_or_none(),
)
