"""Tables of the LLMTabBench paper, typeset anew from its numbers; captions are our own."""

from published import LLMS, SHOTS, cells, read
from typeset import (
    BOOKTABS,
    LINES,
    NAMED_END,
    OPEN,
    bold,
    plus_minus,
    row,
    table,
    tabular,
)

GROUPS = ("All", "Classic", "New")
LEVELS = ("0", "1", "2", "3", "5", "7", "9")
REGIMES = tuple(dict.fromkeys(line["regime"] for line in read("table9")))
CONFIGURATIONS = {
    "NoCols-NoContext": ("no", "no"),
    "Cols-NoContext": ("yes", "no"),
    "NoCols-Context": ("no", "yes"),
    "Cols-Context": ("yes", "yes"),
}


def groups() -> list[str]:
    """Table II."""
    values, printed = cells("table2", "group", "model"), plus_minus("table2", "group", "model")
    shots = {line["model"]: line["k"] for line in read("table2")}
    top = {group: max(values[group, model] for model in shots) for group in GROUPS}
    body = [
        row(
            [
                model,
                k,
                *(bold(printed[g, model], values[g, model] == top[g]) for g in GROUPS),
            ]
        )
        for model, k in shots.items()
    ]
    body.insert(-1, r"\midrule")
    head = [
        r"\multirow{2}{*}{Model} & \multirow{2}{*}{Examples} & \multicolumn{3}{c}{Datasets}",
        r"\cmidrule(lr){3-5}",
        row(["", "", "All (32)", "Classic (24)", "New (8)"]),
    ]
    caption = (
        "ROC-AUC of zero-shot language models, and of TabPFN with 16 labelled examples, by "
        "group of datasets (mean $\\pm$ standard deviation over seeds)."
    )
    return table(caption, "groups", tabular("lrccc", head, body, BOOKTABS))


def context() -> list[str]:
    """Table VI."""
    printed = plus_minus("table6", "configuration", "model", form="text")
    body = [
        row([*said, *(printed[name, model] for model in LLMS)])
        for name, said in CONFIGURATIONS.items()
    ]
    head = [
        row([r"\makecell{Column\\names}", r"\makecell{Task\\description}", *LLMS]),
    ]
    caption = (
        "Zero-shot ROC-AUC on the classic datasets by what the prompt shows: names of the columns, "
        "a description of the task."
    )
    return table(caption, "context", tabular("cccccc", head, body, NAMED_END))


def _by_shots(name: str, models: tuple[str, ...], caption: str, label: str) -> list[str]:
    values, printed = cells(name, "model", "k"), plus_minus(name, "model", "k", form="small")
    top = {k: max(values[model, k] for model in models) for k in SHOTS}
    body = [
        row([model, *(bold(printed[model, k], values[model, k] == top[k]) for k in SHOTS)])
        for model in models
    ]
    head = [r" & \multicolumn{6}{c}{Labelled examples}", r"\cmidrule{2-7}", row(["Model", *SHOTS])]
    return table(caption, label, tabular("l*{6}{c}", head, body, BOOKTABS), wide=True)


def shots_classic() -> list[str]:
    """Table VII."""
    caption = "Mean ROC-AUC on the 24 classic datasets by number of labelled examples."
    return _by_shots("table7", LLMS, caption, "shots-classic")


def shots_new() -> list[str]:
    """Table XVIII."""
    caption = "Mean ROC-AUC on the 8 new datasets by number of labelled examples."
    return _by_shots("table18", (*LLMS, "FeatLLM"), caption, "shots-new")


def context_gain() -> list[str]:
    """Table VIII."""
    printed = plus_minus("table8", "model", "k")
    body = [row([k, *(printed[model, k] for model in LLMS)]) for k in SHOTS]
    head = [row(["Examples", *LLMS])]
    caption = (
        "Gain in ROC-AUC from adding column names and task description to the prompt, on the "
        "classic datasets, by number of labelled examples."
    )
    return table(caption, "context-gain", tabular("r|cccc", head, body, LINES), small=r"\small")


