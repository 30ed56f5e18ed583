"""Errors about invalid IP addresses have the messages of Go's package net/netip."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.golang.netip import addr_error, prefix_error

_TEXTS = st.text(st.sampled_from("0123456789abf.:/%"), max_size=40)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x", "unable to parse IP"),
        ("%x", "missing IPv6 address"),
        ("010.0.0.1", "IPv4 field has octet with leading zero"),
        ("1.2.3.256", "IPv4 field has value >255"),
        ("1..2.3", 'IPv4 field must have at least one digit (at ".2.3")'),
        ("1.2.3", "IPv4 address too short"),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("1.2.3.x", 'unexpected character (at "x")'),
        ("fe80::%", "zone must be a non-empty string"),
        ("00001::", 'each group must have 4 or less digits (at "00001::")'),
        ("1:::2", 'each colon-separated field must have at least one digit (at ":2")'),
        ("1::2::3", 'multiple :: in address (at ":3")'),
        ("1:2", "address string too short"),
        ("1:", 'colon must be followed by more characters (at ":")'),
        ("1:2.3.4.5", 'embedded IPv4 address must replace the final 2 fields of the address (at "2.3.4.5")'),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("1::2:3:4:5:6:7:8", "the :: must expand to at least one field of zeros"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(text: str, error: str) -> None:
    assert addr_error(text) == f'ParseAddr("{text}"): {error}'


@pytest.mark.parametrize("text", ["1.2.3.4", "::", "::1.2.3.4", "1::", "fe80::1%eth0", "1:2:3:4:5:6:7:8"])
def test_nothing_is_wrong_with_an_address(text: str) -> None:
    assert addr_error(text) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("10.0.0.0", "no '/'"),
        ("010.0.0.0/8", 'ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero'),
        ("10.0.0.0/08", 'bad bits after slash: "08"'),
        ("10.0.0.0/33", "prefix length out of range"),
        ("fe80::%a/8", "IPv6 zones cannot be present in a prefix"),
    ],
)
def test_what_is_wrong_with_a_prefix_is_said(text: str, error: str) -> None:
    assert prefix_error(text) == f'netip.ParsePrefix("{text}"): {error}'


@given(_TEXTS)
def test_every_text_is_an_address_or_has_an_error(text: str) -> None:
    found = addr_error(text)
    assert found is None or found.startswith("ParseAddr(")
    assert (prefix_error(text) is None) <= (addr_error(text.rpartition("/")[0]) is None)
