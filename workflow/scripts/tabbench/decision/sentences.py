"""What the decision page says: from the evidence to sentences, never more than its tests allow.

Every number in a sentence stands in a table of ``schemas.decision``. A difference is called one
where its p-value, by Holm within its comparison, is below `LEVEL`; else both sides "cannot be told
apart".
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tabbench.core.schemas import decision as schema
from tabbench.decision.phrases import (
    about,
    bracket,
    digits,
    duration,
    labels,
    p_text,
    sentence,
    series,
    signed,
    when,
    with_labels,
)
from tabbench.reporting.writer import plural
from tabbench.statistics.multiplicity import LEVEL

READING = (
    "ROC-AUC is the chance that a row of class 1 gets a higher score than a row of class 0: 0.5 is "
    "guessing, 1 is without a mistake. Brackets hold intervals over test rows and draws of "
    "labelled examples: 95 %, and of a difference the wider one at which it is judged among all "
    "comparisons of its kind (Holm), so that it leaves out 0 exactly where the two can be told "
    "apart."
)
_UNRANKED = {
    schema.NO_ANSWERS: "no test row has a valid answer under every draw of examples",
    schema.ONE_CLASS: "the test rows with a valid answer are all of one class",
}
WHY = {
    **_UNRANKED,
    schema.OK: "",
    schema.ONE_ROW: "a class has a single row, so there is no interval",
    schema.ONE_GROUP: "a class lies in a single group of rows, so there is no interval",
    schema.CONSTANT: "every row got the same probability",
    schema.PERFECT: "no two rows are in the wrong order, so there is no interval",
    schema.SAME_RANKS: "both rank the rows alike",
    schema.NO_TEST: "a difference without any variance cannot be tested",
    schema.MORE_DRAWS: "more draws of examples are needed, not more rows",
    schema.NO_LABELLED_ROWS: "no labelled row was asked that is not in the prompt",
    schema.TOO_FEW_ROWS: "too few labelled rows",
    schema.NONE_FLAGGED: "no row reaches the threshold in some draw",
    schema.WITHIN: "",
    schema.BEFORE_FIRST: "better from the fewest labels on",
    schema.NOT_WITHIN: "not better with the labels there are",
    schema.UNDEFINED: "too few numbers of labels, or no rows, to compare",
}
"""What a table of evidence says by its status."""
CHANCE = 0.5
"""ROC-AUC of guessing."""
BETTER, WORSE, EQUAL = "better", "worse", "equal"


@dataclass(frozen=True)
class Evidence:
    """The tables of ``schemas.decision`` on one dataset, and the names of what they compare.

    Attributes
    ----------
    models, baselines : display name by id, in the configured order
    """

    curves: pd.DataFrame
    differences: pd.DataFrame
    crossings: pd.DataFrame
    power: pd.DataFrame
    context_effects: pd.DataFrame
    reliability_bins: pd.DataFrame
    calibrations: pd.DataFrame
    thresholds: pd.DataFrame
    costs: pd.DataFrame
    models: Mapping[str, str]
    baselines: Mapping[str, str]

    def name(self, one: str) -> str:
        return {**self.models, **self.baselines}[one]

    def points(self, model: str) -> list[Any]:
        """A model's points of the learning curve, fewest labels first."""
        curves = self.curves
        line = curves[(curves["model"] == model) & (curves["kind"] == "model")]
        return each(line.sort_values("k"))

    def ranked(self, model: str) -> list[Any]:
        """Those that have a ROC-AUC."""
        return [point for point in self.points(model) if not math.isnan(point.roc_auc)]

    def compared(self, comparison: str, model: str) -> pd.DataFrame:
        """A model's differences of one kind, as far as they are defined."""
        rows = self.differences
        mine = (rows["comparison"] == comparison) & (rows["model"] == model)
        return rows[mine & rows["difference"].notna()].sort_values("k")


@dataclass(frozen=True)
class Contest:
    """A model, at its best number of examples, against the best baseline.

    Attributes
    ----------
    pair : row of ``schemas.DIFFERENCES``
    outcome : what it allows to say of the model: better, worse or equal (not told apart)
    among : number of baselines that the best was chosen from
    """

    pair: Any
    outcome: str
    among: int


def each(frame: pd.DataFrame) -> list[Any]:
    """Return the rows as named tuples."""
    return list(frame.itertuples())


def outcome(pair: Any) -> str:
    """Return what a row of ``schemas.DIFFERENCES`` allows to say of its model."""
    if not pair.p_holm < LEVEL:  # NaN as well
        return EQUAL
    return BETTER if pair.difference > 0 else WORSE


