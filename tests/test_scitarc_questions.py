"""The question set of our own: it is what its source makes, it fits the package, it is right."""

import re
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from tabbench.scitarc.complexity import METRICS, complexity_frame
from tabbench.scitarc.dataset import read_questions
from tabbench.scitarc.demonstrations import read_demonstrations
from tabbench.scitarc.latex import parse_grids
from tabbench.scitarc.latex_text import plain_text
from tabbench.scitarc.matcher import match
from tabbench.scitarc.plans import format_plan, parse_plan
from tabbench.scitarc.programs import run_program
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.requests import execution_asks

FOLDER = Path(__file__).parents[1] / "resources/scitarc"
QUESTIONS = read_questions(FOLDER / "questions.json").questions
SHOWN = read_demonstrations(FOLDER / "demonstrations.json", QUESTIONS, "language")
ASKED = QUESTIONS[: -len(SHOWN)]
BANDS = ((0, 5), (6, 10), (11, 14), (15, 99))
LLMS = ("GPT-4o-mini", "Qwen3-1.7B", "Qwen3-8B", "Qwen3-14B")


def test_the_committed_files_are_what_their_source_makes(tmp_path):
    subprocess.run([sys.executable, FOLDER / "source/make.py", tmp_path], check=True)
    for name in ("questions.json", "demonstrations.json"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), (
            f"{name}: run python resources/scitarc/source/make.py"
        )


def test_there_are_enough_questions_and_all_can_be_asked():
    assert read_questions(FOLDER / "questions.json").faults == ()
    assert len(ASKED) >= 24
    assert len({one.question for one in QUESTIONS}) == len(QUESTIONS)
    assert {one.paper for one in ASKED} == {"llmtabbench", "scitarc"}
    asks = execution_asks(ASKED, Condition("gold", "language"))
    assert len(asks.asks) == len(ASKED)


def test_the_readme_counts_them():
    text = " ".join((FOLDER / "README.md").read_text().split())
    tables = [sum(len(one.relevant_tables) == count for one in ASKED) for count in (1, 2, 3)]
    lines = [len(one.plan.splitlines()) for one in ASKED]
    parts = [sum(low <= n <= high for n in lines) for low, high in BANDS]
    assert "{} need one table, {} two and {} three tables".format(*tables) in text
    said = "{} plans have up to 5 lines, {} have 6 to 10, {} have 11 to 14, and {} have 15 to"
    assert f"{said.format(*parts)} {max(lines)}." in text
    assert f"{len(QUESTIONS)} questions of our own" in text


def test_questions_read_like_questions():
    for one in QUESTIONS:
        assert re.fullmatch(r'[A-Z][^\n]*[?."]', one.question), one.question
        assert "?" in one.question
        assert "  " not in one.question
        assert one.answer == one.answer.strip()


def test_plans_are_plans():
    operations = set()
    for one in QUESTIONS:
        tree = parse_plan(one.plan)
        assert parse_plan(format_plan(tree)) == tree
        operations |= set(re.findall(r"^ *(SELECT|COMPUTE|IF|ELSE|LOOP|RETURN)", one.plan, re.M))
    assert operations == {"SELECT", "COMPUTE", "IF", "ELSE", "LOOP", "RETURN"}


def test_metrics_span_the_range_of_the_papers_examples():
    frame = complexity_frame(ASKED, len, "characters")
    assert (frame["latex_fault"] == "").all()
    assert frame[list(METRICS)].notna().all().all()
    assert set(frame["s_tab"]) == {1, 2, 3}
    low, high = frame[list(METRICS)].min(), frame[list(METRICS)].max()
    assert low["l_plan"] <= 4
    assert 18 <= high["l_plan"] <= 27
    assert low["c_flow"] == 0
    assert high["c_flow"] >= 10
    assert (high / low.clip(lower=1)).drop("s_tab").ge(5).all()
    # Some tables are what the released counter stumbles over.
    assert (frame["s_cell"] != frame["s_cell_released"]).sum() >= 5
    assert (frame["s_cell"] == frame["s_cell_released"]).sum() >= 5


@pytest.mark.parametrize(
    "piece",
    [
        *(r"\toprule", r"\hline", r"\cmidrule(lr)", r"\cline", r"\addlinespace[2pt]"),
        *(r"\multicolumn{", r"\multirow{", r"\makecell{", r"\textbf{", r"\texttt{", r"\emph{"),
        *(r"\%", r"\&", r"\_", r"\pm", "\n%", r"\\%", r"\tabularnewline", r"\resizebox{"),
        *("{tabularx}", "{tabular*}", "{table*}", r"\footnotesize", r"*{6}{c}", "|c|"),
    ],
)
def test_tables_are_written_in_many_manners(piece):
    assert any(piece in table for one in ASKED for table in one.relevant_tables)


