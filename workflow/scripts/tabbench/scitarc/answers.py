"""Answers of responses: found in the text, or printed by the response's program."""

import pandas as pd

from tabbench.sandbox.sandbox import Kind
from tabbench.scitarc.extraction import extract_answer, extract_answer_released
from tabbench.scitarc.programs import run_program
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS


def read_answers(responses: pd.DataFrame, sandbox: Kind) -> pd.DataFrame:
    """Read the answer of each response.

    Parameters
    ----------
    responses : DataFrame with the columns of ``schemas.SCITARC_RESPONSES``
    sandbox : where programs run, one after the other

    Returns
    -------
    DataFrame with the columns of ``schemas.SCITARC_ANSWERS``, in the order of ``responses``

    Raises
    ------
    TabBenchError
        When the sandbox cannot be set up.
    """
    found = [
        _unanswered(failure) if failure else _answer(execution, response, sandbox)
        for execution, response, failure in zip(
            *(responses[name] for name in ("execution", "response", "failure")), strict=True
        )
    ]
    columns = ["prediction", "passage", "released", "source", "message", "printed"]
    read = pd.DataFrame(found, columns=columns, index=responses.index)
    return responses.join(read)[SCITARC_ANSWERS.names]


_Found = tuple[str | None, str | None, str | None, str, str, str | None]
"""Prediction, passage, what the released code takes, source, message and what was printed."""


def _unanswered(failure: str) -> _Found:
    return None, None, None, failure, "", None


def _answer(execution: str, response: str, sandbox: Kind) -> _Found:
    if execution == "code":
        run = run_program(response, sandbox)
        return run.answer, None, run.answer, run.status, run.message, run.printed
    found = extract_answer(response)
    return found.answer, found.passage, extract_answer_released(response), found.form, "", None
