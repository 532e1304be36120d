"""Parsers and limits of the openai engine: arbitrary replies, Retry-After, rates, money."""

import datetime
import math
import random
import tempfile
from pathlib import Path

import pytest
from disk import synchronised
from hypothesis import example, given
from hypothesis import strategies as st

from tabbench.config.endpoints import Endpoint, Prices
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.label_forms import FORMS, clean, in_form, label_pair, lone_label
from tabbench.inference.engines.pace import Pace
from tabbench.inference.engines.probe import _compares
from tabbench.inference.engines.refusals import read_refusal
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
from tabbench.inference.engines.retrying import (
    LONGEST_WAIT,
    backoff,
    is_transient,
    patience,
    retry_after,
)
from tabbench.inference.engines.spending import Spending
from tabbench.inference.engines.steps import read_steps

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


def test_an_answer_keeps_its_probabilities_where_a_character_is_halved():
    """Cases of the wild: half a surrogate pair, and a character cut between two tokens."""
    halved = parse_json('{"text": "1 \\ud83d", "token": "\\ud83d"}')
    assert halved == {"text": "1 \N{REPLACEMENT CHARACTER}", "token": "\N{REPLACEMENT CHARACTER}"}
    cut = [step(" é", -0.1), step("1", -0.2, **{"0": -2.0}), step("\\xf0\\x9f", -0.1)]
    cut[-1]["bytes"] = [0xF0, 0x9F]
    made = answered(reply("é1\N{REPLACEMENT CHARACTER}", *cut))
    assert made.label_logps == {1: (-2.0, -0.2)}


def test_alternatives_that_are_not_scored_are_passed_over():
    """Cases of the wild: null, −10⁴⁰⁰, no alternatives at all."""
    one = step("1", -0.1, **{"0": -2.0, "zzz": None, "y": -(10**400), "x": -math.inf})
    assert label_score(reply("1", one), 0.1).logp_0 == -2.0
    assert label_score(reply("1", step("1", None, **{"0": -2.0, "1": -0.5})), 0.1).logp_1 == -0.5
    for absent in ({}, {"top_logprobs": None}, {"top_logprobs": []}):
        alone = {"token": "1", "logprob": math.log(0.75)} | absent
        bound = label_score(reply("1", alone), 0.1)
        assert (math.exp(bound.logp_0), bound.bounded) == (pytest.approx(0.25), (0,))
    certain = label_score(reply("1", {"token": "1", "logprob": 0.0}), 0.1)
    assert math.isfinite(certain.logp_0) and certain.logp_0 < -100


def test_a_label_in_the_thinking_is_not_that_of_the_answer():
    thought = [step("1", -0.1, **{"0": -3.0}), step("no", -0.1), step("1", -0.2, **{"0": -2.0})]
    chunks = [{"type": "thinking", "thinking": "1no"}, {"type": "text", "text": "1"}]
    assert answered(reply(chunks, *thought)).label_logps == {0: (-2.0, -0.2)}


def test_choices_count_by_their_index():
    choices = [{"index": number, "text": str(number)} for number in (2, 0, 1)]
    assert read_reply({"choices": choices, "usage": USAGE}).text == "0"


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"error": {"message": "Provider returned error", "code": 429}}, 429, "Provider returned"),
        ({"error": {"code": "402", "metadata": {"raw": "pay"}}}, 402, "pay"),
        ({"error": {"type": "overloaded_error", "message": "busy"}}, 503, "busy"),
        ({"error": {"status": "UNAVAILABLE", "code": 503}}, 503, ""),
        ({"error": "out of order"}, None, "out of order"),
        ({"detail": [{"loc": "x"}]}, None, "loc"),
        ({"object": "error", "message": "long", "code": 400}, 400, "long"),
        ({"choices": [{"error": {"code": 502, "message": "gone"}}]}, 502, "gone"),
    ],
)
def test_an_error_in_a_body_is_the_status_that_it_names(body, status, message):
    found = read_refusal({"choices": None, "usage": None, **body})
    assert (found.status, message in found.message) == (status, True)


def test_a_reply_without_an_error_is_no_refusal():
    assert read_refusal({"choices": [{"text": "1"}], "error": None}) is None
    assert read_refusal({}) is None


@given(st.dictionaries(st.sampled_from(["error", "detail", "choices", "message"]), json_values))
def test_errors_of_any_shape_are_read(body):
    found = read_refusal(body)
    assert found is None or (isinstance(found.message, str) and found.status in (None, *range(600)))


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
    assert counted(prompt_tokens=9, completion_tokens=0, prompt_tokens_details=None) == Tokens(9)
    assert counted(prompt_tokens=9.0, completion_tokens=3.0) == Tokens(9, 0, 3)
    assert counted(prompt_tokens=9, total_tokens=12) == Tokens(9, 0, 3)
    few = counted(prompt_tokens=3, completion_tokens=0, prompt_tokens_details=details)
    assert few == Tokens(prompt=3, cached=3)
    odd = (-1, "9", None, True, 7.5, math.inf, math.nan, [9])
    wrong = [{"prompt_tokens": 9, "completion_tokens": value} for value in odd]
    wrong += [{"prompt_tokens": value, "completion_tokens": 1} for value in odd]
    wrong += [{}, {"prompt_tokens": 9}, {"prompt_tokens": 9, "total_tokens": 8}]
    for one in wrong:
        with pytest.raises(ReplyError, match="make no sense") as error:
            counted(**one)
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


