"""The response log: exact round trips, torn ends, keys that hold everything."""

import dataclasses
import errno
import fcntl
import json
import math
import multiprocessing
import os
import time

import pytest
from disk import synchronised
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.core.locks import alone
from tabbench.inference.engines.base import (
    Description,
    Generation,
    LabelScore,
    Prompt,
    Request,
    Text,
)
from tabbench.inference.responses import (
    Identity,
    Response,
    ResponseLog,
    read_responses,
    request_keys,
)

HERE = Description("transformers", "completion", "float32", "abc")
WHO = Identity("small", "sha", "transformers/1", "completion", "float32", "{}", True, 4, ("\n",))
numbers = st.floats(allow_nan=False, allow_infinity=False)
answers = st.one_of(
    st.builds(
        LabelScore,
        numbers,
        numbers,
        st.integers(0, 9999),
        numbers,
        st.sampled_from([(), (0,), (0, 1)]),
    ),
    st.builds(
        Generation,
        st.text(),
        st.none() | st.dictionaries(st.integers(0, 99), st.tuples(numbers, numbers), max_size=3),
        st.integers(0, 9999),
        st.integers(0, 99),
        numbers,
        st.sampled_from([(), (5,)]),
    ),
)


def scored(key, p=-0.1):
    return Response(key, LabelScore(p, -2.0, 10, 0.5), HERE)


@given(st.lists(answers, min_size=1, max_size=5))
def test_what_is_logged_is_read_back_exactly(tmp_path_factory, logged):
    path = tmp_path_factory.mktemp("log") / "k0.jsonl"
    responses = [Response(str(n), answer, HERE) for n, answer in enumerate(logged)]
    with ResponseLog(path) as log:
        log.append(responses)
    assert list(read_responses(path).values()) == responses


@pytest.mark.parametrize("torn", [b'{"key": "b", "mod', b"\xff\xfe", b"{}"])
def test_a_torn_last_line_is_dropped_and_written_over(tmp_path, torn):
    path = tmp_path / "k0.jsonl"
    with ResponseLog(path) as log:
        log.append([scored("a")])
    path.write_bytes(path.read_bytes() + torn)
    assert set(read_responses(path)) == {"a"}
    with ResponseLog(path) as log:
        log.append([scored("b")])
    assert set(read_responses(path)) == {"a", "b"}
    assert len(path.read_bytes().splitlines()) == 2


def test_a_broken_line_in_the_middle_is_an_error(tmp_path):
    path = tmp_path / "k0.jsonl"
    path.write_text("nonsense\n{}\n")
    with pytest.raises(TabBenchError, match=r"k0\.jsonl, line 1: not a response record"):
        read_responses(path)


def test_the_first_of_two_answers_counts(tmp_path):
    path = tmp_path / "k0.jsonl"
    with ResponseLog(path) as log:
        log.append([scored("a", -0.1), scored("a", -0.9)])
    assert read_responses(path)["a"] == scored("a", -0.1)


def appended(path, *lines):
    """A log of "a", the lines, and "z"."""
    with ResponseLog(path) as log:
        log.append([scored("a")])
    with path.open("ab") as file:
        file.writelines(lines)
    with ResponseLog(path) as log:
        log.append([scored("z")])
    return read_responses(path)


def line_of(**changes):
    record = {
        **{"key": "b", "mode": "forward", "engine": "e", "style": "s", "dtype": "d"},
        **{"template": "t", "logp_0": -1.0, "logp_1": -2.0, "prompt_tokens": 3, "seconds": 0.1},
        **changes,
    }
    return json.dumps({k: v for k, v in record.items() if v is not None}).encode() + b"\n"


