"""Parsers and limits of the openai engine: arbitrary replies, Retry-After, rates, money."""

import datetime
import math
import random

import pytest
from disk import synchronised
from hypothesis import example, given
from hypothesis import strategies as st

from tabbench.config.endpoints import Endpoint, Prices
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.label_forms import FORMS, clean, in_form, label_pair, lone_label
from tabbench.inference.engines.pace import BURST, Bucket
from tabbench.inference.engines.replies import (
    ReplyError,
    Tokens,
    free_text,
    generation,
    label_score,
    parse_json,
    read_reply,
    read_tokens,
)
from tabbench.inference.engines.retrying import LONGEST_WAIT, backoff, is_transient, retry_after
from tabbench.inference.engines.spending import Spending

NOW = datetime.datetime(2026, 11, 29, 12, 0, tzinfo=datetime.UTC)
USAGE = {"prompt_tokens": 5, "completion_tokens": 2}
logps = st.floats(-50, 0)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["content", "token", "logprob", "top_logprobs", "tokens", "token_logprobs", "bytes"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def step(token, logp, **others):
    listed = [{"token": name, "logprob": value} for name, value in others.items()]
    return {"token": token, "logprob": logp, "top_logprobs": listed}


def reply(text, *content, **changes):
    choice = {"text": text, "finish_reason": "stop", "logprobs": {"content": list(content)}}
    return read_reply({"model": "m", "choices": [choice | changes], "usage": USAGE})


def answered(one, with_logprobs=True):
    return generation(one, 0.5, with_logprobs)


# Replies


@given(json_values, st.text(max_size=3) | json_values)
def test_log_probabilities_of_any_shape_are_read_or_named(logprobs, text):
    try:
        read = reply(text, logprobs=logprobs)
        scored = label_score(read, 0.1)
        made = answered(read)
    except ReplyError as error:
        assert error.kind in ("bad_logprobs", "no_logprobs", "bad_reply")
        return
    assert scored.logp_0 <= 0 >= scored.logp_1
    for offset, pair in made.label_logps.items():
        assert read.text[offset] in "01"
        assert all(math.isfinite(logp) and logp <= 0 for logp in pair)


@given(st.dictionaries(st.sampled_from(["model", "choices", "usage"]), json_values))
def test_bodies_of_any_shape_are_read_or_named(body):
    try:
        read_reply(body | {"usage": USAGE})
        read_reply(body)
    except ReplyError as error:
        assert error.kind in ("no_choice", "no_usage", "bad_reply", "bad_logprobs")


@given(st.text())
@example("[" * 100_000)
@example("[1]")
def test_what_is_no_json_object_is_named(text):
    with pytest.raises(ReplyError) as error:
        parse_json("x" + text if text.startswith("{") else text)
    assert error.value.kind == "malformed_json"


@given(
    st.lists(st.sampled_from(["0", "1", " 1", "\n0", "Answer", " is", "10", "é", ":"]), max_size=8),
    st.booleans(),
)
def test_labels_are_found_where_they_stand(tokens, stripped):
    whole = "".join(tokens)
    text = whole.strip() if stripped else whole
    content = [step(token, -0.5, **{"0": -1.0, "1": -1.0, " 1": -1.0}) for token in tokens]
    for one in content:
        one["bytes"] = list(one["token"].encode())
    labels = answered(reply(text, *content)).label_logps
    start, expected = len(whole.lstrip()) - len(whole) if stripped else 0, set()
    for token in tokens:
        if lone_label(token) is not None:
            expected.add(start + len(token) - 1)
        start += len(token)
    if whole.strip():
        assert set(labels) == {offset for offset in expected if 0 <= offset < len(text)}
    assert all(text[offset] in "01" for offset in labels)


def test_a_stop_string_cuts_the_text_and_what_follows_is_no_label():
    content = [step("1", -0.1, **{"0": -2.0}), step("\n", -0.1), step("0", -0.1, **{"1": -3.0})]
    assert answered(reply("1", *content)).label_logps == {0: (-2.0, -0.1)}


def test_the_older_form_of_log_probabilities_is_read():
    logprobs = {
        "tokens": ["1", "."],
        "token_logprobs": [-0.2, -0.3],
        "top_logprobs": [{"1": -0.2, "0": -1.8}, None],
        "text_offset": [0, 1],
    }
    one = reply("1.", logprobs=logprobs)
    assert label_score(one, 0.1).logp_0 == -1.8
    assert answered(one).label_logps == {0: (-1.8, -0.2)}


def test_without_log_probabilities_nothing_is_invented():
    one = reply("1", logprobs=None)
    with pytest.raises(ReplyError, match="no log-probabilities"):
        label_score(one, 0.1)
    with pytest.raises(ReplyError, match="no log-probabilities"):
        answered(one)
    assert answered(one, with_logprobs=False).label_logps is None


def test_a_text_whose_tokens_are_not_listed_has_no_log_probabilities():
    with pytest.raises(ReplyError, match="no log-probabilities") as error:
        answered(reply("1"))
    assert error.value.kind == "no_logprobs"
    assert answered(reply("")).label_logps == {}


def test_of_tokens_with_one_text_the_likeliest_counts():
    for listed in ([-0.5, -2.0], [-2.0, -0.5]):
        one = step("1", -2.0, **{"0": -1.5})
        one["top_logprobs"] += [{"token": "1", "logprob": logp} for logp in listed]
        assert label_score(reply("1", one), 0.1).logp_1 == -0.5


def test_offsets_count_characters_and_bounds_name_theirs():
    tokens = [step("é", -0.1), step("1", -0.1, **{"0": -2.0}), step("0", -0.1, yes=-4.0)]
    made = answered(reply("é10", *tokens))
    assert made.label_logps == {1: (-2.0, -0.1), 2: (-0.1, -4.0)}
    assert made.bounded == (2,)


def test_tokens_are_counted_and_nonsense_is_named():
    def counted(**usage):
        return read_tokens({"usage": usage})

    details = {"cached_tokens": 4}
    whole = counted(prompt_tokens=9, completion_tokens=3, prompt_tokens_details=details)
    assert whole == Tokens(prompt=9, cached=4, completion=3)
    assert counted(prompt_tokens=9, prompt_tokens_details=None) == Tokens(prompt=9)
    for wrong in ({"prompt_tokens": 3}, {"prompt_tokens": -1}, {"prompt_tokens": "9"}, {}):
        with pytest.raises(ReplyError, match="make no sense") as error:
            counted(**wrong, prompt_tokens_details=details)
        assert error.value.kind == "no_usage"


def test_a_text_cut_at_its_length_did_not_end():
    assert free_text(reply("so", finish_reason="stop"), 0.1).ended
    assert not free_text(reply("so", finish_reason="length"), 0.1).ended


def test_a_missing_label_is_bounded_and_flagged():
    one = label_score(reply("1", step("1", -0.1, yes=-3.0, no=-4.0)), 0.1)
    assert (one.logp_0, one.logp_1, one.bounded) == (-4.0, -0.1, (0,))
    neither = label_score(reply("yes", step("yes", -0.1, no=-4.0)), 0.1)
    assert neither.bounded == (0, 1)
    made = answered(reply("1", step("1", -0.1, yes=-3.0)))
    assert made.bounded == (0,)
    assert made.label_logps == {0: (-3.0, -0.1)}


@given(st.dictionaries(st.sampled_from(["0", "1", " 0", " 1", "a", "b"]), logps, min_size=1))
def test_a_bound_is_never_above_what_is_listed_and_one_form_is_used(listed):
    pair = label_pair(listed)
    assert any(pair == in_form(listed, form) for form in FORMS)
    for label in pair.bounded:
        assert pair.logps[label] == min(listed.values())
    swapped = {token.translate(str.maketrans("01", "10")): logp for token, logp in listed.items()}
    assert label_pair(swapped).logps == pair.logps[::-1]


@pytest.mark.parametrize("form", FORMS)
def test_labels_are_read_in_the_form_that_is_likelier(form):
    other = next(one for one in FORMS if one != form)
    listed = {f"{form}1": -0.5, f"{form}0": -2.0, f"{other}0": -1.5, "yes": -3.0}
    assert label_pair(listed).logps == (-2.0, -0.5)
    assert label_pair({f"{form}1": -0.5, f"{other}0": -1.5, "yes": -3.0}).bounded == (0,)


def test_stand_ins_for_a_probability_are_left_out():
    assert clean({"a": -9999.0, "b": -math.inf, "c": math.nan, "d": 1e-6, "e": -2.0}) == {
        "d": 0.0,
        "e": -2.0,
    }


# Waiting


@given(st.none() | st.text())
@example("Sun, 06 Nov 1994 08:49:37 GMT")
@example("Fri, 31 Dec 9999 23:59:59 -2359")
@example("1e400")
@example("nan")
def test_retry_after_is_seconds_or_nothing_whatever_the_text(text):
    seconds = retry_after(text, NOW)
    assert seconds is None or (seconds >= 0 and math.isfinite(seconds))


@given(st.integers(0, 10**6))
def test_retry_after_takes_seconds_and_dates(seconds):
    assert retry_after(str(seconds), NOW) == seconds
    then = NOW + datetime.timedelta(seconds=seconds)
    assert retry_after(f"{then:%a, %d %b %Y %H:%M:%S} GMT", NOW) == seconds


@given(st.integers(0, 10**6), st.floats(0, 10), st.integers())
def test_waits_grow_to_a_limit_and_vary(attempt, first, seed):
    wait = backoff(attempt, first, random.Random(seed))
    whole = min(first * 2.0 ** min(attempt, 30), LONGEST_WAIT)
    assert whole / 2 <= wait <= whole


def test_which_statuses_pass():
    assert all(map(is_transient, (408, 409, 425, 429, 500, 502, 503, 504, 529)))
    assert not any(map(is_transient, (400, 401, 404, 422)))


@given(st.floats(1, 10_000), st.lists(st.floats(0.1, 100), min_size=1, max_size=20))
def test_a_bucket_keeps_its_rate(per_minute, amounts):
    now = 0.0
    bucket = Bucket(per_minute, lambda: now)
    for amount in amounts:
        now += bucket.take(amount)
    flown = (now + BURST) * per_minute / 60
    assert sum(amounts) <= flown * (1 + 1e-9)


def test_a_bucket_is_full_at_first_and_can_be_corrected():
    bucket = Bucket(60, lambda: 0.0)
    assert [bucket.take(1) for _ in range(7)] == pytest.approx([0] * 6 + [1])
    bucket.correct(-1)
    assert bucket.take(1) == pytest.approx(1)


def test_a_bucket_gathers_no_more_than_a_burst_while_nothing_is_asked():
    now = 0.0
    bucket = Bucket(60, lambda: now)
    now = 3600.0
    assert [bucket.take(1) for _ in range(8)] == pytest.approx([0] * 6 + [1, 2])


# Money and names


def test_charges_of_several_jobs_add_up_and_a_torn_line_is_dropped(tmp_path):
    path = tmp_path / "spending.csv"
    first, second = Spending(path), Spending(path)
    first.charge(10, 0, 1, 0.25)
    second.charge(10, 0, 1, 0.5)
    assert second.total == pytest.approx(0.75)
    with path.open("a") as file:
        file.write("2026-11-29T12:00:00")
    third = Spending(path)
    third.charge(10, 0, 1, 1.0)
    assert third.total == Spending(path).total == pytest.approx(1.75)
    path.write_text(path.read_text().replace("0.25", "cheap"))
    with pytest.raises(TabBenchError, match=r"spending\.csv: not a line of charges.*mend"):
        Spending(path)


def test_a_charge_is_on_disk_when_it_is_made(tmp_path, monkeypatch):
    path = tmp_path / "spending.csv"
    spending = Spending(path)
    spending.charge(10, 0, 1, 0.25)
    on_disk = synchronised(path, monkeypatch)
    spending.charge(10, 4, 1, 0.5)
    (content,) = on_disk
    assert content.decode().splitlines()[-1].split(",")[1:] == ["10", "4", "1", "0.5000000000"]


def test_a_charge_that_another_job_is_still_writing_is_counted_once_it_is_whole(tmp_path):
    path = tmp_path / "spending.csv"
    Spending(path).charge(10, 0, 1, 0.25)
    line = path.read_text().splitlines()[-1] + "\n"
    spending = Spending(path)
    for part in (line[:20], line[20:-1]):
        with path.open("a") as file:
            file.write(part)
        spending.refresh()
        assert spending.total == pytest.approx(0.25)
    with path.open("a") as file:
        file.write("\n")
    spending.refresh()
    assert spending.total == pytest.approx(0.5)


@pytest.mark.parametrize("torn", ["2026-11-29T12:00:00", "2026-11-29T12:00:00,10,0", "2,"])
def test_a_torn_charge_leaves_no_trace_in_the_next_one(tmp_path, torn):
    path = tmp_path / "spending.csv"
    Spending(path).charge(10, 0, 1, 0.25)
    whole = path.read_text()
    with path.open("a") as file:
        file.write(torn)
    Spending(path).charge(10, 0, 1, 0.5)
    assert path.read_text().startswith(whole)
    assert torn not in path.read_text().removeprefix(whole)
    assert Spending(path).total == pytest.approx(0.75)


def test_cached_tokens_cost_what_the_entry_says():
    prices = Prices("USD", "2026-11-29", input=2.0, output=8.0)
    assert prices.cost(1_000_000, 400_000, 100_000) == pytest.approx(2.8)


def test_a_dated_version_is_the_model_that_was_asked():
    endpoint = Endpoint("http://x/v1", "gpt-4o-mini")
    assert endpoint.names("gpt-4o-mini-2024-07-18")
    assert not endpoint.names("gpt-4o-mini-high")
    assert not endpoint.names("gpt-4o")
    assert Endpoint("http://x/v1", "small", reports_as="vendor/small").names("vendor/small")
