"""Validation of the IP addresses of network interfaces in the status of devices."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.kinds.resource.validation.ip_addresses import (
    set_key,
    validate_cidr,
    validate_interface_address,
)
from tests.kinds.resource.builders import triples

ADDRESSES = st.ip_addresses(v=4) | st.ip_addresses(v=6)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(ADDRESSES, st.integers(0, 32))
def test_what_python_prints_is_canonical(address: ipaddress.IPv4Address, prefix: int) -> None:
    assert validate_interface_address(f"{address}/{prefix}", "ip") == []


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.ip_addresses(v=6), st.integers(0, 128))
def test_every_spelling_of_an_address_has_the_same_key(address: ipaddress.IPv6Address, prefix: int) -> None:
    assert set_key(f"{address.exploded}/{prefix:03}") == set_key(f"{address}/{prefix}") != ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10.9.8.1",
        "300.1.1.1/24",
        "10.9.8/24",
        "1.2.3.4.5/8",
        "10.9.8.1/33",
        "10.9.8.1/",
        "10.9.8.1/x",
        "10.9.8.1/24/3",
        "1.1.1.1/-1",
        "1.1.1.1/" + "9" * 5000,
        "\u0663.1.1.1/8",
        "1.1.1.1/\u0663",
        "/8",
        "::1/129",
        "::1%eth0/64",
        ":::/1",
        "1:2/64",
        "x::/64",
        "::1.2.3/96",
        "::1.2.3.256/96",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    assert [error.body.rpartition('": ')[2] for error in validate_cidr(text, "ip")] == [
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
    ]
    assert [error.body.rpartition('": ')[2] for error in validate_interface_address(text, "ip")] == [
        "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
    ]
    assert set_key(text) == ""


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("010.009.8.7/024", "10.9.8.7/24"),
        ("2001:0db8::1/64", "2001:db8::1/64"),
        ("2001:00000db8::00001/64", "2001:db8::1/64"),
        ("FE80::1/64", "fe80::1/64"),
        ("::ffff:192.168.0.1/120", "192.168.0.1/24"),
        ("::ffff:192.168.0.1/24", "192.168.0.1/24"),
        ("1:0:0:2:0:0:0:3/8", "1:0:0:2::3/8"),
    ],
)
def test_1_32_takes_every_spelling_and_1_33_only_the_canonical_one(text: str, canonical: str) -> None:
    assert validate_cidr(text, "ip") == []
    assert triples(validate_interface_address(text, "ip")) == [
        ("ip", "Invalid", f'Invalid value: "{text}": must be in canonical form ("{canonical}")')
    ]
    assert validate_interface_address(canonical, "ip") == []
