"""Tables about datasets of the LLMTabBench paper, typeset anew; captions are our own."""

from published import cells, read
from typeset import (
    BOOKTABS,
    LINES,
    OPEN,
    bold,
    escaped,
    plus_minus,
    row,
    signed,
    table,
    tabular,
    typewriter,
)


def recognition() -> list[str]:
    """Table III."""
    counts = {(line["outcome"], line["model"]): line["datasets"] for line in read("table3")}
    outcomes, models = (dict.fromkeys(key[at] for key in counts) for at in (0, 1))
    body = [row([one, *(counts[one, model] for model in models)]) for one in outcomes]
    caption = "What each model recognises of the 24 classic datasets (number of datasets)."
    head = [row(["Outcome", *models])]
    return table(caption, "recognition", tabular("l|rrr", head, body, OPEN), caption_below=True)


def reconstruction() -> list[str]:
    """Table IV."""
    body: list[str] = []
    lines = read("table4")
    for dataset in dict.fromkeys(line["dataset"] for line in lines):
        probed = [line for line in lines if line["dataset"] == dataset]
        name = typewriter(dataset)
        first = f"\\multirow{{{len(probed)}}}{{*}}{{{name}}}" if len(probed) > 1 else name
        for at, line in enumerate(probed):
            values = (line["model"], line["accuracy"], line["random"], signed(line["lift"]))
            body.append(row([first if at == 0 else "", *values]))
        if len(probed) > 1:
            body.append(r"\cline{1-5}")
    body.insert(0, "% datasets probed with several models have one row per model & share a name")
    caption = (
        "Share of masked cells that a model fills in correctly (LLM), share that random guessing "
        "gets right (Random), and lift = LLM $-$ Random."
    )
    head = [row(["Dataset", "Model", "LLM", "Random", "Lift"])]
    return table(caption, "reconstruction", tabular("|l|l|c|c|r|", head, body, LINES))


def new_datasets() -> list[str]:
    """Table XVII."""
    values, printed = (
        cells("table17", "dataset", "model"),
        plus_minus("table17", "dataset", "model", form="text"),
    )
    datasets, models = (tuple(dict.fromkeys(key[at] for key in values)) for at in (0, 1))
    body = [
        row(
            [
                typewriter(name),
                *(
                    bold(
                        printed[name, model],
                        values[name, model] == max(values[name, one] for one in models),
                    )
                    for model in models
                ),
            ]
        )
        for name in datasets
    ]
    head = [
        row(
            [
                r"\multirow{2}{*}{Dataset}",
                r"\multicolumn{4}{c|}{In-context language models}",
                r"\multicolumn{2}{c}{LLM-based \& tabular methods}",
            ]
        ),
        row(["", *models]),
    ]
    caption = "Zero-shot ROC-AUC on each of the 8 new datasets; best of a row in bold."
    lines = tabular("l|cccc|cc", head, body, LINES)
    return table(caption, "new-datasets", lines, wide=True, small=r"\footnotesize")


def _datasets(number: str, caption: str, label: str, begin: str) -> list[str]:
    chosen = [line for line in read("datasets") if line["table"] == number]
    columns = ("rows", "original_rows", "numeric", "categorical", "positive_percent")
    body = [
        row(
            [
                typewriter(line["dataset"]),
                *(line[column] for column in columns[:4]),
                f"{line['positive_percent']}\\%",
                escaped(f"{line['source']} & {line['licence']}"),
            ]
        )
        for line in chosen
    ]
    head = [
        r"\multirow{2}{*}{Dataset} & \multicolumn{2}{c}{Rows} & \multicolumn{2}{c}{Features}"
        r" & \multirow{2}{*}{Positive} & \multirow{2}{*}{Source \& licence}",
        r"\cmidrule(lr){2-3}\cmidrule(lr){4-5}",
        row(["", "used", "published", "numeric", "categorical", "", ""]),
    ]
    last = "X" if begin.startswith("tabularx") else "l"
    lines = tabular(f"lrrrrr{last}", head, body, BOOKTABS, begin)
    return table(caption, label, lines, wide=True)


def core_one() -> list[str]:
    """Table XII."""
    return _datasets(
        "XII", "Core suite, first half: rows, features, share of positives.", "core-1", "tabular"
    )


def core_two() -> list[str]:
    """Table XIII."""
    return _datasets(
        "XIII",
        "Core suite, second half: rows, features, share of positives.",
        "core-2",
        r"tabularx}{\textwidth",
    )


def new_suite() -> list[str]:
    """Table XIV."""
    return _datasets(
        "XIV", "New suite: rows, features, share of positives.", "new-suite", "tabular"
    )
