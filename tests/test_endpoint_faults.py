"""Every fault of an endpoint leaves each prompt one answer or one recorded failure."""

import pytest
from endpoint_run import asks, charged, charges, log, run
from fault_server import FAULTS, always, fault_server, never

from tabbench.core.job import job
from tabbench.inference.engines import exchange
from tabbench.inference.failures import read_failures

KEY = "sk-toy/example+key=="
PRICES = {
    **{"currency": "USD", "as_of": "2026-11-29"},
    **{"input": 1000.0, "cached_input": 1.0, "output": 2000.0},
}

ANSWERED = {
    *("two_choices", "thinking", "half_character", "half_character_as_token", "byte_order_mark"),
    *("bytes_that_are_no_utf8", "null_character", "no_text", "chunks", "chunks_with_thinking"),
    *("endless_integer", "minus_infinity", "not_a_number", "null_alternative", "null_logprob"),
    *("no_top_logprobs", "endless_bytes", "cached_above_prompt", "counts_as_floats"),
    *("completion_in_total", "choices_out_of_order", "packed", "key_in_text"),
}
STOPPING = {
    **{"wrong_key": "http_401", "quota": "rate_limit", "long_wait": "rate_limit"},
    **{f"http_{status}": f"http_{status}" for status in (402, 403, 404)},
    **{"error_401": "http_401", "error_402": "http_402"},
    **{f"redirect_{status}": f"http_{status}" for status in (301, 302, 303, 307, 308)},
}
FAILED = {
    **{name: name for name in ("no_logprobs", "no_choice", "wrong_model", "no_usage", "timeout")},
    **{name: name for name in ("content_filter", "connection", "malformed_json", "too_large")},
    **{name: name for name in FAULTS if name.startswith("http_") and name not in STOPPING},
    **{"rate_limit": "rate_limit", "rate_limit_date": "rate_limit"},
    **{"half_character_in_error": "http_400", "key_in_error": "http_400"},
    **{
        "number_as_text": "bad_reply",
        "chunk_that_is_none": "bad_reply",
        "refusal": "content_filter",
    },
    **dict.fromkeys(("positive_logprob", "text_as_logprob", "number_as_token"), "bad_logprobs"),
    **{"logprobs_as_list": "bad_logprobs", "steps_as_text": "bad_logprobs"},
    **dict.fromkeys(("absurd_count", "large_count", "negative_count"), "no_usage"),
    **dict.fromkeys(("text_as_count", "truth_as_count", "usage_as_list"), "no_usage"),
    **{"null_usage": "no_usage", "null_message": "bad_reply", "null_model": "wrong_model"},
    **dict.fromkeys(("choice_as_text", "choices_as_mapping", "null_choices"), "no_choice"),
    **{"error_429": "rate_limit", "error_429_as_text": "rate_limit", "error_500": "http_500"},
    **{"error_400": "http_400", "error_by_word": "rate_limit", "error_of_no_code": "error_reply"},
    **{"error_of_half_characters": "http_400", "error_as_text": "error_reply"},
    **{"error_as_detail": "error_reply", "error_as_object": "http_400"},
    **{"error_in_choice": "http_502", "error_in_a_list": "http_400"},
    **{name: "rate_limit" for name in FAULTS if name.startswith("retry_")},
    **dict.fromkeys(("no_content", "empty", "page", "events", "nested"), "malformed_json"),
    **dict.fromkeys(("nested_object", "long_integer", "list"), "malformed_json"),
    **{"reset": "connection", "closed": "connection", "no_http": "connection"},
    **{"strange_status": "http_999", "broken_chunks": "connection", "endless_header": "connection"},
    **{"dripping": "timeout", "packed_bomb": "too_large", "packed_half": "malformed_json"},
    **dict.fromkeys(("packed_twice", "packed_not", "packed_otherwise"), "bad_encoding"),
}
TOO_LONG = {"too_long": "too_long", "error_too_long": "too_long"}
"""No fault but an outcome, after which the job goes on."""
CHAT = {"chunks", "chunks_with_thinking", "refusal", "null_message"}
"""Faults that only messages have, not texts that are completed."""

UNKNOWN_COST = {
    *("no_usage", "malformed_json", "connection", "timeout", "too_large", "bad_encoding"),
}
"""Kinds after which the endpoint's count is unknown, so that the charge is an estimate."""


def test_every_kind_of_fault_has_an_outcome():
    assert FAULTS.keys() == ANSWERED | STOPPING.keys() | FAILED.keys() | TOO_LONG.keys()
    assert len(FAULTS) >= 70


@pytest.mark.parametrize("fault", FAULTS)
def test_each_prompt_has_one_answer_or_one_recorded_failure(tmp_path, monkeypatch, capsys, fault):
    monkeypatch.setenv("TOY_KEY", KEY + "\r\n")
    monkeypatch.setattr(exchange, "MOST_BYTES", 2**20)
    kind = (FAILED | STOPPING | TOO_LONG).get(fault)

    def one_row_fails(text, time):
        return always(text, time) and "x = 1. " in text

    def asked(server):
        limits = {"retries": 1, "timeout": 0.3 if kind == "timeout" else 5, "in_flight": 2}
        endpoint = {"url": server.url, "api_key_env": "TOY_KEY"}
        with job(str(tmp_path / "job.log")):
            return run(
                tmp_path,
                server,
                asks(3),
                limits=limits,
                endpoint=endpoint,
                prices=PRICES,
                style="chat" if fault in CHAT else "completion",
            )

    with fault_server(fault, one_row_fails) as server:
        if kind is None:
            assert asked(server) == (6, 0, 6, 0, 0)
        elif fault in TOO_LONG:
            assert asked(server) == (6, 0, 4, 0, 2)
        else:
            with pytest.raises(SystemExit):
                asked(server)
            assert "ERROR: " in (tmp_path / "job.log").read_text()
        answered, failed = log(tmp_path), read_failures(tmp_path / "k0.jsonl")
        assert len(answered) == len(set(answered))
        assert not failed.keys() & set(answered)
        if fault in FAILED or fault in TOO_LONG:
            assert (len(answered), len(failed)) == (4, 2)
        if kind is not None:
            assert {one.failure.kind for one in failed.values()} == {kind}
        assert all(one.failure.message.strip() for one in failed.values())
        # Money: what the server bills, or where it cannot be known at least that.
        assert server.keys == {f"Bearer {KEY}"}
        if kind in UNKNOWN_COST:
            assert all(a >= b for a, b in zip(charged(tmp_path), server.billed, strict=True))
            assert {line["state"] for line in charges(tmp_path)} >= {"estimated"}
        else:
            assert charged(tmp_path) == server.billed
            assert {line["state"] for line in charges(tmp_path)} <= {"counted", "refused"}
        # The key: in nothing that is printed or written.
        written = "".join(p.read_text() for p in tmp_path.rglob("*") if p.is_file())
        everything = written + "".join(capsys.readouterr())
        assert not [form for form in (KEY, KEY.replace("+", "%2B")) if form in everything]
        # When the fault is over, exactly the missing ones are asked.
        server.fails = never
        before = sum(server.asked.values())
        asked(server)
        assert sum(server.asked.values()) - before == 6 - len(answered)
    assert len(set(log(tmp_path))) == len(log(tmp_path)) == 6
    assert read_failures(tmp_path / "k0.jsonl") == {}
