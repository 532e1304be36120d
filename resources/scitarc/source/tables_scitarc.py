"""Tables of the SciTaRC paper, typeset anew from its numbers; captions are our own."""

from published import read
from typeset import BOOKTABS, LINES, NAMED_END, OPEN, bold, escaped, row, signed, table, tabular

METRICS = {
    "l_plan": r"$L_{plan}$",
    "i_retr": r"$I_{retr}$",
    "i_calc": r"$I_{calc}$",
    "c_flow": r"$C_{flow}$",
    "s_tab": r"$S_{tab}$",
    "s_cell": r"$S_{cell}$",
}


def statistics() -> list[str]:
    """Table 1."""
    lines = {line["metric"]: line for line in read("scitarc_table1")}
    body = [
        row([symbol, lines[name]["mean"], lines[name]["max"]]) for name, symbol in METRICS.items()
    ]
    caption = "Complexity of the 371 questions: mean and maximum of six metrics."
    head = [row(["Metric", "Mean", "Max"])]
    return table(caption, "statistics", tabular("lrr", head, body, OPEN))


def leaderboard() -> list[str]:
    """Table 2."""
    rows = read("scitarc_table2")
    body: list[str] = []
    for access, title in (("proprietary", "Proprietary"), ("open weights", "Open weights")):
        group = [line for line in rows if line["access"] == access]
        top = {name: max(float(line[name]) for line in group) for name in ("llm_judge", "em")}
        body += [r"\midrule"] if body else []
        # The comment after the row's end is one of the things that a reader of LaTeX must bear.
        body += [f"\\multicolumn{{6}}{{l}}{{\\emph{{{title} models}}}} \\\\% {len(group)} rows"]
        body += [r"\midrule"]
        for line in group:
            scores = (bold(line[name], float(line[name]) == top[name]) for name in top)
            names = (line["family"], escaped(line["model"]), line["method"], line["size"] or "--")
            body.append(row([*names, *scores]))
    head = [row(["Family", "Model", "Method", "Size", r"Judge (\%)", r"EM (\%)"])]
    caption = (
        "Zero-shot accuracy on 371 questions, by an LLM judge and by exact match (EM); best of "
        "each group in bold. CoT: chain of thought, PoT: program of thought."
    )
    lines = tabular("lllrrr", head, body, BOOKTABS)
    return table(caption, "leaderboard", lines, wide=True)


def planning() -> list[str]:
    """Table 4."""
    body = []
    for line in read("scitarc_table4"):
        accuracies = (line[name] for name in ("direct", "auto", "oracle"))
        changes = (line[name] for name in ("delta_auto", "delta_max", "delta_plan"))
        body.append(row([line["model"], *accuracies, *map(signed, changes)]))
    head = [
        r"\multirow{2}{*}{Model} & \multicolumn{3}{c}{Accuracy (\%)} & "
        r"\multicolumn{3}{c}{Change (points)}",
        r"\cmidrule(lr){2-4} \cmidrule(lr){5-7}",
        row(
            ["", "Direct", "Auto", "Oracle"]
            + [f"$\\Delta_{{{name}}}$" for name in ("Auto", "Max", "Plan")]
        ),
    ]
    caption = (
        "Accuracy without a plan (Direct), with the model's own plan (Auto) and with the gold plan "
        "(Oracle). $\\Delta_{Auto}$ = Auto $-$ Direct, $\\Delta_{Max}$ = Oracle $-$ Direct, "
        "$\\Delta_{Plan}$ = Oracle $-$ Auto, as the paper prints them."
    )
    return table(caption, "planning", tabular("lcccccc", head, body, BOOKTABS), caption_below=True)


def few_shot() -> list[str]:
    """Table 11."""
    names = ("zs_direct", "fs_direct", "fs_oracle", "fs_oracle_errors", "regressions")
    body = [
        row([escaped(line["model"]), *(line[name] for name in names)])
        for line in read("scitarc_table11")
    ]
    head = [
        r" & \multicolumn{3}{c}{Accuracy (\%)} & \multicolumn{2}{c}{FS-Oracle errors}",
        r"\cmidrule(lr){2-4}\cmidrule(lr){5-6}",
        row(["Model", "ZS-Direct", "FS-Direct", "FS-Oracle", "Total", "Regressions"]),
    ]
    caption = (
        "Two-shot ablation on 369 questions: no demonstrations (ZS-Direct), two demonstrations "
        "(FS-Direct), two demonstrations \\& the gold plan (FS-Oracle). Regressions are those "
        "FS-Oracle errors that were right under ZS-Direct."
    )
    return table(caption, "few-shot", tabular("lccccc", head, body, NAMED_END))


def examples() -> list[str]:
    """The metrics printed under the examples of Tables 6 and 7."""
    body = [
        row([f"``{line['example']}''", *(line[name] for name in METRICS)])
        for line in read("scitarc_tables6_7")
    ]
    head = [row(["Example", *METRICS.values()])]
    caption = "Complexity metrics of the five printed example questions."
    return table(caption, "examples", tabular("|l|cccc|cc|", head, body, LINES))