def test_some_last_rows_have_no_end():
    tables = {table for one in ASKED for table in one.relevant_tables}
    assert sum(bool(re.search(r"[^\\}]\n\\end\{tabular", table)) for table in tables) >= 3


def test_an_answer_matches_itself_and_no_other():
    for one in QUESTIONS:
        assert match(one.answer, one.answer).score == 1
        assert match(one.answer, f"The answer is {one.answer}.").score == 1
        others = [other for other in QUESTIONS if other is not one]
        assert [x.row for x in others if match(one.answer, x.answer).score == 1] == [], one.row


def test_demonstrations_are_held_out_and_their_code_prints_the_answer():
    assert len(SHOWN) >= 2
    condition = Condition("gold", "language", shots=len(SHOWN))
    asks = execution_asks(QUESTIONS, condition, demonstrations=SHOWN)
    assert [ask.row for ask in asks.asks] == [one.row for one in ASKED]
    coded = read_demonstrations(FOLDER / "demonstrations.json", QUESTIONS, "code")
    assert coded
    for one in coded:
        run = run_program(f"```python\n{one.trace}\n```", "process")
        assert (run.status, run.answer) == ("ok", one.question.answer)
    numbers = [
        (number, one.trace)
        for one in SHOWN
        for number in re.findall(r"\d+\.\d+", one.question.answer)
    ]
    assert numbers
    assert all(number in trace for number, trace in numbers)


# The answers once more, from the tables as they are typeset.


def read(start):
    """Rows of words of each table of the question that begins so, and its answer."""
    (found,) = (one for one in QUESTIONS if one.question.startswith(start))
    tables = []
    for latex in found.relevant_tables:
        (grid,) = parse_grids(latex)
        tables.append([[plain_text(cell) for cell in row] for row in grid.to_rows()])
    return tables, found.answer


def number(text):
    return Decimal(text.split("±")[0].strip(" %"))


def spread(text):
    return Decimal(text.split("±")[1])


def by_name(rows, head=0):
    """Cells by the first cell of their row and the head of their column."""
    return {
        (row[0], name): cell
        for row in rows[head + 1 :]
        for name, cell in zip(rows[head][1:], row[1:], strict=True)
    }


def test_look_up_in_a_table_with_an_open_end():
    (rows,), answer = read("Of how many of the 24")
    assert by_name(rows)["Knows name only", "GPT-4o-mini"] == answer
    assert rows[-1][0] == "Not recognized"


def test_difference_on_the_leaderboard():
    (rows,), answer = read("By how many percentage points does")
    judged = {row[1]: row[4] for row in rows}
    assert str(Decimal(judged["Kimi-K2-Thinking"]) - Decimal(judged["Kimi-K2"])) == answer
    assert len([row for row in rows if row[2] in ("CoT", "PoT")]) == 25


def test_smallest_share_of_rows():
    (rows,), answer = read("Of which dataset is the smallest share")
    shares = {row[0]: Decimal(row[1]) / Decimal(row[2]) for row in rows[2:]}
    name = min(shares, key=shares.get)
    assert f"{name}, {100 * shares[name]:.1f}%" == answer


def test_gains_of_column_names():
    (rows,), answer = read("Averaged over the four models, how much ROC-AUC")
    values = {(row[0], row[1]): [number(cell) for cell in row[2:]] for row in rows[1:]}
    gains = [
        sum(a - b for a, b in zip(values["yes", text], values["no", text], strict=True)) / 4
        for text in ("no", "yes")
    ]
    said = [gain.quantize(Decimal("0.001"), ROUND_HALF_UP) for gain in gains]
    assert f"{said[0]} without a description, {said[1]} with one" == answer


def test_widest_gaps_of_the_groups():
    (rows,), answer = read("Which of the proprietary models and which")
    parts, group = {}, ""
    for row in rows[1:]:
        if row[0] == row[1]:
            group = row[0].split(" models")[0].lower()
        else:
            parts.setdefault(group, {})[row[1]] = Decimal(row[4]) - Decimal(row[5])
    tops = {name: max(gaps, key=gaps.get) for name, gaps in parts.items()}
    said = [f"{name}: {top}, {parts[name][top]}" for name, top in tops.items()]
    assert "; ".join(said) == answer


def test_where_forward_is_ahead():
    (rows,), answer = read("For which model and which number of labelled examples does the for")
    ahead = [row for row in rows[1:] if number(row[3]) > number(row[2])]
    assert [
        f"{model} with {k} examples, {number(forward) - number(generated)}"
        for model, k, generated, forward in ahead
    ] == [answer]


def test_dimension_per_feature():
    (levels, dimensions), answer = read("Going from the easiest to the hardest level, at")
    found = [
        (level[0], Decimal(dimension[1]) / Decimal(level[2]))
        for level, dimension in zip(levels[1:], dimensions[1:], strict=True)
    ]
    name, ratio = next(one for one in found if one[1] < Decimal("0.8"))
    assert f"{name}, {ratio:.3f}" == answer