def test_patience_is_what_all_waits_take():
    assert patience(0, 1.0) == 0
    assert patience(3, 0.5) == 0.5 + 1 + 2
    assert patience(8, 1.0) == 63 + 2 * LONGEST_WAIT


@given(
    st.integers(10, 5_000),
    st.lists(st.tuples(st.integers(1, 400), st.integers(0, 20)), min_size=1, max_size=60),
)
def test_no_minute_holds_more_than_the_rate_over_jobs(rate, amounts):
    now = 1_000_000.0
    sent = []
    with tempfile.TemporaryDirectory() as folder:
        jobs = [Pace(Path(folder) / "r.json", {"tokens": rate}, lambda: now) for _ in range(3)]
        for number, (amount, pause) in enumerate(amounts):
            now += pause
            while (wait := jobs[number % 3].take({"requests": 1, "tokens": amount})[0]) > 0:
                now += wait
            sent.append((now, amount))
    for start, _ in sent:
        minute = [amount for at, amount in sent if start <= at < start + 60]
        assert sum(minute) <= rate or len(minute) == 1
        tenth = [amount for at, amount in sent if start <= at < start + 10]
        assert sum(tenth) <= rate / 5 or len(tenth) == 1


def test_a_rate_is_used_up(tmp_path):
    now = 1_000_000.0
    pace = Pace(tmp_path / "r.json", {"requests": 60, "tokens": 600}, lambda: now)
    for _ in range(200):
        while (wait := pace.take({"requests": 1, "tokens": 3})[0]) > 0:
            now += wait
    assert 150 < now - 1_000_000 < 200


def test_jobs_with_other_rates_count_what_each_sends(tmp_path):
    now = 1_000_000.0
    path = tmp_path / "rates.json"
    by_tokens, by_requests, by_both = (
        Pace(path, rates, lambda: now)
        for rates in ({"tokens": 500}, {"requests": 5}, {"requests": 5, "tokens": 500})
    )
    assert by_tokens.take({"requests": 1, "tokens": 60})[0] == 0
    assert by_requests.take({"requests": 1, "tokens": 9})[0] > 0, "a request was sent"
    now += 11
    assert by_requests.take({"requests": 1, "tokens": 60})[0] == 0
    assert by_tokens.take({"requests": 1, "tokens": 60})[0] > 0, "tokens were sent"
    assert by_both.take({"requests": 1, "tokens": 1})[0] > 0
    now += 61
    assert by_both.take({"requests": 1, "tokens": 60})[0] == 0


def test_a_rate_goes_on_after_a_kill_a_correction_and_a_clock_put_back(tmp_path):
    now = 1_000_000.0
    path = tmp_path / "rates.json"

    def job():
        return Pace(path, {"requests": 60, "tokens": 600}, lambda: now)

    def granted(tokens):
        return job().take({"requests": 1, "tokens": tokens})[0] == 0

    assert granted(100)
    assert not granted(100)
    wait, piece = job().take({"requests": 1, "tokens": 20})
    assert wait == 0
    job().correct("tokens", piece, -90)
    assert granted(90)
    assert not granted(1)
    now -= 3_600  # the clock is put back: nothing is held for an hour
    assert not granted(120)
    now += 61
    assert granted(120)
    path.write_text("[torn")
    assert not granted(1)
    now += 61
    assert granted(1)


# Money and names


def settled(spending, cost, state="counted"):
    request = spending.charge_ahead(Tokens(40, 0, 9), 4 * cost, None)
    spending.settle(request, state, Tokens(10, 4, 1), cost)


@pytest.mark.parametrize(
    "line", ["\0" * 200_000, "t,r,sent,1,1,1,-5", "t,r,sent,1,1,1,nan", "t,r,sent,1,1,inf", '"']
)
def test_a_broken_line_of_charges_is_named(tmp_path, line):
    path = tmp_path / "spending.csv"
    settled(Spending(path), 0.25)
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(TabBenchError, match=r"spending\.csv: not a line of charges.*mend") as told:
        Spending(path)
    assert len(str(told.value)) < 1000


