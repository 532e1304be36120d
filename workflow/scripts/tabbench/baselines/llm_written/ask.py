"""Send the queries of a dataset to a model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import pandas as pd

from tabbench.baselines.llm_written.methods import METHODS
from tabbench.baselines.llm_written.prompts import known_values, turns
from tabbench.baselines.llm_written.queries import Query, queries, read_draws
from tabbench.config.dataset_entry import TaskText
from tabbench.inference.engines.base import Failure, Message, Text, TextRequest
from tabbench.inference.texts import AskTexts, read_text


def ask_dataset(
    dataset: str,
    table: pd.DataFrame,
    split: pd.DataFrame,
    shots: Iterable[pd.DataFrame],
    task: TaskText,
    methods: Sequence[str],
    zero_shot: Sequence[int],
    counts: Mapping[str, int],
    ask: AskTexts,
    plain: bool,
) -> pd.DataFrame:
    """Send all queries of a dataset; see `ask_queries`.

    Parameters
    ----------
    table, split, shots : DataFrames with the columns of ``schemas.TABLE``, ``SPLIT``, ``SHOTS``
    zero_shot : see `queries.read_draws`
    counts : ``members`` and ``trees`` of `queries.queries`
    """
    by_row = table.set_index("row_id")
    training = split.loc[split["part"] == "train", "row_id"]
    features = by_row.drop(columns="y").loc[training]
    return ask_queries(
        dataset,
        list(queries(methods, read_draws(zero_shot, shots), **counts)),
        partial(
            turns,
            task=task,
            features=features,
            labels=by_row.loc[training, "y"].to_dict(),
            values=known_values(features),
        ),
        ask,
        plain,
    )


def ask_queries(
    dataset: str,
    queries: Sequence[Query],
    turns: Callable[[Query], Sequence[str]],
    ask: AskTexts,
    plain: bool,
) -> pd.DataFrame:
    """Send all queries turn by turn: second turns once all first turns have responses.

    Parameters
    ----------
    turns : from a query to its prompts; see `prompts.turns`
    plain : whether the model is asked without a chat template

    Returns
    -------
    DataFrame with the columns of ``schemas.LLM_ANSWERS``, model and set-up left open
    """
    asked = {query: list(turns(query)) for query in queries}
    texts: dict[Query, list[Text]] = {query: [] for query in queries}
    failed: dict[Query, str] = {}
    for turn in range(max(map(len, asked.values()), default=0)):
        open_queries = [
            query for query in queries if turn < len(asked[query]) and query not in failed
        ]
        requests = [
            TextRequest(
                f"{METHODS[query.method].turns[turn]}/{dataset}/{query.path}",
                _dialogue(asked[query][: turn + 1], [text.text for text in texts[query]]),
                METHODS[query.method].decodings[turn],
                seed=query.number,
                plain=plain,
            )
            for query in open_queries
        ]
        for query, text in zip(open_queries, ask(requests), strict=True):
            texts[query].append(read_text(text))
            if isinstance(text, Failure):
                failed[query] = text.outcome
    return pd.DataFrame(
        [_answer(dataset, query, texts[query], failed.get(query, "")) for query in queries]
    )


def _dialogue(users: Sequence[str], answers: Sequence[str]) -> tuple[Message, ...]:
    messages = [Message("user", users[0])]
    for answer, user in zip(answers, users[1:], strict=True):
        messages += [Message("assistant", answer), Message("user", user)]
    return tuple(messages)


def _answer(dataset: str, query: Query, texts: Sequence[Text], failure: str) -> dict[str, object]:
    return {
        "dataset": dataset,
        "method": query.method,
        "k": query.draw.k,
        "seed": query.draw.seed,
        "query": query.number,
        "rules": "\n\n".join(text.text for text in texts[:-1]),
        "code": texts[-1].text,
        "failure": failure,
        "ended": bool(failure) or all(text.ended for text in texts),
        "prompt_tokens": sum(text.prompt_tokens for text in texts),
        "completion_tokens": sum(text.completion_tokens for text in texts),
        "seconds": sum(text.seconds for text in texts),
    }
