"""The table of server options, and the settings, help texts and documents that are derived from it."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main, serve
from fakeapi.settings import Settings, is_shareable, options, problem_of, read_option
from fakeapi_storage import WINDOW_REVISIONS

NAMES = [field.name for field, _ in options()]
FLAGS = [(field, option) for field, option in options() if option.flag]


def test_fakeapi_takes_every_option_by_name_with_the_default_of_the_table() -> None:
    parameters = inspect.signature(FakeAPI).parameters
    assert list(parameters) == NAMES
    assert {parameter.kind for parameter in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {name: parameter.default for name, parameter in parameters.items()} == {
        field.name: field.default for field, _ in options()
    }


def test_the_docstring_of_fakeapi_says_what_each_option_does() -> None:
    assert all(f"    {field.name}: {option.help}" in (FakeAPI.__doc__ or "") for field, option in options())


def test_an_option_that_is_none_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="relase"):
        FakeAPI(relase="1.31")  # type: ignore[call-arg] # that is the point
    assert problem_of({"relase": 1, "release": 2}) == "FakeAPI has no option relase; did you mean release?"
    assert problem_of({"release": 2}) == ""


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (
            "authorization",
            "abac",
            "authorization: 'abac' is not one of always-allow, always-deny, node, rbac",
        ),
        ("durability", "none", "durability: 'none' is not one of normal, full"),
        ("history", "5", "history: '5' is not of type int"),
        ("history", True, "history: True is not of type int"),
        ("history", 0, "history: 0 is less than 1"),
        ("port", 70000, "port: 70000 is not from 0 to 65535"),
        ("grace", -1, "grace: -1 is not from 0 to 3600"),
        ("latency", 61, "latency: 61 is not from 0 to 60.0"),
        ("grace", float("nan"), "grace: nan is not from 0 to 3600"),
        ("release", 1.31, 'release: 1.31 is not of type str: quote it, for example release="1.31"'),
        ("release", 1.30, 'release: 1.3 is not of type str: quote it, for example release="1.30"'),
        ("tls", "no", "tls: 'no' is not of type bool"),
        ("token", 5, 'token: 5 is not of type str: quote it: token="5"'),
        ("database", 5, "database: 5 is not of type str or Path"),
        ("controllers", 5, "controllers: 5 is not of type Iterable or str"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_refused_by_name(name: str, value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        FakeAPI(**{name: value})


def test_a_value_of_each_type_that_an_option_names_is_taken(tmp_path: Path) -> None:
    Settings(grace=1, database=tmp_path / "a", kubeconfig=str(tmp_path), controllers=["scheduler"], seed=None)


def test_serve_has_a_flag_and_a_variable_for_each_option_that_the_table_gives_one() -> None:
    by_name = {param.name: param for param in serve.params}
    for field, option in FLAGS:
        assert by_name[field.name].opts[0] == option.flag
        assert by_name[field.name].envvar == option.environment
    assert {option.environment for _, option in FLAGS} >= {"FAKEAPI_DB", "FAKEAPI_FEATURE_GATES"}


def test_the_help_of_serve_has_the_words_of_the_table() -> None:
    text = " ".join(CliRunner().invoke(main, ["serve", "--help"], terminal_width=200).output.split())
    assert all(" ".join(option.help.split()) in text for _, option in FLAGS)
    assert all(
        re.search(rf"\[default: {re.escape(option.unset)}[;\]]", text) for _, option in FLAGS if option.unset
    )


def test_every_help_text_starts_with_a_capital_and_ends_with_a_full_stop() -> None:
    for _, option in options():
        assert option.help[0].isupper()
        assert option.help.endswith(".")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("release", "1.31", "1.31"),
        ("history", "7", 7),
        ("grace", "0.5", 0.5),
        ("latency", "10ms", 0.01),
        ("latency", "0.5", 0.5),
        ("latency", "1m", 60.0),
        ("tls", "True", True),
        ("tls", "0", False),
        ("redact", "spec.controller status.devices", ["spec.controller", "status.devices"]),
    ],
)
def test_an_option_is_read_from_text_as_its_default_is(name: str, text: str, value: Any) -> None:
    assert read_option(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"), [("history", "x"), ("tls", "maybe"), ("clock", "x"), ("no", "x"), ("latency", "1d")]
)
def test_text_that_is_no_value_is_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=name):
        read_option(name, text)


@pytest.mark.parametrize(
    ("text", "words"), [("soon", "'soon' is not a duration such as 10ms or 0.5s"), ("61s", "0<=x<=60")]
)
def test_serve_refuses_a_latency_that_is_not_a_duration_of_at_most_a_minute(text: str, words: str) -> None:
    refused = CliRunner().invoke(main, ["serve", "--latency", text], terminal_width=200)
    assert refused.exit_code == 2
    assert words in refused.output


def test_servers_that_are_tied_to_a_file_or_an_address_are_not_shared() -> None:
    assert is_shareable({"release": "1.31", "token": "x", "tls": True})
    for name in ("database", "port", "kubeconfig", "tls_directory", "record", "clock"):
        assert not is_shareable({name: None})


def test_the_default_of_the_history_is_that_of_the_storage() -> None:
    assert Settings().history == WINDOW_REVISIONS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"advertise_url": "build-host:8443"}, "write http://build-host:8443"),
        ({"advertise_url": "build-host:8443", "tls": True}, "write https://build-host:8443"),
        (
            {"advertise_url": "http://build-host:8443", "tls": True},
            "is not HTTPS, but the server is; write https://",
        ),
        (
            {"advertise_url": "ftp://build-host"},
            "does not begin with http:// or https://; write http://build-host",
        ),
        ({"advertise_url": "https://"}, "has no host; write https://HOST:PORT"),
    ],
)
def test_an_advertised_url_has_a_scheme_that_fits_the_server(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^advertise_url: ") as caught:
        FakeAPI(**options)
    assert message in str(caught.value)


def test_an_advertised_url_of_a_proxy_with_https_is_accepted() -> None:
    assert not FakeAPI(advertise_url="https://build-host").running
