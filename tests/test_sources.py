"""Sources of raw files: what is there, what fails, and what a failure says."""

import hashlib
import io
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pandas as pd
import pytest

from tabbench.config.dataset_entry import Source, SourceFile
from tabbench.core.errors import TabBenchError
from tabbench.data.readers import read_raw
from tabbench.data.sources import fetch as fetching
from tabbench.data.sources import url
from tabbench.data.sources.fetch import fetch
from tabbench.data.sources.kaggle import from_kaggle
from tabbench.data.sources.local import Unavailable
from tabbench.data.sources.openml import from_openml

CONTENT = b"age,label\n31,yes\n52,no\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def source(path="toy/a.csv", digest=DIGEST, kind="mirror", address=None, **changes):
    return Source(kind, (SourceFile(path, digest, address),), "csv", **changes)


@pytest.fixture
def mirror(tmp_path):
    (tmp_path / "mirror/toy").mkdir(parents=True)
    (tmp_path / "mirror/toy/a.csv").write_bytes(CONTENT)
    return tmp_path / "mirror"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(url.time, "sleep", lambda _: None)


# On this machine


def test_a_changed_file_is_refused(mirror, tmp_path):
    with pytest.raises(TabBenchError, match=r"dataset 'toy'.*a\.csv has sha256 .*expected 000"):
        fetch("toy", [source(digest="0" * 64)], mirror, tmp_path / "out")


def test_a_missing_file_lists_what_was_tried_and_the_manual_way(tmp_path):
    package = source("b.csv", kind="package", package="not_there")
    with pytest.raises(TabBenchError) as error:
        fetch("toy", [source("x/a.csv"), package], tmp_path, tmp_path / "out")
    message = str(error.value)
    assert "dataset 'toy'" in message
    assert "lacks x/a.csv" in message
    assert "package not_there: not installed" in message
    assert "Put x/a.csv into a folder" in message
    assert "'mirror' in the configuration" in message


def test_the_mirror_comes_before_the_net(mirror, tmp_path, monkeypatch):
    monkeypatch.setitem(fetching.KINDS, "url", lambda *_: pytest.fail("asked the net"))
    used = fetch("toy", [source(kind="url", address="http://x")], mirror, tmp_path / "out")
    assert used == (0, "mirror")
    assert (tmp_path / "out/a.csv").read_bytes() == CONTENT


def test_the_next_source_is_used_when_the_first_is_absent(mirror, tmp_path):
    assert fetch("toy", [source("b.csv"), source()], mirror, tmp_path / "out").source == 1


