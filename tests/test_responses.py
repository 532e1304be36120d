"""The response log: exact round trips, torn ends, keys that hold everything."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.engines.base import Description, Generation, LabelScore, Prompt, Request
from tabbench.errors import TabBenchError
from tabbench.responses import Identity, Response, ResponseLog, read_responses, request_keys

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


def test_two_runs_cannot_write_one_log(tmp_path):
    path = tmp_path / "k0.jsonl"
    with ResponseLog(path), pytest.raises(TabBenchError, match="another run is writing"):
        ResponseLog(path).__enter__()


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
