"""The plan language and what is counted of it: the paper's printed values, and round trips."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scitarc_examples import PLANS

from tabbench.scitarc.complexity import plan_complexity
from tabbench.scitarc.plans import If, Loop, PlanError, Step, format_plan, parse_plan

ROOT = Path(__file__).parents[1]
PRINTED = pd.read_csv(ROOT / "resources/paper/scitarc_tables6_7.csv").set_index("example")


@pytest.mark.parametrize("example", PLANS)
def test_the_metrics_are_those_printed_under_the_examples(example):
    counted = plan_complexity(PLANS[example])
    for metric in ("l_plan", "i_retr", "i_calc", "c_flow"):
        assert getattr(counted, metric) == PRINTED.loc[example, metric], metric


def test_every_printed_example_is_typed_in():
    assert set(PLANS) == set(PRINTED.index)


@pytest.mark.parametrize("example", PLANS)
@pytest.mark.parametrize("indent", [" ", "  ", "   ", "\t", "        "])
def test_the_examples_survive_a_round_trip_at_any_width(example, indent):
    tree = parse_plan(PLANS[example])
    again = format_plan(tree, indent)
    assert parse_plan(again) == tree
    assert plan_complexity(again) == plan_complexity(PLANS[example])


TEXTS = st.text("abc XYZ=<>_'\"0129%.,()", min_size=1).map(str.strip).filter(bool)
STEPS = st.builds(Step, st.sampled_from(["SELECT", "COMPUTE", "RETURN"]), TEXTS)


def blocks(nodes):
    return st.lists(nodes, min_size=1, max_size=3).map(tuple)


NODES = st.recursive(
    STEPS,
    lambda nodes: st.one_of(
        st.builds(Loop, TEXTS, blocks(nodes)),
        st.builds(If, TEXTS, blocks(nodes), st.one_of(st.just(()), blocks(nodes))),
    ),
    max_leaves=12,
)
TREES = blocks(NODES).map(lambda tree: (*tree, Step("RETURN", "it")))


@given(TREES, st.sampled_from([" ", "  ", "    ", "       ", "\t", "\t\t"]))
def test_a_written_tree_is_read_back(tree, indent):
    assert parse_plan(format_plan(tree, indent)) == tree


def depth(block):
    found = 0
    for node in block:
        if isinstance(node, Loop):
            found = max(found, 1 + depth(node.body))
        elif isinstance(node, If):
            chained = len(node.otherwise) == 1 and isinstance(node.otherwise[0], If)
            below = depth(node.otherwise) if chained else 1 + depth(node.otherwise)
            found = max(found, 1 + depth(node.body), below if node.otherwise else 0)
    return found


def count(block, kind):
    found = 0
    for node in block:
        found += kind(node)
        if not isinstance(node, Step):
            found += count(node.body, kind)
        if isinstance(node, If):
            found += count(node.otherwise, kind)
    return found


def chained(block):
    """ELSE IFs, which the released counter does not count as IF."""
    return count(
        block,
        lambda node: (
            isinstance(node, If) and len(node.otherwise) == 1 and isinstance(node.otherwise[0], If)
        ),
    )


@given(TREES, st.integers(1, 9))
def test_lines_count_what_the_tree_holds(tree, width):
    counted = plan_complexity(format_plan(tree, " " * width))
    assert counted.n_loop == count(tree, lambda node: isinstance(node, Loop))
    assert counted.n_if == count(tree, lambda node: isinstance(node, If)) - chained(tree)
    assert counted.i_calc == count(tree, lambda node: getattr(node, "operation", "") == "COMPUTE")
    assert counted.d_max == depth(tree)


def test_else_and_else_if_make_branches():
    tree = parse_plan("IF a\n  RETURN x\nELSE IF b\n  RETURN y\nELSE:\n  RETURN z\n")
    assert tree == (
        If("a", (Step("RETURN", "x"),), (If("b", (Step("RETURN", "y"),), (Step("RETURN", "z"),)),)),
    )


def test_keywords_may_be_lower_case_and_lines_blank():
    assert parse_plan("\nloop for each x\n\n  select y\nReturn y") == (
        Loop("for each x", (Step("SELECT", "y"),)),
        Step("RETURN", "y"),
    )


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("", "line 1: the plan is empty"),
        ("SELECT a\nFIND b\nRETURN b", "line 2: 'FIND b' begins with none"),
        ("SELECT a\n  COMPUTE b\nRETURN b", "line 2: indented, but the line above opens no block"),
        ("  SELECT a\nRETURN a", "line 1: indented, but"),
        ("LOOP x\n  SELECT a\n   SELECT b\nRETURN b", "line 3: indented by '   '"),
        ("LOOP x\n  SELECT a\n\tSELECT b\nRETURN b", "line 3: indented by"),
        ("LOOP x\n  SELECT a\n      SELECT b\nRETURN b", "line 3: indented, but"),
        ("LOOP x\nRETURN b", "line 1: LOOP holds no indented line"),
        ("LOOP x\n  IF y\nRETURN b", "line 2: IF holds no indented line"),
        ("SELECT a\nELSE\n  SELECT b\nRETURN b", "line 2: ELSE without an IF"),
        ("IF a\n  SELECT b\nELSE COMPUTE c\nRETURN b", "line 3: ELSE stands alone"),
        ("SELECT a\n\nCOMPUTE b\n", "line 3: the plan ends without RETURN"),
        ("SELECTED a\nRETURN b", "line 1: 'SELECTED a' begins with none"),
    ],
)
def test_errors_name_the_line(plan, message):
    with pytest.raises(PlanError) as error:
        parse_plan(plan)
    assert str(error.value).startswith(message)


@given(st.text("SELCTIFOPREUN \n\tab:", max_size=80))
def test_any_text_is_a_plan_or_a_plan_error(text):
    try:
        tree = parse_plan(text)
    except PlanError as error:
        assert str(error).startswith("line ")
    else:
        assert parse_plan(format_plan(tree)) == tree


def test_released_conventions_of_odd_plans():
    assert plan_complexity("").l_plan == 0
    ragged = plan_complexity("LOOP a\n   SELECT b\n     IF c\n        COMPUTE d\nRETURN e")
    assert ragged.d_max == 2  # 8 // 3
    assert ragged.i_retr == 2
    below_a_step = plan_complexity("SELECT a\n  from b\nRETURN c")
    assert (below_a_step.l_plan, below_a_step.d_max, below_a_step.c_flow) == (3, 1, 1)


def test_a_plan_returns_something_but_not_always_last():
    assert parse_plan("RETURN a\nCOMPUTE b") == (Step("RETURN", "a"), Step("COMPUTE", "b"))
    assert parse_plan("IF a\n  RETURN b\nELSE\n  COMPUTE c")