def beats_guessing(point: Any) -> bool:
    """Whether a row of ``schemas.CURVES`` is better than random ranking.

    The test knows nothing of other draws of examples; the interval, where there is one, does.
    """
    return bool(point.p_chance_holm < LEVEL and not point.roc_auc_low <= CHANCE)


def contest(evidence: Evidence, model: str) -> Contest | None:
    """Compare with the best baseline, on all labels or else on the most that both have had.

    Returns
    -------
    Contest or None
        None where there is no baseline to compare with.
    """
    pairs = evidence.compared(schema.ALL_LABELS, model)
    if pairs.empty:
        pairs = evidence.compared(schema.SAME_LABELS, model)
        pairs = pairs[pairs["k"] == pairs["k"].max()]
    if pairs.empty:
        return None
    best = _best(each(pairs)).reference
    pair = max(each(pairs[pairs["reference"] == best]), key=lambda one: float(one.roc_auc))
    return Contest(pair, outcome(pair), pairs["reference"].nunique())


def _best(pairs: Sequence[Any]) -> Any:
    """The pair with the best baseline."""
    return max(pairs, key=lambda pair: float(pair.reference_roc_auc))


def _best_with_the_same_labels(evidence: Evidence, model: str) -> list[Any]:
    """For each number of labels the pair with the baseline that is best with as many."""
    pairs = each(evidence.compared(schema.SAME_LABELS, model))
    shots = dict.fromkeys(pair.k for pair in pairs)
    return [_best([pair for pair in pairs if pair.k == k]) for k in shots]


def leading(evidence: Evidence) -> str | None:
    """Return the model with the highest ROC-AUC at any number of labels; None without one."""
    best = {
        model: max(point.roc_auc for point in points)
        for model in evidence.models
        if (points := evidence.ranked(model))
    }
    return max(best, key=lambda model: best[model], default=None)


def headline(evidence: Evidence) -> tuple[str, str]:
    """Return the answer: a word or a few, and the sentences that say why."""
    model = leading(evidence)
    if model is None:
        return "Not answered.", sentence(_unranked(evidence))
    found, points = contest(evidence, model), evidence.ranked(model)
    few = _few_labels(evidence, model)
    if not any(map(beats_guessing, points)):
        word = "No." if found and found.outcome == WORSE else "Not on this evidence."
    elif found is None:
        word = "Not decided: there is no baseline to compare with."
    else:
        word = {
            BETTER: "Yes.",
            WORSE: "Only while labels are few." if few else "No.",
            EQUAL: "Perhaps.",
        }[found.outcome]
    name = evidence.name(model)
    count = len(evidence.models)
    subject = name if count == 1 else f"{name}, the best of {count} models here,"
    why = f"{when(points[0])}, {subject} {_verdict(points[0])}: {_value(points[0])}."
    return word, f"{why} {sentence(_with_labels(evidence, found))}" if found else why


def _few_labels(evidence: Evidence, model: str) -> bool:
    """Whether tests speak for the model with few labels: alone without any, or on the same ones."""
    first = evidence.ranked(model)[0]
    if any(outcome(pair) == BETTER for pair in _best_with_the_same_labels(evidence, model)):
        return True
    return first.k == 0 and beats_guessing(first)


def answers(evidence: Evidence) -> dict[str, tuple[str, ...]]:
    """Return for each model, by its display name, what the evidence says of it."""
    return {
        name: tuple(
            sentence(text)
            for text in (
                *_levels(evidence, model),
                *_examples(evidence, model),
                *_same_labels(evidence, model),
                *_all_labels(evidence, model),
                *_crossings(evidence, model),
                *_models(evidence, model),
                *_costs(evidence, model),
                *_left_out(evidence, model),
            )
        )
        for model, name in evidence.models.items()
    }


def _levels(evidence: Evidence, model: str) -> Iterable[str]:
    points = evidence.points(model)
    if not points:
        yield "no answers: it was not asked"
    by_verdict: dict[str, list[str]] = {}
    for point in points:
        by_verdict.setdefault(_verdict(point), []).append(f"{with_labels(point.k)} {_value(point)}")
    for verdict, told in by_verdict.items():
        yield f"it {verdict}: {series(told)}"
    if any(point.k and point.draws == 1 for point in points):
        yield (
            "one draw of labelled examples was tried, so the intervals say nothing of how much "
            "other examples would change"
        )