@pytest.mark.parametrize(
    "edited",
    [
        line_of(),
        line_of().replace(b'": ', b'" :  '),
        line_of().replace(b"\n", b"\r\n"),
        json.dumps(json.loads(line_of()), sort_keys=True).encode() + b"\n",
    ],
    ids=["as written", "spaces", "line end", "order"],
)
def test_a_line_saved_by_an_editor_is_still_a_record(tmp_path, edited):
    responses = appended(tmp_path / "k0.jsonl", b"\n", edited, b"  \n")
    assert list(responses) == ["a", "b", "z"]
    assert responses["b"].answer == LabelScore(-1.0, -2.0, 3, 0.1)
    assert responses["z"] == scored("z")


@pytest.mark.parametrize(
    ("foreign", "why"),
    [
        (line_of(confidence=1), "confidence.*does not know"),
        (line_of(seconds=None), "lacks.*seconds"),
        (line_of(mode="ranking"), "no mode that this version knows"),
        (line_of(logp_0="-1.0"), "logp_0 is '-1.0'"),
        (line_of(engine=7), "engine is 7"),
        (line_of(mode="generation"), "lacks.*text"),
        (line_of()[:40] + b"}\n", r"\(.*char"),
        (b"[1]\n", "no mode"),
        (line_of(key=5), "key is no text"),
    ],
)
def test_a_line_of_another_version_or_hand_is_named_when_it_is_read(tmp_path, foreign, why):
    with pytest.raises(TabBenchError, match=rf"k0\.jsonl, line 2: not a response record.*{why}"):
        _ = appended(tmp_path / "k0.jsonl", foreign)["b"]


@pytest.mark.parametrize("torn", [1, 1 << 16, (1 << 16) + 7, 3 << 16])
def test_a_torn_line_of_any_length_is_cut(tmp_path, torn):
    path = tmp_path / "k0.jsonl"
    assert list(appended(path, b"x" * torn)) == ["a", "z"]
    path.write_bytes(b"x" * torn)
    with ResponseLog(path):
        assert path.read_bytes() == b""


def test_reading_on_finds_only_what_was_added(tmp_path):
    path = tmp_path / "k0.jsonl"
    responses = read_responses(path)
    assert len(responses) == 0
    for number, key in enumerate("abc", start=1):
        with ResponseLog(path) as log:
            log.append([scored(key)])
        path.write_bytes(path.read_bytes() + b'{"torn')
        responses.read_on()
        assert len(responses) == number
        assert responses[key] == scored(key)
    with ResponseLog(path), path.open("ab") as file:
        file.write(b"nonsense\n")
    with pytest.raises(TabBenchError, match="line 4"):
        responses.read_on()


def write_apart(path, name, ready):
    """Append 40 batches of 5 answers, each under the lock (in a process of its own)."""
    ready.wait()
    for batch in range(40):
        with ResponseLog(path, waiting=str) as log:
            log.append(scored(f"{name}{batch}-{number}") for number in range(5))


def test_two_processes_lose_nothing(tmp_path):
    path = tmp_path / "k0.jsonl"
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(2)
    writers = [spawn.Process(target=write_apart, args=(path, name, ready)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=120)
        assert writer.exitcode == 0
    wanted = {f"{name}{batch}-{n}" for name in "ab" for batch in range(40) for n in range(5)}
    assert set(read_responses(path)) == wanted
    assert len(path.read_bytes().splitlines()) == len(wanted)


def test_who_waits_for_a_log_is_told(tmp_path):
    path, told = tmp_path / "k0.jsonl", []
    spawn = multiprocessing.get_context("spawn")
    with ResponseLog(path, told.append) as log:
        other = spawn.Process(target=_wait_and_append, args=(path, path.with_suffix(".told")))
        other.start()
        while not path.with_suffix(".told").exists():
            assert other.is_alive()
            time.sleep(0.02)
        log.append([scored("a")])
    other.join(timeout=60)
    assert list(read_responses(path)) == ["a", "b"]
    assert told == []
    assert "waiting for another run" in path.with_suffix(".told").read_text()


def _wait_and_append(path, told):
    with ResponseLog(path, waiting=told.write_text) as log:
        log.append([scored("b")])


def ask(mode="forward", system="s", prefix="p", query="q"):
    return Request(mode, Prompt(system, prefix, query))


def key(identity=WHO, **parts):
    return request_keys(identity, [ask(**parts)])[0]


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Identity)])
def test_every_field_of_the_identity_changes_the_key_of_a_generation(field):
    old = getattr(WHO, field)
    new = {bool: lambda: not old, int: lambda: old + 1, tuple: lambda: ("x",)}
    changed = dataclasses.replace(WHO, **{field: new.get(type(old), lambda: old + "x")()})
    assert key(changed, mode="generation") != key(mode="generation")