def test_all_files_of_a_source_or_none(mirror, tmp_path):
    both = Source("mirror", (SourceFile("toy/a.csv"), SourceFile("toy/b.csv")), "csv")
    with pytest.raises(TabBenchError):
        fetch("toy", [both], mirror, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


# Addresses


class Server(ThreadingHTTPServer):
    """Answers each path with the next of its responses; the last one repeats."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.responses, self.asked = {}, []

    def address(self, path, *responses):
        self.responses[path] = list(responses)
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        waiting = self.server.responses[self.path]
        status, body, length = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def whole(body=CONTENT):
    return 200, body, len(body)


BROKEN = (200, CONTENT[:9], len(CONTENT))
BUSY = (503, b"", 0)
ABSENT = (404, b"", 0)


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("digest", [DIGEST, None])
@pytest.mark.parametrize(
    ("responses", "requests"),
    [((whole(),), 1), ((BUSY, whole()), 2), ((BROKEN, BROKEN, whole()), 3)],
)
def test_a_file_is_fetched_after_passing_failures(server, tmp_path, digest, responses, requests):
    address = server.address("/a.csv", *responses)
    used = fetch("toy", [source("a.csv", digest, "url", address)], None, tmp_path / "out")
    assert used.label == "url"
    assert (tmp_path / "out/a.csv").read_bytes() == CONTENT
    assert len(server.asked) == requests


@pytest.mark.parametrize("digest", [DIGEST, None])
@pytest.mark.parametrize(
    ("response", "requests"), [(BUSY, url.TRIES), (BROKEN, url.TRIES), (ABSENT, 1)]
)
def test_what_cannot_be_fetched_leaves_nothing(server, tmp_path, digest, response, requests):
    address = server.address("/a.csv", response)
    with pytest.raises(TabBenchError) as error:
        fetch("toy", [source("toy/a.csv", digest, "url", address)], None, tmp_path / "out")
    assert address in str(error.value)
    assert "dataset 'toy'" in str(error.value)
    assert "Put toy/a.csv into a folder" in str(error.value)
    assert len(server.asked) == requests
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_another_content_is_not_taken(server, tmp_path):
    wrong = source("a.csv", DIGEST, "url", server.address("/a.csv", whole(b"other")))
    good = source("a.csv", DIGEST, "url", server.address("/b.csv", whole()))
    assert fetch("toy", [wrong, good], None, tmp_path / "out").source == 1
    with pytest.raises(TabBenchError, match="its content is not the known one"):
        fetch("toy", [wrong], None, tmp_path / "other")


def test_a_server_that_is_not_there_is_explained(tmp_path):
    nobody = source("a.csv", DIGEST, "url", "http://127.0.0.1:9/a.csv")
    with pytest.raises(TabBenchError, match=r"127\.0\.0\.1.*9"):
        fetch("toy", [nobody], None, tmp_path / "out")


def zipped(name, content=CONTENT):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"folder/{name}", content)
    return file.getvalue()


def test_a_file_is_taken_out_of_a_zip(server, tmp_path):
    address = server.address("/zip/toy/download/2", whole(zipped("a.csv")))
    fetch("toy", [source("toy/a.csv", DIGEST, "url", address)], None, tmp_path / "out")
    assert (tmp_path / "out/a.csv").read_bytes() == CONTENT


def test_the_only_csv_of_a_zip_is_taken_when_its_content_is_not_known(server, tmp_path):
    address = server.address("/zip/toy", whole(zipped("Survey v2.csv")))
    fetch("toy", [source("toy/a.csv", None, "url", address)], None, tmp_path / "out")
    assert (tmp_path / "out/a.csv").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (zipped("b.csv"), r"no 'a\.csv' in it, but \['folder/b\.csv'\]"),
        (zipped("a.csv", b"other"), "not the file with the known sha256"),
        (b"<html>", "not a zip archive"),
    ],
)
def test_a_zip_without_the_file_is_explained(server, tmp_path, body, message):
    address = server.address("/a.zip", whole(body))
    with pytest.raises(TabBenchError, match=message):
        fetch("toy", [source("toy/a.csv", DIGEST, "url", address)], None, tmp_path / "out")


# OpenML


def openml_source():
    return Source("openml", (SourceFile("openml.csv"),), id=37)


def test_openml_cells_become_text(tmp_path):
    frame = pd.DataFrame({
        "n": [1.0, 2.5, None],
        "c": pd.Categorical(["a,b", None, "c"]),
        "y": pd.Categorical(["1", "2", "2"]),
    })  # fmt: skip
    asked = []

    def fake(**arguments):
        asked.append(arguments)
        return SimpleNamespace(frame=frame)

    from_openml(openml_source(), tmp_path, fake)
    assert asked[0]["data_id"] == 37
    assert read_raw(tmp_path, openml_source()).to_dict("list") == {
        "n": ["1", "2.5", ""],
        "c": ["a,b", "", "c"],
        "y": ["1", "2", "2"],
    }


def test_openml_is_asked_again_and_then_given_up(tmp_path):
    asked = []

    def fails(**_):
        asked.append(1)
        raise ConnectionError("no route")

    with pytest.raises(Unavailable, match=r"openml\.org/d/37: no route"):
        from_openml(openml_source(), tmp_path, fails)
    assert len(asked) == url.TRIES
    assert list(tmp_path.iterdir()) == []


# Kaggle


def fake_kaggle(monkeypatch, download):
    monkeypatch.setitem(sys.modules, "kagglehub", SimpleNamespace(dataset_download=download))


def kaggle_source(digest=DIGEST):
    return source("toy/a.csv", digest, "kaggle", slug="owner/name")


def test_kaggle_files_are_found_by_name_or_as_the_only_one(monkeypatch, tmp_path):
    folder = tmp_path / "kaggle"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/a.csv").write_bytes(CONTENT)
    (folder / "b.csv").write_bytes(b"b\n")
    fake_kaggle(monkeypatch, lambda _: str(folder))
    (tmp_path / "out").mkdir()
    from_kaggle(kaggle_source(), tmp_path / "out")
    assert (tmp_path / "out/a.csv").read_bytes() == CONTENT
    with pytest.raises(Unavailable, match="not the file with the known sha256; open https://www"):
        from_kaggle(kaggle_source("0" * 64), tmp_path / "out")
    with pytest.raises(Unavailable, match=r"no c\.csv in it, but \['b\.csv', 'a\.csv'"):
        from_kaggle(source("c.csv", None, "kaggle", slug="owner/name"), tmp_path / "out")
    (folder / "b.csv").unlink()
    from_kaggle(source("toy/c.csv", None, "kaggle", slug="owner/name"), tmp_path / "out")
    assert (tmp_path / "out/c.csv").read_bytes() == CONTENT


class HTTPError(OSError):
    def __init__(self, status):
        super().__init__(f"status {status}")
        self.response = SimpleNamespace(status_code=status)


@pytest.mark.parametrize(
    ("status", "requests", "words"),
    [(403, 1, "Kaggle wants credentials"), (500, url.TRIES, "status 500")],
)
def test_kaggle_failures_name_the_page_and_the_file(monkeypatch, tmp_path, status, requests, words):
    asked = []

    def refuses(slug):
        asked.append(slug)
        raise HTTPError(status)

    fake_kaggle(monkeypatch, refuses)
    with pytest.raises(TabBenchError) as error:
        fetch("toy", [kaggle_source()], None, tmp_path / "out")
    message = str(error.value)
    assert words in message
    assert "open https://www.kaggle.com/datasets/owner/name" in message
    assert "put toy/a.csv into the mirror folder" in message
    assert asked == ["owner/name"] * requests


def test_without_kagglehub_its_package_and_the_page_are_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "kagglehub", None)
    with pytest.raises(
        Unavailable, match=r"requirements-optional\.txt.*kaggle\.com/datasets/owner"
    ):
        from_kaggle(kaggle_source(), tmp_path)