def test_charges_of_several_jobs_add_up_and_a_torn_line_is_dropped(tmp_path):
    path = tmp_path / "spending.csv"
    first, second = Spending(path), Spending(path)
    settled(first, 0.25)
    settled(second, 0.5)
    assert second.total == pytest.approx(0.75)
    with path.open("a") as file:
        file.write("2026-11-29T12:00:00," + "9" * 500)  # longer than the line that follows
    third = Spending(path)
    settled(third, 1.0)
    assert "999" not in path.read_text()
    assert third.total == Spending(path).total == pytest.approx(1.75)
    path.write_text(path.read_text().replace("0.25", "cheap"))
    with pytest.raises(TabBenchError, match=r"spending\.csv: not a line of charges.*mend"):
        Spending(path)


def test_a_charge_is_on_disk_when_it_is_settled(tmp_path, monkeypatch):
    path = tmp_path / "spending.csv"
    spending = Spending(path)
    on_disk = synchronised(path, monkeypatch)
    settled(spending, 0.5)
    (content,) = on_disk
    ahead, counted = (line.split(",")[1:] for line in content.decode().splitlines()[1:])
    assert ahead[1:] == ["sent", "40", "0", "9", "2.0"]
    assert counted == [ahead[0], "counted", "10", "4", "1", "0.5"]


def test_a_request_that_was_never_settled_costs_the_most_that_it_may(tmp_path):
    path = tmp_path / "spending.csv"
    killed = Spending(path)
    killed.charge_ahead(Tokens(40), 0.4, 1.0)
    other = Spending(path)
    assert (other.total, other.open) == (0.4, 0.4)
    assert other.charge_ahead(Tokens(70), 0.7, 1.0) is None, "the budget is exceeded"
    assert killed.charge_ahead(Tokens(70), 0.7, 1.0) is None, "the budget is exceeded"
    request = other.charge_ahead(Tokens(60), 0.6, 1.0)
    other.settle(request, "refused", Tokens(), 0.0)
    assert Spending(path).total == 0.4
    settled(other, 0.1, "estimated")
    assert killed.charge_ahead(Tokens(50), 0.5, 1.0) is not None, "what others settled is free"


def test_all_models_have_one_budget_beside_their_own(tmp_path):
    small, big = (Spending(tmp_path / name / "spending.csv", 1.0) for name in ("small", "big"))
    held = small.charge_ahead(Tokens(60), 0.6, None)
    assert big.charge_ahead(Tokens(50), 0.5, None) is None, "the total is exceeded"
    assert big.charge_ahead(Tokens(40), 0.4, 0.3) is None, "the model's own is exceeded"
    small.settle(held, "counted", Tokens(10), 0.1)
    assert big.charge_ahead(Tokens(90), 0.9, None) is not None, "what another settled is free"
    assert big.all_models == small.all_models == 1.0
    assert small.charge_ahead(Tokens(1), 0.01, None) is None
    # A budget of the model alone looks at no other.
    assert Spending(tmp_path / "small/spending.csv").charge_ahead(Tokens(9), 9.0, 10.0) is not None


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 60), st.integers(0, 4)), max_size=40)
)
def test_no_order_of_charges_and_settlements_exceeds_the_total(steps):
    with tempfile.TemporaryDirectory() as folder:
        jobs = {name: Spending(Path(folder) / name / "spending.csv", 1.0) for name in "abc"}
        flying = []
        for name, cents, replies in steps:
            request = jobs[name].charge_ahead(Tokens(cents), cents / 100, None)
            assert all(one.all_models <= 1.0 for one in jobs.values() if request)
            flying += [(name, request, cents)] if request else []
            for _ in range(min(replies, len(flying))):
                whose, answered, most = flying.pop(0)
                jobs[whose].settle(answered, "counted", Tokens(1), most / 200)
        if jobs["a"].charge_ahead(Tokens(1), 0.01, None) is None:
            assert jobs["a"].all_models > 0.99 - 1e-9


def test_a_file_that_somebody_shortened_is_read_anew(tmp_path):
    path = tmp_path / "spending.csv"
    spending = Spending(path)
    settled(spending, 0.5)
    whole = path.read_text()
    settled(spending, 0.25)
    path.write_text(whole)
    settled(spending, 1.0)
    assert spending.total == Spending(path).total == 1.5


@pytest.mark.parametrize("torn", ["2026-11-29T12:00:00", "2026-11-29T12:00:00,10,0", "2,"])
def test_a_torn_charge_leaves_no_trace_in_the_next_one(tmp_path, torn):
    path = tmp_path / "spending.csv"
    settled(Spending(path), 0.25)
    whole = path.read_text()
    with path.open("a") as file:
        file.write(torn)
    assert Spending(path).total == pytest.approx(0.25)
    settled(Spending(path), 0.5)
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


def test_an_alternative_with_an_empty_text_is_one():
    """llama.cpp lists control tokens so."""
    listed = [{"token": "1", "logprob": -0.5}, {"token": "", "logprob": -2.0}]
    (step,) = read_steps({"content": [{**listed[0], "top_logprobs": listed}]})
    assert step.listed == {"1": -0.5, "": -2.0}
    assert _compares(step)
