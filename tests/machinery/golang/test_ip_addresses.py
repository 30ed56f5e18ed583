"""IP addresses are parsed as in k8s.io/utils, and only the canonical spelling is strictly valid."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.golang.ip_addresses import family_of, join_host_port, parse_cidr, parse_ip


@given(st.ip_addresses())
def test_every_address_in_canonical_form_is_strict_and_stays_as_it_is(
    value: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    address = parse_ip(str(value))
    assert address is not None
    if not address.mapped:
        assert str(address) == str(value)
        assert address.strict


@pytest.mark.parametrize(
    ("text", "shown", "strict"),
    [
        ("1.2.3.4", "1.2.3.4", True),
        ("01.2.3.4", "1.2.3.4", False),
        ("::ffff:1.2.3.4", "1.2.3.4", False),
        ("::ffff:1.2.3.04", "1.2.3.4", False),
        ("::1.2.3.4", "::102:304", True),
        ("FE80:0:0:0:0:0:0:0abc", "fe80::abc", True),
        ("00001::", "1::", False),
    ],
)
def test_an_address_is_printed_in_canonical_form(text: str, shown: str, *, strict: bool) -> None:
    address = parse_ip(text)
    assert address is not None
    assert (str(address), address.strict) == (shown, strict)


@pytest.mark.parametrize(
    "text", ["", "1.2.3", "1.2.3.256", "٣.1.1.1", "1::2::3", "fe80::1%eth0", ":", "%", "a.b"]
)
def test_other_texts_are_no_addresses(text: str) -> None:
    assert parse_ip(text) is None


@pytest.mark.parametrize(
    ("text", "network", "is_network"),
    [
        ("10.0.0.0/8", "10.0.0.0/8", True),
        ("10.0.0.1/08", "10.0.0.0/8", False),
        ("::ffff:1.2.3.4/120", "1.2.3.0/24", False),
        ("::ffff:1.2.3.4/64", "::/64", False),
        ("fe80::/10", "fe80::/10", True),
    ],
)
def test_a_cidr_value_names_its_network(text: str, network: str, *, is_network: bool) -> None:
    cidr = parse_cidr(text)
    assert cidr is not None
    assert (str(cidr), cidr.is_network) == (network, is_network)


@pytest.mark.parametrize(
    "text", ["10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "/8", "10.0.0.0/8/8", "::/-1"]
)
def test_other_texts_are_no_cidr_values(text: str) -> None:
    assert parse_cidr(text) is None


def test_an_address_has_the_family_that_it_is_printed_in() -> None:
    assert (family_of("::ffff:1.2.3.4"), family_of("::1"), family_of("x")) == ("IPv4", "IPv6", None)


def test_an_address_of_ipv6_stands_in_brackets_before_a_port() -> None:
    assert (join_host_port("::1", 80), join_host_port("10.0.0.1", 80)) == ("[::1]:80", "10.0.0.1:80")
