"""Declared columns of SciTaRC's files and of its published tables."""

import pyarrow as pa

from tabbench.schemas import FLAG, INT, REAL, TEXT, declare

_ASKED = (
    ("plan_mode", TEXT, "none, self or gold"),
    ("execution", TEXT, "language or code"),
    ("shots", INT, "demonstrations shown"),
    ("row", INT, "question, by its place in the file from 0"),
)
SCITARC_QUESTIONS = declare(
    "scitarc_questions",
    ("row", INT, "place in the file, from 0"),
    ("paper", TEXT, "paper that the tables are from"),
    ("question", TEXT, "question"),
    ("answer", TEXT, "gold answer; null when there is none"),
    ("plan", TEXT, "gold plan; null when there is none"),
    ("relevant_tables", pa.list_(TEXT), "LaTeX of the tables needed"),
    ("asked", FLAG, "whether models are asked"),
)
SCITARC_DEMONSTRATIONS = declare(
    "scitarc_demonstrations",
    *((column.name, column.type, column.meaning) for column in SCITARC_QUESTIONS.columns[:-1]),
    ("language", TEXT, "reasoning in words"),
    ("code", TEXT, "program that prints the answer"),
)
SCITARC_RESPONSES = declare(
    "scitarc_responses",
    ("model", TEXT, "model id"),
    *_ASKED,
    ("plan", TEXT, "plan in the prompt, of the data or of the model; null in direct inference"),
    ("plan_status", TEXT, 'whole, cut or empty of the model\'s own plan; "" without one'),
    ("prompt", TEXT, "prompt, word for word"),
    ("response", TEXT, "what the model wrote"),
    ("ended", FLAG, "false where the response was cut at the most tokens allowed"),
    ("prompt_tokens", INT, "tokens read"),
    ("completion_tokens", INT, "tokens written"),
    ("seconds", REAL, "wall-clock time"),
)
SCITARC_ANSWERS = declare(
    "scitarc_answers",
    ("model", TEXT, "model id"),
    *_ASKED,
    ("prediction", TEXT, "answer found in the response; null when there is none"),
    ("released", TEXT, "what the released code takes instead; null when a program gave none"),
    ("source", TEXT, "form of the answer (language) or status of the program (code)"),
    ("message", TEXT, 'why a program gave no answer, or ""'),
    ("response", TEXT, "what the model wrote"),
    ("ended", FLAG, "false where the response was cut at the most tokens allowed"),
)
SCITARC_COMPLEXITY = declare(
    "scitarc_complexity",
    ("row", INT, "question, by its place in the file from 0"),
    ("s_tab", INT, "tables needed"),
    ("s_cell_released", INT, "cells by the released counter, quirks included"),
    ("s_cell", REAL, "cells of the grids as LaTeX sets them; NaN where latex_fault says why"),
    ("latex_fault", TEXT, 'what is wrong with the LaTeX, a table without a grid included, or ""'),
    ("s_tok", INT, "tokens of the tables"),
    ("tokenizer", TEXT, "whose tokens s_tok counts"),
    ("l_plan", REAL, "lines of the plan; this and the next are NaN without a plan"),
    ("i_retr", REAL, "SELECT and IF lines"),
    ("i_calc", REAL, "COMPUTE lines"),
    ("c_flow", REAL, "n_loop + n_if + d_max"),
    ("n_loop", REAL, "LOOP lines"),
    ("n_if", REAL, "IF lines"),
    ("d_max", REAL, "deepest nesting"),
    ("plan_fault", TEXT, 'where the plan leaves the plan language, or ""'),
)
SCITARC_SCORES = declare(
    "scitarc_scores",
    ("model", TEXT, "model id"),
    *_ASKED,
    ("gold", TEXT, "gold answer"),
    ("prediction", TEXT, "answer found in the response; null when there is none"),
    ("source", TEXT, "form of the answer (language) or status of the program (code)"),
    ("judge", TEXT, "who gave the verdict: matcher, or a model id"),
    ("status", TEXT, "correct, partly correct, wrong, no answer or judge failed"),
    ("score", REAL, "1, 0.5 or 0; null when the judge failed"),
    ("correct", FLAG, "score is 1; null when the judge failed"),
    ("reasoning", TEXT, "the judge's, or the matcher's; what a failed judge said last"),
    ("asked", INT, "times a model was asked for the verdict; 0: matcher, or no answer"),
    ("exact_match", FLAG, "what the released code takes is the gold answer but for blanks around"),
    ("exact_match_normalised", FLAG, "equal once LaTeX, Markdown, case and dashes are folded"),
)
SCITARC_TABLE_1 = declare(
    "scitarc_table_1",
    ("metric", TEXT, "complexity metric; s_cell by the released counter"),
    ("mean", REAL, "over the paper's 371 questions"),
    ("max", REAL, "largest"),
)
SCITARC_TABLE_2 = declare(
    "scitarc_table_2",
    ("model", TEXT, "name in the paper"),
    ("method", TEXT, "CoT or PoT"),
    ("size", TEXT, 'parameters, or "" where the paper prints a dash'),
    ("llm_judge", REAL, "accuracy, percent"),
    ("em", REAL, "exact match, percent"),
    open=True,
)
SCITARC_TABLE_4 = declare(
    "scitarc_table_4",
    ("model", TEXT, "short name in the paper"),
    ("direct", REAL, "accuracy without a plan, percent"),
    ("auto", REAL, "with the model's own plan"),
    ("oracle", REAL, "with the gold plan"),
    open=True,
)
SCITARC_TABLE_11 = declare(
    "scitarc_table_11",
    ("model", TEXT, "short name in the paper"),
    ("zs_direct", REAL, "accuracy without demonstrations and plan, percent"),
    ("fs_direct", REAL, "with two demonstrations"),
    ("fs_oracle", REAL, "with two demonstrations and the gold plan"),
    open=True,
)
