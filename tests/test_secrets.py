"""Secrets leave the process in no form: not in logs, messages, tracebacks or records."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from endpoint_run import entry
from hypothesis import given
from hypothesis import strategies as st

from tabbench.config.endpoints import Endpoint
from tabbench.config.model_entry import parse_model
from tabbench.config.validation import load_yaml, validate
from tabbench.core import secrets
from tabbench.core.errors import TabBenchError
from tabbench.core.job import job
from tabbench.core.secrets import SHORTEST, keep_secret, masked, without_secrets
from tabbench.inference.engines.client import api_key
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.engines.replies import parse_json

ROOT = Path(__file__).parents[1]
KEY = "sk-toy/another+key=="
ENDPOINT = Endpoint("http://127.0.0.1:9/v1", "m", api_key_env="TOY_KEY")


keys = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="*"), min_size=SHORTEST
)


@given(keys, st.text())
def test_a_secret_is_masked_in_every_form(secret, around):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_forms", set())
        keep_secret(secret)
        for form in (secret, repr(secret)[1:-1], quote(secret, safe="")):
            assert form not in without_secrets(f"{around} {form} {around}{form}")


def test_dummy_keys_and_plain_texts_stay():
    keep_secret("none")
    keep_secret("1")
    assert masked("none 1 https://example.org/@me a@b.org") == (
        "none 1 https://example.org/@me a@b.org"
    )


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\t", " "])
def test_a_key_from_a_file_with_line_ends_is_the_key(monkeypatch, end):
    """Case of the wild: a key that was read from a file."""
    monkeypatch.setenv("TOY_KEY", f" {KEY}{end}")
    assert api_key(ENDPOINT) == KEY


@pytest.mark.parametrize(
    ("odd", "place"), [("\r", 8), (" ", 8), ("é", 8), ("\u200b", 8), ("\x7f", 8)]
)
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(monkeypatch, odd, place):
    monkeypatch.setenv("TOY_KEY", f"sk-toy1{odd}2345")
    with pytest.raises(TabBenchError, match=f"TOY_KEY cannot be sent: its character {place}") as at:
        api_key(ENDPOINT)
    assert "toy1" not in str(at.value) and "2345" not in str(at.value)


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_a_missing_key_names_its_variable(monkeypatch, value):
    monkeypatch.delenv("TOY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("TOY_KEY", value)
    with pytest.raises(TabBenchError, match="set the environment variable TOY_KEY"):
        api_key(ENDPOINT)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ALL_PROXY", "socks://me:swordfish1@127.0.0.1:9", r"ALL_PROXY=socks://\*\*\*@127.*proxy"),
        ("ALL_PROXY", "socks5://127.0.0.1:9", "ALL_PROXY=socks5://127.0.0.1:9: this proxy cannot"),
        ("SSL_CERT_FILE", "/no/such/file.pem", "SSL_CERT_FILE=/no/such/file.pem: these certif"),
    ],
)
def test_what_the_environment_names_wrongly_is_one_sentence(
    tmp_path, monkeypatch, name, value, message
):
    """Cases of the wild: a SOCKS proxy, certificates that are not there."""
    monkeypatch.setenv(name, value)
    model = parse_model("faulty", entry("http://127.0.0.1:9/v1"))
    with pytest.raises(TabBenchError, match=message) as error:
        OpenAIEngine(model, tmp_path).capabilities()
    assert "swordfish1" not in str(error.value)


def test_no_reply_brings_a_secret_in():
    keep_secret(KEY)
    escaped = KEY.replace("/", "\\/").replace("+", "\\u002b")
    for text in (KEY, escaped):
        assert parse_json(f'{{"{text}": ["{text}"]}}') == {"***": ["***"]}


def test_a_log_and_a_terminal_hold_no_secret(tmp_path, capfd):
    keep_secret(KEY)
    log = tmp_path / "x.log"
    with pytest.raises(SystemExit), job(str(log)):
        print(f"key {KEY}, half a character \ud83d")
        print(KEY, file=sys.stderr)
        raise TabBenchError(f"{KEY} at http://me:swordfish1@example.org")
    with pytest.raises(RuntimeError), job(str(tmp_path / "y.log")):
        raise RuntimeError(KEY)
    everything = log.read_text() + (tmp_path / "y.log").read_text() + "".join(capfd.readouterr())
    assert "RuntimeError: ***" in everything
    assert "half a character \\ud83d" in everything
    assert KEY not in everything and "swordfish1" not in everything


def test_a_traceback_holds_no_secret():
    code = f"from tabbench.core.secrets import keep_secret\nkeep_secret({KEY!r})\nint('{KEY}')"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ValueError: invalid literal for int() with base 10: '***'" in done.stderr
    assert KEY not in done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "http://me:swordfish1@127.0.0.1/v1",
        "https://swordfish1@example.org/v1",
        "https://example.org/v1?key=swordfish1",
    ],
)
def test_an_address_with_a_password_is_refused_without_being_shown(url):
    schema = load_yaml(ROOT / "config/schemas/model.schema.yaml")
    model = {"title": "Toy", "licence": "none", **entry(url)}
    with pytest.raises(
        TabBenchError, match=r"'endpoint.url': not as it should be: .*api_key_env"
    ) as error:
        validate(model, schema, "toy.yaml")
    assert "swordfish1" not in str(error.value)
    validate(model | {"endpoint": {"url": "https://example.org:8000/v1"}}, schema, "toy.yaml")
