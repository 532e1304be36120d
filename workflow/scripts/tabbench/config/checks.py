"""Errors of a configuration that its schema cannot find."""

from collections.abc import Iterable, Mapping
from typing import Any

from tabbench.config.released import AUTHORS
from tabbench.core.baseline_names import is_tabpfn
from tabbench.core.errors import TabBenchError, closest

_PLACING = (
    *("tabicl", "random_forest", "xgboost", "lightgbm", "catboost"),
    *("logistic_regression", "knn"),
)
"""Baselines that place datasets on the complexity grid where TabPFN does not run, best first.

Others follow in the configuration's order.
"""
_CONSTANT = "majority"


def check_names(place: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Reject names under a key that the configuration does not run; suggest the closest one."""
    valid = list(known)
    for name in names:
        if name not in valid:
            raise TabBenchError(
                f"configuration: {place} names '{name}', which is not run: {closest(name, valid)}"
            )


def check_few_shots(config: Mapping[str, Any]) -> None:
    """RQ5 compares prompts with and without examples."""
    settings = config["research_questions"].get("rq5")
    if settings is None:
        return
    if not config.get("llm_synthetic"):
        raise TabBenchError("configuration: research_questions.rq5 needs the key llm_synthetic")
    shots = settings.get("shots", config["shots"])
    unknown = [k for k in shots if k not in config["shots"]]
    if unknown or 0 not in shots or max(shots) == 0:
        raise TabBenchError(
            f"configuration: rq5 has k = {list(shots)}; it needs 0 and at least one k > 0, all of "
            f"them among shots: {list(config['shots'])}"
        )


def check_serializations(config: Mapping[str, Any], shown: Mapping[str, Iterable[str]]) -> None:
    """Text formats of a question include those that its tables show.

    Parameters
    ----------
    shown : question to the formats of its tables
    """
    for question, settings in config["research_questions"].items():
        wanted = settings.get("serializations")
        lacking = [name for name in shown.get(question, ()) if wanted and name not in wanted]
        if lacking:
            raise TabBenchError(
                f"configuration: research_questions.{question}.serializations {list(wanted)} lacks "
                f"{' and '.join(lacking)}, which the tables of {question} show"
            )


def check_judges(config: Mapping[str, Any], matcher: str, models: Iterable[str]) -> None:
    """Reject judges of SciTaRC that are neither the matcher nor a model of the registry.

    Parameters
    ----------
    matcher : name of the judge without a model
    models : of the registry
    """
    valid = list(models)
    for key in ("judge", "second_judge"):
        setting = (config.get("scitarc") or {}).get(key, matcher)
        if isinstance(setting, str) and setting not in (matcher, *valid):
            raise TabBenchError(
                f"configuration: scitarc.{key} names '{setting}', which is neither a model of the "
                f"registry nor the matcher: {closest(setting, [matcher, *valid])}"
            )
        if not isinstance(setting, str) and setting["matcher_then"] not in valid:
            name = setting["matcher_then"]
            raise TabBenchError(
                f"configuration: scitarc.{key}.matcher_then names '{name}', which is no model of "
                f"the registry: {closest(name, valid)}"
            )


def check_scitarc_seeds(config: Mapping[str, Any], temperature: float) -> None:
    """Several seeds need sampling.

    Parameters
    ----------
    temperature : of SciTaRC's decoding where the configuration names none
    """
    settings = config.get("scitarc") or {}
    seeds = settings.get("seeds", [])
    if len(seeds) > 1 and settings.get("decoding", {}).get("temperature", temperature) == 0:
        raise TabBenchError(
            f"configuration: scitarc.seeds names {len(seeds)} seeds, but scitarc.decoding is "
            "greedy (temperature 0), so that all answers would be the same; raise the temperature "
            "or name one seed"
        )


def check_budget(config: Mapping[str, Any], models: Mapping[str, Mapping[str, Any]]) -> None:
    """One budget of all models needs one currency.

    Parameters
    ----------
    models : entries by id
    """
    if "budget" not in config:
        return
    used: dict[str, str] = {}
    for name, entry in models.items():
        if "prices" in entry:
            used.setdefault(entry["prices"]["currency"], name)
    if len(used) > 1:
        said = " and ".join(f"'{name}' in {currency}" for currency, name in used.items())
        raise TabBenchError(
            f"configuration: budget is one sum for all models, but their prices are in several "
            f"currencies: {said}; convert the prices, or leave budget out and give each model its "
            "own limits.budget"
        )


def check_llm_baselines(config: Mapping[str, Any], real: Iterable[str]) -> None:
    """FeatLLM and LLM trees need real datasets, and numbers of examples at which they are asked.

    Parameters
    ----------
    real : ids of the real datasets that are run
    """
    settings = config.get("llm_baselines")
    if not settings or "rq3" not in config["research_questions"]:
        return
    check_names("llm_baselines.datasets", settings.get("datasets", ()), real)
    shots = settings.get("shots", config["shots"])
    unknown = [k for k in shots if k not in config["shots"]]
    if unknown:
        raise TabBenchError(
            f"configuration: llm_baselines.shots has {unknown}, which are not among shots: "
            f"{list(config['shots'])}"
        )
    trees = [name for name in settings["methods"] if name.startswith("llm_tree")]
    if trees and 0 not in shots:
        raise TabBenchError(
            f"configuration: {trees[0]} is zero-shot, but llm_baselines has k = {list(shots)}; "
            f"add 0, or leave {trees[0]} out of llm_baselines.methods"
        )


def check_pairing(config: Mapping[str, Any], families: Mapping[str, str | None]) -> None:
    """Reject models evaluated on tables of another family, unless the configuration allows it.

    Parameters
    ----------
    families : model id to its family; a model without one is a family of its own

    Raises
    ------
    TabBenchError
        When a generator has neither its family's model nor ``cross_evaluation: true``.
    """
    synthetic = config.get("llm_synthetic") or {}
    if synthetic.get("cross_evaluation"):
        return
    for generator, settings in synthetic.get("generators", {}).items():
        author = settings.get("model")
        released = AUTHORS[generator].family if "released" in settings else None
        family = released or families.get(author) or author
        strange = [name for name in settings["evaluate"] if (families.get(name) or name) != family]
        if strange:
            raise TabBenchError(
                f"configuration: generator '{generator}' "
                f"({f'family {family}' if family else 'which names no model'}) evaluates "
                f"{', '.join(strange)} of another family. The paper evaluates a model on tables of "
                "its own family only; to allow it, write `cross_evaluation: true` under "
                "llm_synthetic"
            )


def placing_baselines(config: Mapping[str, Any]) -> list[str]:
    """Return the baselines that can place datasets on the complexity grid, the preferred first.

    ``complexity.model`` alone where it is named; else TabPFN, which may lack its weights, and then
    the others.

    Raises
    ------
    TabBenchError
        When ``complexity.model`` is not run, or ranks all rows alike.
    """
    baselines = [name for name in config["baselines"] if name != _CONSTANT]
    wanted = (config.get("complexity") or {}).get("model")
    if wanted == _CONSTANT:
        raise TabBenchError(
            f"configuration: complexity.model is '{_CONSTANT}', which ranks all rows equally and "
            "cannot place datasets; name another baseline"
        )
    if wanted is not None:
        check_names("complexity.model", [wanted], baselines)
        return [str(wanted)]
    preferred = dict.fromkeys([*filter(is_tabpfn, baselines), *_PLACING, *baselines])
    return [name for name in preferred if name in baselines]