def _verdict(point: Any) -> str:
    """What a point of the learning curve allows to say of a model."""
    if math.isnan(point.roc_auc):
        return "cannot be scored"
    if point.status == schema.CONSTANT:
        return "ranks nothing"
    if beats_guessing(point):
        return "is better than guessing"
    if point.roc_auc_high < CHANCE:
        return "ranks the rows the wrong way round"
    return "cannot be told from guessing"


def _value(point: Any) -> str:
    if math.isnan(point.roc_auc) or point.status == schema.CONSTANT:
        return f"{WHY[point.status]} ({plural(point.n, 'test row')})"
    text = f"ROC-AUC {_auc(point)} on {plural(point.n, 'test row')}"
    if point.roc_auc_low > CHANCE and not beats_guessing(point):
        return f"{text} ({p_text(point.p_chance_holm)} among all points of the learning curves)"
    return text


def _examples(evidence: Evidence, model: str) -> Iterable[str]:
    pairs = each(evidence.compared(schema.EXAMPLES, model))
    if pairs:
        listed = series(f"{labels(pair.k)} {_change(pair)}" for pair in pairs)
        yield f"compared with none, examples in the prompt change the ROC-AUC: {listed}"


def _same_labels(evidence: Evidence, model: str) -> Iterable[str]:
    best = _best_with_the_same_labels(evidence, model)
    if best:
        listed = series(
            f"{with_labels(pair.k)} {_change(pair, f' to {evidence.name(pair.reference)}')}"
            for pair in best
        )
        yield f"difference to the best baseline with the same labels: {listed}"


def _all_labels(evidence: Evidence, model: str) -> Iterable[str]:
    found = contest(evidence, model)
    if found and found.pair.reference_full:
        yield _with_labels(evidence, found)


def _with_labels(evidence: Evidence, found: Contest) -> str:
    """The best baseline against the model, where it overtakes, and whether rows were enough."""
    pair = found.pair
    baseline = evidence.name(pair.reference)
    best = f", the best of {found.among} baselines," if found.among > 1 else ""
    on = f"all {pair.reference_k:,}" if pair.reference_full else f"the same {pair.reference_k:,}"
    fitted = f"{baseline}{best} fitted on {on} labels"
    own = f"with {labels(pair.k)} in the prompt" if pair.k else "without labels"
    if found.outcome == WORSE:
        size = f"{digits(-pair.difference)}{bracket((-pair.high, -pair.low, False))}"
        return (
            f"{fitted} is better by {size} than the model {own}, its best"
            f"{_overtakes(evidence, pair)}"
        )
    if found.outcome == BETTER:
        size = f"{digits(pair.difference)}{bracket((pair.low, pair.high, False))}"
        return f"the model {own} is better by {size} than {fitted}"
    return (
        f"{own} the model and {fitted} cannot be told apart on these {plural(pair.n, 'row')} "
        f"(difference {signed(pair)}){_needed(evidence, pair)}"
    )


def _overtakes(evidence: Evidence, pair: Any) -> str:
    """Where the baseline of a pair overtakes its model that has the same labels, or none."""
    for row in _crossing(evidence, pair.model, pair.reference):
        if row.status == schema.WITHIN:
            return f"; it overtakes at {_place(row)}"
        if row.status == schema.BEFORE_FIRST:
            return f", and ahead from {labels(row.first)} on, the fewest tried"
    return ""


def _crossing(evidence: Evidence, model: str, baseline: str) -> list[Any]:
    """The crossing on equal labels where the model had examples, else without any."""
    rows = evidence.crossings
    mine = rows[(rows["model"] == model) & (rows["baseline"] == baseline)]
    same = mine[mine["comparison"] == schema.SAME_LABELS]
    used = same if len(same) else mine
    return each(used.sort_values("model_k").tail(1))


def _crossings(evidence: Evidence, model: str) -> Iterable[str]:
    """From how many labels on a baseline is better than the model with its fewest: the baseline
    that is best with most labels, and the one that is first."""
    rows = evidence.crossings
    mine = rows[(rows["model"] == model) & (rows["comparison"] == schema.FIXED)]
    mine = mine[(mine["model_k"] == mine["model_k"].min()) & mine["status"].ne(schema.UNDEFINED)]
    found = {row.baseline: row for row in each(mine)}
    against = contest(evidence, model)
    best = str(against.pair.reference) if against else ""
    first = min(found, key=lambda one: _place_in_order(found[one]), default="")
    told = [
        f"{evidence.name(one)}{why} {_from(found[one])}"
        for one, why in {first: ", the first,", best: ", the best with most labels,"}.items()
        if one in found
    ]
    if told:
        k = int(mine["model_k"].iloc[0])
        yield (
            f"by the learning curves, an estimate and no test, a baseline overtakes the model "
            f"{with_labels(k)} at: {series(told)}"
        )


