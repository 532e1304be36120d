"""Lines and objects of batches: any of them is read or is a named error."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tabbench.inference.engines.batch_calls import read_look
from tabbench.inference.engines.batch_lines import Posted, read_line, read_lines, write_requests
from tabbench.inference.engines.steps import ReplyError


def test_files_of_requests_keep_both_limits(tmp_path):
    posted = [(str(number), Posted("/x", {"prompt": "é" * 50})) for number in range(9)]
    file = tmp_path / "requests"
    whole = write_requests(file, posted)
    size = whole.ends[0]
    assert file.stat().st_size == whole.ends[-1] == 9 * size
    assert len(write_requests(file, posted, most_requests=4).keys) == 4
    assert file.read_bytes().count(b"\n") == 4
    assert len(write_requests(file, posted, most_bytes=3 * size).keys) == 3
    assert len(write_requests(file, posted, most_bytes=3 * size - 1).keys) == 2
    assert len(write_requests(file, posted, most_bytes=1).keys) == 1
    written = write_requests(file, posted)
    written.cut(file, 5)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["custom_id"] for line in lines] == written.keys == list("01234")
    assert lines[0] == {
        **{"custom_id": "0", "method": "POST", "url": "/v1/x"},
        "body": {"prompt": "é" * 50},
    }
    assert len(written.most) == len(written.ends) == 5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = st.dictionaries(
    st.sampled_from(["custom_id", "response", "error", "status_code", "body"]), JSON
)
REPLY = st.fixed_dictionaries({}, optional={"status_code": JSON, "body": JSON | FIELDS})
LINE = st.fixed_dictionaries(
    {},
    optional={
        "custom_id": st.sampled_from(["a", "b"]) | JSON,
        "response": JSON | REPLY,
        "error": JSON,
    },
)


@given(st.binary() | LINE.map(lambda one: json.dumps(one).encode()))
def test_any_line_is_one_of_a_request_or_none(raw):
    line = read_line(raw)
    assert line is None or (isinstance(line.key, str) and isinstance(line.body, dict))
    assert line is None or isinstance(line.status, int)


@given(st.lists(LINE.map(lambda one: json.dumps(one).encode()), max_size=6))
def test_of_each_request_the_first_line_counts(tmp_path_factory, raws):
    file = tmp_path_factory.mktemp("lines") / "output"
    file.write_bytes(b"\n".join(raws))
    found = list(read_lines([file, file], ["a", "b", "c"]))
    firsts = {}
    for raw in raws:
        line = read_line(raw)
        if line is not None and line.key in ("a", "b", "c"):
            firsts.setdefault(line.key, line)
    assert repr(found) == repr(list(firsts.values()))  # NaN is not equal to itself


LOOK = st.fixed_dictionaries(
    {},
    optional={
        "id": st.just("batch_1") | JSON,
        "status": st.sampled_from(["validating", "failed", "expired"]) | JSON,
        "request_counts": JSON | st.dictionaries(st.sampled_from(["total", "completed"]), JSON),
        "errors": JSON | st.fixed_dictionaries({"data": JSON | st.lists(FIELDS)}),
        "output_file_id": st.none() | st.just("file") | JSON,
        "created_at": JSON,
        "completed_at": JSON,
    },
)


@given(LOOK)
def test_any_object_is_a_batch_or_an_error(body):
    try:
        look = read_look(body)
    except ReplyError:
        return
    assert look.name
    assert 0 <= look.done <= look.requests
    assert look.seconds is None or look.seconds >= 0


def test_a_batch_says_how_it_is_doing():
    look = read_look(
        {
            **{"id": "batch_1", "status": "expired", "created_at": 100, "expired_at": 160},
            "request_counts": {"total": 9, "completed": 5, "failed": 2},
            **{"output_file_id": "file-1", "error_file_id": None},
            "errors": {"data": [{"code": "token_limit_exceeded", "message": "wait", "line": None}]},
        }
    )
    assert (look.done, look.requests, look.seconds) == (7, 9, 60.0)
    assert look.files == ("file-1", None)
    assert look.ended
    assert look.why == "token_limit_exceeded wait"
    assert not look.no_room  # it has expired