def regimes() -> list[str]:
    """Table IX."""
    printed = plus_minus("table9", "regime", "model", form="text")
    body = [
        row([name.replace(" + ", " $+$ "), *(printed[name, model] for model in LLMS)])
        for name in REGIMES
    ]
    body.insert(-1, r"\midrule")
    caption = (
        "ROC-AUC on LLM-synthetic data by what the prompt holds: 16 labelled examples (Few-shot), "
        "expert rules (Expert), a description of the task (Prior). TabPFN was fitted on 16 rows of "
        "the same tables as the model in its column."
    )
    lines = tabular(
        r"@{\extracolsep{\fill}}lcccc",
        [row(["Prompt", *LLMS])],
        body,
        BOOKTABS,
        r"tabular*}{\textwidth",
    )
    return table(caption, "regimes", lines, wide=True)


def mlp_grid() -> list[str]:
    """Table X."""
    values, printed = (
        cells("table10", "level", "model", "k"),
        plus_minus("table10", "level", "model", "k"),
    )
    models, shots = ("GPT-4o-mini", "Qwen3-8B", "Qwen3-14B"), ("0", "4", "16")
    columns = [(model, k) for model in models for k in shots]
    body = [
        row(
            [
                f"MLP{level}",
                *(
                    bold(
                        printed[f"MLP{level}", model, k],
                        values[f"MLP{level}", model, k]
                        == max(values[f"MLP{level}", one, each] for one, each in columns),
                    )
                    for model, k in columns
                ),
            ]
        )
        for level in LEVELS
    ]
    head = [
        row([r"\multirow{2}{*}{Level}", *(f"\\multicolumn{{3}}{{c}}{{{one}}}" for one in models)]),
        r"\cmidrule(lr){2-4}\cmidrule(lr){5-7}\cmidrule(lr){8-10}",
        row(["", *(f"{k}-shot" for _, k in columns)]),
    ]
    body.insert(0, r"% there is no MLP4, MLP6 & MLP8 \\")
    lines = tabular("l" + "c" * 9, head, body, BOOKTABS)
    caption = "ROC-AUC on synthetic datasets from random multi-layer perceptrons of rising depth."
    return table(caption, "mlp-grid", [r"\resizebox{\textwidth}{!}{%", *lines, "}"], wide=True)


def modes() -> list[str]:
    """Table XI."""
    body: list[str] = []
    for at, line in enumerate(read("table11")):
        means = (f"${line[mode]} \\pm {line[f'{mode}_std']}$" for mode in ("generation", "forward"))
        first = f"\\multirow{{2}}{{*}}{{{line['model']}}}" if at % 2 == 0 else ""
        body.append(row([first, line["k"], *means]))
        if at in (1, 3):
            body.append(r"\addlinespace[2pt]")
    caption = (
        "Mean ROC-AUC of two ways to read a model's answer: from the text that it generates, and "
        "from label probabilities in one forward pass ($\\pm$ over datasets)."
    )
    head = [row(["Model", "Examples", "Generation", "Forward"])]
    return table(caption, "modes", tabular("lrcc", head, body, BOOKTABS), caption_below=True)


def mlp_levels() -> list[str]:
    """Table XV."""
    body = [
        row([line["level"], line["layers"], line["features"], line["hidden"] or "--"])
        for line in read("table15")
    ]
    head = [row(["Level", "Layers", "Features", r"\makecell{Hidden\\size}"])]
    caption = "Random multi-layer perceptrons behind the synthetic datasets."
    return table(caption, "mlp-levels", tabular("lccc", head, body, OPEN))


def intrinsic_dimension() -> list[str]:
    """Table XVI."""
    body = [
        row([line["level"].lower().replace("-", ""), line["value"]]) for line in read("table16")
    ]
    head = [row(["Dataset", "Intrinsic dim."])]
    caption = "Intrinsic dimension of the synthetic datasets, averaged over seeds."
    return table(caption, "intrinsic", tabular("|c|c|", head, body, LINES))
