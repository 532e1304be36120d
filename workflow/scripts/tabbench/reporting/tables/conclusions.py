"""RQ1, beyond the paper: conclusions that change when ROC-AUC is not folded."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pandas as pd

from tabbench.reporting.notes import foundation_notes
from tabbench.reporting.tables.folding import FOLDED_NOTE, FORMS, both_forms, main_scores
from tabbench.reporting.titles import shots_title
from tabbench.reporting.writer import Table, plus_minus


def folding_conclusions(
    scores: pd.DataFrame,
    models: Mapping[str, str],
    mode: str = "generation",
    few_shot: pd.DataFrame | None = None,
) -> Table:
    """Make the table of conclusions from plain and from folded values, and whether they agree.

    The conclusions are the order of the models, which model is above chance (plain: mean above
    0.5; folded: mean above what random rankings give in that form, and above 0.5, as a reader of
    folded values would take it), and the sign of the gain of k examples over none.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``; zero-shot is used
    models : display name by id
    mode : generation or forward
    few_shot : the same for k > 0 (RQ3); None where it was not asked

    Raises
    ------
    TabBenchError
        When no model has a zero-shot score, or a model's results mix set-ups.
    """
    used = main_scores(scores, models, mode, [0])
    zero = both_forms(used)
    lines = [*_orders(zero, models), *_above_chance(zero, models)]
    if few_shot is not None:
        lines += _gain_signs(both_forms(main_scores(few_shot, models, mode)), models)
    changed = sum(line.changes for line in lines)
    return Table(
        caption=f"What folding the ROC-AUC changes, {mode} mode",
        header=("Conclusion", "n", "Plain", "Folded", "Changes"),
        rows=tuple(line.texts for line in lines),
        numbers=pd.DataFrame(lines).assign(changes=[line.changes for line in lines]),
        notes=(
            f"{changed} of {len(lines)} conclusions change when nothing is folded",
            "a conclusion is the sign or the order of means over n datasets; nothing is tested",
            FOLDED_NOTE,
            *(() if few_shot is not None else ("gains are missing: the configuration has no RQ3",)),
            *foundation_notes(used, models, spread=None),
        ),
    )


class Conclusion(NamedTuple):
    """A conclusion from both forms, with the numbers behind it (may be empty)."""

    conclusion: str
    n_datasets: int
    plain: str
    folded: str
    plain_numbers: str = ""
    folded_numbers: str = ""

    @property
    def changes(self) -> bool:
        return self.plain != self.folded

    @property
    def texts(self) -> tuple[str, ...]:
        answers = ((self.plain, self.plain_numbers), (self.folded, self.folded_numbers))
        shown = (f"{answer} ({why})" if why else answer for answer, why in answers)
        return (self.conclusion, str(self.n_datasets), *shown, _yes(self.changes))


def _orders(zero: pd.DataFrame, models: Mapping[str, str]) -> Iterator[Conclusion]:
    """Order the models by their means over the datasets that all of them have."""
    shown = [model for model in models if model in set(zero["model"])]
    shared = zero[zero.groupby("dataset")["model"].transform("nunique") == len(shown)]
    means = shared.groupby("model")[list(FORMS)].mean()
    if len(means) > 1:
        plain, folded = (
            " > ".join(models[str(name)] for name in means.sort_values(form, ascending=False).index)
            for form in FORMS
        )
        title = "Order of the models by mean zero-shot AUC"
        yield Conclusion(title, shared["dataset"].nunique(), plain, folded)


def _above_chance(zero: pd.DataFrame, models: Mapping[str, str]) -> Iterator[Conclusion]:
    for model, name in models.items():
        part = zero[zero["model"] == model]
        n = len(part)
        if not n:
            continue
        plain, folded, random = (
            float(part[form].mean()) for form in ("plain", "folded", "random_folded")
        )
        says, mean = _yes(plain > 0.5), plus_minus(plain)
        yield Conclusion(
            f"{name}: mean zero-shot AUC above 0.5",
            *(n, says, _yes(folded > 0.5), mean, f"{plus_minus(folded)}; cannot be below"),
        )
        yield Conclusion(
            f"{name}: mean zero-shot AUC above that of random rankings",
            *(n, says, _yes(folded > random), f"{mean} against 0.500"),
            f"{plus_minus(folded)} against {plus_minus(random)}",
        )
        below = int((part["plain"] < 0.5).sum())
        yield Conclusion(
            f"{name}: datasets ranked the wrong way round (AUC below 0.5)",
            *(n, f"{below} of {n}", f"0 of {n}", "", "by construction"),
        )


def _gain_signs(forms: pd.DataFrame, models: Mapping[str, str]) -> Iterator[Conclusion]:
    """Compare the mean gain over zero-shot, and each dataset's sign, in both forms."""
    key = ["dataset", "model"]
    zero = forms[forms["k"] == 0][[*key, *FORMS]]
    gains = forms[forms["k"] > 0].merge(zero, on=key, suffixes=("", "_zero"))
    for form in FORMS:
        gains[f"{form}_gain"] = gains[form] - gains[f"{form}_zero"]
    for model, name in models.items():
        of_model = gains[gains["model"] == model]
        for k in sorted(int(k) for k in of_model["k"].unique()):
            part = of_model[of_model["k"] == k]
            title, n = f"{name}: {shots_title(k)} better than zero-shot", len(part)
            plain, folded = (float(part[f"{form}_gain"].mean()) for form in FORMS)
            numbers = (plus_minus(mean, signed=True) for mean in (plain, folded))
            yield Conclusion(f"{title}, mean", n, _yes(plain > 0), _yes(folded > 0), *numbers)
            better = (f"{int((part[f'{form}_gain'] > 0).sum())} of {n}" for form in FORMS)
            yield Conclusion(f"{title}, datasets", n, *better)


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