def test_decoding_does_not_change_the_key_of_a_score():
    assert key(dataclasses.replace(WHO, max_new_tokens=99, stop=())) == key()


def test_every_part_of_the_prompt_changes_the_key():
    keys = [key(), key(mode="generation"), key(system="x"), key(prefix="x"), key(query="x")]
    assert len(set(keys)) == 5


def test_a_repeat_has_a_key_of_its_own_and_a_kind_has_none():
    first = ask()
    repeats = [dataclasses.replace(first, repeat=number) for number in range(3)]
    kinds = [dataclasses.replace(first, kind=kind) for kind in ("", "html")]
    keys = request_keys(WHO, [*repeats, *kinds])
    assert len(set(keys)) == 3
    assert keys[0] == keys[3] == keys[4] == key()


def test_the_key_is_of_the_whole_prompt_not_of_where_it_is_cut():
    assert key(prefix="ab", query="c") == key(prefix="a", query="bc")
    assert key(system="sp", prefix="") != key(system="s", prefix="p")


def test_a_record_is_one_line_of_json(tmp_path):
    path = tmp_path / "k0.jsonl"
    with ResponseLog(path) as log:
        log.append([Response("a", Generation("1\n\u2028", {0: (-1.0, -0.5)}, 3, 2, 0.1), HERE)])
    record = json.loads(path.read_text(encoding="utf-8").removesuffix("\n"))
    assert record["text"] == "1\n\u2028"
    assert record["engine"] == "transformers"


def test_each_kind_of_request_has_a_key_of_its_own():
    assert len({WHO.as_key(mode) for mode in ("forward", "generation", "text")}) == 3


def test_what_is_no_number_is_never_logged(tmp_path):
    path = tmp_path / "k0.jsonl"
    with (
        ResponseLog(path) as log,
        pytest.raises(TabBenchError, match=r"response a .*JSON compliant"),
    ):
        log.append([scored("a", float("nan"))])
    assert path.read_bytes() == b""


def test_a_batch_is_on_disk_when_its_append_returns(tmp_path, monkeypatch):
    path = tmp_path / "k0.jsonl"
    with ResponseLog(path) as log:
        on_disk = synchronised(path, monkeypatch)
        for key in ("a", "b"):
            log.append([scored(key)])
            assert on_disk[-1] == path.read_bytes()
            assert f'"key": "{key}"'.encode() in on_disk[-1]


def test_a_file_system_without_locks_is_named(tmp_path, monkeypatch):
    """Case of the wild: flock says ENOSYS and no path."""

    def refused(*_):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", refused)
    path = tmp_path / "k0.jsonl"
    message = r"k0\.jsonl: this file system cannot lock files.*another file system"
    with pytest.raises(TabBenchError, match=message):
        ResponseLog(path).__enter__()
    with pytest.raises(TabBenchError, match=message), alone(path):
        pass


def test_what_can_be_stored_is_stored_before_what_cannot_is_named(tmp_path):
    path = tmp_path / "k0.jsonl"
    odd = Response("odd", Text("half \ud83d", 1, 1, 0.1, True), HERE)
    with ResponseLog(path) as log, pytest.raises(TabBenchError, match="response odd cannot"):
        log.append([scored("a"), odd, scored("b", math.nan), scored("c")])
    assert list(read_responses(path)) == ["a", "c"]