def test_widest_reconstruction():
    (rows,), answer = read("Among the datasets that were probed")
    probed = {}
    for dataset, model, share, *_ in rows[1:]:
        probed.setdefault(dataset, {})[model] = Decimal(share)
    assert len(probed["diabetes"]) == 3
    gaps = {name: max(of.values()) - min(of.values()) for name, of in probed.items() if len(of) > 1}
    name = max(gaps, key=gaps.get)
    assert f"{name}, {gaps[name]}, {max(probed[name], key=probed[name].get)}" == answer


def test_full_prompt_against_examples():
    (full, gains), answer = read("One table gives ROC-AUC with the full prompt")
    values, gained = by_name(full, head=1), by_name(gains)
    parts = []
    for model in LLMS:
        zero = number(values[model, "0"])
        enough = [
            k for k in full[1][1:] if number(values[model, k]) - number(gained[k, model]) > zero
        ]
        parts.append(f"{model}: {enough[0]}")
    assert "; ".join(parts) == answer


def test_overtaken_rows():
    (board, planned), answer = read("How many rows of the leaderboard")
    judged = [Decimal(row[4]) for row in board if row[2] in ("CoT", "PoT")]
    parts = [
        f"{row[0]}: {sum(Decimal(row[1]) < one < Decimal(row[3]) for one in judged)}"
        for row in planned[2:]
    ]
    assert "; ".join(parts) == answer


def test_beyond_tabpfn():
    (groups, *tables), answer = read("For each of the four language models, what is")
    limits = [number(next(row for row in groups if row[0] == "TabPFN")[at]) for at in (3, 4)]
    parts = []
    for model in LLMS:
        firsts = []
        for rows, limit in zip(tables, limits, strict=True):
            values = by_name(rows, head=1)
            above = [k for k in rows[1][1:] if number(values[model, k]) > limit]
            firsts.append(above[0] if above else "never")
        parts.append(f"{model}: {' and '.join(firsts)}")
    assert "; ".join(parts) == answer


def test_rare_classes():
    tables, answer = read("The rarer class of a dataset")
    rare = [{row[0]: min(number(row[5]), 100 - number(row[5])) for row in t[2:]} for t in tables]
    assert [len(found) for found in rare] == [12, 12, 8]
    counts = [sum(value < 20 for value in found.values()) for found in rare]
    every = {**rare[0], **rare[1], **rare[2]}
    name = min(every, key=every.get)
    assert answer == (
        f"{counts[0]} in the first half, {counts[1]} in the second half, {counts[2]} in the new "
        f"suite; {name}, {every[name]}%"
    )


def test_stopping_rule():
    tables, answer = read("A user starts with 0 labelled examples")
    stops = {}
    for model in LLMS:
        for rows in tables:
            values = by_name(rows, head=1)
            stop = "0"
            for fewer, more in pairwise(rows[1][1:]):
                if number(values[model, more]) - number(values[model, fewer]) < Decimal("0.010"):
                    break
                stop = more
            stops.setdefault(model, []).append(stop)
    same = " and ".join(model for model, (one, other) in stops.items() if one == other)
    parts = "; ".join(f"{model}: {' and '.join(pair)}" for model, pair in stops.items())
    assert f"{parts}; the same for {same}" == answer


def test_clear_drops():
    (rows,), answer = read("Going from one level to the next harder one")
    models, rises = {}, 0
    for column in range(1, 10):
        for easier, harder in pairwise([row[column] for row in rows[2:]]):
            change = number(harder) - number(easier)
            limit = spread(harder) + spread(easier)
            models[rows[0][column]] = models.get(rows[0][column], 0) + (-change > limit)
            rises += change > limit
    parts = "; ".join(f"{model}: {drops}" for model, drops in models.items())
    assert f"{parts}; fewest: {min(models, key=models.get)}; clear rises: {rises}" == answer


def test_tournament():
    (rows,), answer = read("On each new dataset every one")
    methods = rows[1][1:]
    points, undecided = dict.fromkeys(methods, 0.0), 0
    for row in rows[2:]:
        cells = dict(zip(methods, row[1:], strict=True))
        for one, other in combinations(methods, 2):
            difference = number(cells[one]) - number(cells[other])
            if abs(difference) <= max(spread(cells[one]), spread(cells[other])):
                undecided += 1
                points[one] += 0.5
                points[other] += 0.5
            else:
                points[one if difference > 0 else other] += 1
    first, second = sorted(points, key=points.get, reverse=True)[:2]
    said = f"{first}: {points[first]:.1f}; {second}: {points[second]:.1f}; undecided: {undecided}"
    assert said == answer
