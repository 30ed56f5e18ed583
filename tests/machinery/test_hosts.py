"""Loopback addresses are recognized, and a server accepts only allowed Host and Origin headers."""

import pytest

from fakeapi.machinery.hosts import HOST_MAX, HostRules, connect_host, is_any_address, is_loopback, url_host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_addresses_are_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.0.0.1", "example.com", "localhost.example.com"])
def test_other_addresses_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_a_server_on_every_address_is_reached_by_loopback() -> None:
    assert [connect_host(host) for host in ("0.0.0.0", "::", "", "10.0.0.1")] == [
        "127.0.0.1",
        "::1",
        "127.0.0.1",
        "10.0.0.1",
    ]
    assert is_any_address("::")
    assert not is_any_address("10.0.0.1")
    assert url_host("::1") == "[::1]"


def refusal(rules: HostRules, **headers: str) -> str:
    return rules.refusal([(name.encode(), value.encode()) for name, value in headers.items()])


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8001", "127.0.0.1:1", "[::1]", "[::1]:8001"])
def test_the_default_rules_accept_this_machine_under_any_port(host: str) -> None:
    assert not refusal(HostRules.parse(), host=host)
    assert not refusal(HostRules.parse(), host=host, origin=f"http://{host}")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:80",
        "evil.example:localhost",
        "",
        "[",
        "[::1].evil",
        "[::1]evil:80",
        "[[::1]]",
        "[::1",
        "localhost:80:80",
        "localhost:http",
        "evil@localhost",
        "localhost evil",
    ],
)
def test_the_default_rules_refuse_other_names(host: str) -> None:
    assert "Host" in refusal(HostRules.parse(), host=host)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://localhost@evil.example",
        "https://evil.example@localhost",
        "https://evil.example\\@localhost",
        "http://localhost/path",
        "http://[::1].evil",
        "null",
        "http://[",
        "localhost",
        "localhost.evil",
    ],
)
def test_the_default_rules_refuse_pages_of_other_sites(origin: str) -> None:
    assert "Origin" in refusal(HostRules.parse(), host="localhost", origin=origin)


def test_a_pattern_matches_anywhere_in_the_name_as_in_kubectl() -> None:
    rules = HostRules.parse(r"^api\.,\.test$")
    assert rules.accepts("api.example")
    assert rules.accepts("x.test")
    assert not rules.accepts("x.api.example")
    assert HostRules.parse(".*").accepts("anything")
    assert not HostRules.parse("").accepts("localhost")


def test_a_malformed_header_is_refused_whatever_the_pattern() -> None:
    assert refusal(HostRules.parse(".*"), host="[::1].evil")
    assert refusal(HostRules.parse(".*"), origin="http://[::1].evil")
    assert not refusal(HostRules.parse(".*"), host="any_name.example:80", origin="null")
    assert not refusal(HostRules.parse(".*"), host="[fe80::1%25eth0]:80", origin="chrome-extension://abc")


def test_a_long_name_is_refused_unread() -> None:
    assert not HostRules.parse(".*").accepts("a" * (HOST_MAX + 1))


def test_a_pattern_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a regular expression"):
        HostRules.parse("(")
