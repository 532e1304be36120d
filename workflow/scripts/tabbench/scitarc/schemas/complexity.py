"""Complexity of each question."""

from tabbench.core.frames import INT, REAL, TEXT, declare

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