def _place_in_order(row: Any) -> float:
    fixed = {schema.BEFORE_FIRST: 0.0, schema.NOT_WITHIN: math.inf}
    return fixed.get(row.status, float(row.labels))


def _from(row: Any) -> str:
    if row.status == schema.WITHIN:
        return _place(row)
    if row.status == schema.BEFORE_FIRST:
        return f"{labels(row.first)}, the fewest tried{_sure(row.share_before)}"
    return f"not with the {labels(row.last)} there are{_sure(row.share_beyond)}"


def _sure(share: float) -> str:
    return "" if math.isnan(share) else f" (in {share:.0%} of resamples of rows and draws)"


def _place(row: Any) -> str:
    """``about 32 labels [16, more than 447]``."""
    low, high = (place_bound(row, end, "fewer than", "more than") for end in (row.low, row.high))
    return f"about {row.labels:,.0f} labels [{low}, {high}]"


def place_bound(row: Any, end: float, below: str, beyond: str) -> str:
    """Return a bound of a crossing; outside the labels that were tried only the side is known."""
    if end < row.first:
        return f"{below} {row.first:,}"
    return f"{beyond} {row.last:,}" if end > row.last else f"{end:,.0f}"


def _models(evidence: Evidence, model: str) -> Iterable[str]:
    pairs = each(evidence.compared(schema.MODELS, model))
    if pairs:
        listed = series(
            f"{with_labels(pair.k)} {_change(pair, f' to {evidence.name(pair.reference)}')}"
            for pair in pairs
        )
        yield f"difference to another model: {listed}"


def _left_out(evidence: Evidence, model: str) -> Iterable[str]:
    dropped = [point for point in evidence.points(model) if point.n_dropped]
    if dropped:
        listed = series(
            f"{point.n_dropped:,} of {point.n + point.n_dropped:,} {when(point).lower()}"
            for point in dropped
        )
        yield f"rows left out since an answer to them is invalid: {listed}"


def _needed(evidence: Evidence, pair: Any) -> str:
    """Test rows that it takes to tell the two of a pair apart."""
    rows = evidence.power
    keys = ("comparison", "model", "k", "reference", "reference_k")
    for key in keys:
        rows = rows[rows[key] == getattr(pair, key)]
    for row in each(rows):
        delta = f"{row.delta:g}"
        if row.status == schema.MORE_DRAWS:
            return (
                f"; the draws of examples differ so much that more of them, not more rows, would "
                f"tell a difference of {delta}"
            )
        if row.status == schema.OK and row.rows_needed <= row.n:
            return (
                f"; a difference of {delta} would have shown with a chance of {row.power_now:.0%}"
            )
        if row.status == schema.OK:
            return (
                f"; about {about(row.rows_needed)} test rows would be needed to tell a difference "
                f"of {delta}"
            )
    return ""


def _costs(evidence: Evidence, model: str) -> Iterable[str]:
    costs = evidence.costs
    rows = costs[(costs["model"] == model) & costs["seconds"].notna()].sort_values("k")
    told = [
        f"{duration(row.seconds)}, {row.prompt_tokens + row.completion_tokens:,.0f} tokens"
        f"{_money(row)} {when(row).lower()}"
        for row in each(rows)
    ]
    if told:
        yield f"1,000 rows take {series(told)}"


def _money(row: Any) -> str:
    return "" if math.isnan(row.cost) else f" and at most {row.cost:,.2f} {row.currency}"


def _unranked(evidence: Evidence) -> str:
    """Why no model has a ROC-AUC."""
    reasons = sorted(
        {
            _UNRANKED.get(point.status, point.status)
            for model in evidence.models
            for point in evidence.points(model)
        }
    )
    return "; ".join(reasons) if reasons else "no language model was asked"


def _change(pair: Any, to: str = "") -> str:
    text = f"{signed(pair)}{to}"
    return text if outcome(pair) != EQUAL else f"{text}, not told apart"


def _auc(point: Any) -> str:
    value = digits(point.roc_auc)
    if point.status == schema.PERFECT:
        return f"{value} (no interval, as no two rows are in the wrong order)"
    if point.status == schema.ONE_ROW:
        return f"{value} (no interval, as one class has a single row)"
    if point.status == schema.ONE_GROUP:
        return f"{value} (no interval, as one class lies in a single group of rows)"
    return f"{value}{bracket((point.roc_auc_low, point.roc_auc_high, False))}"
