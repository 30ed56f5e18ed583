"""IP addresses and CIDRs in objects get the errors and warnings of each release."""

import pytest

from fakeapi.kinds.common import addresses
from fakeapi.releases import load_release
from fakeapi.releases.rules import ReleaseRules, rules_of


def _rules(release: str, **gates: bool) -> ReleaseRules:
    return rules_of(load_release(release, gates))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.1", None),
        ("x", addresses.IP_ERROR),
        ("010.0.0.1", "must not have leading 0s"),
        ("::ffff:10.0.0.1", "must not be an IPv4-mapped IPv6 address"),
        ("FE80::1", 'must be in canonical form ("fe80::1")'),
    ],
)
def test_a_new_field_takes_addresses_in_canonical_form(text: str, problem: str | None) -> None:
    messages = [error.body for error in addresses.validate_ip(text, "ip")]
    assert messages == ([] if problem is None else [f'Invalid value: "{text}": {problem}'])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.0/8", None),
        ("10.0.0.0", addresses.CIDR_ERROR),
        ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
        ("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
        ("FE80::/16", 'must be in canonical form ("fe80::/16")'),
    ],
)
def test_a_new_field_takes_networks_in_canonical_form(text: str, problem: str | None) -> None:
    messages = [error.body for error in addresses.validate_cidr(text, "cidr")]
    assert messages == ([] if problem is None else [f'Invalid value: "{text}": {problem}'])


@pytest.mark.parametrize("text", ["010.0.0.1", "::ffff:10.0.0.1"])
def test_an_old_field_takes_ambiguous_addresses_until_a_gate_forbids_them(text: str) -> None:
    strict = _rules("1.33", StrictIPCIDRValidation=True)
    assert addresses.validate_lenient_ip(text, "ip", _rules("1.33")) == []
    assert addresses.validate_lenient_ip(text, "ip", strict)
    assert addresses.validate_lenient_ip(text, "ip", strict, valid_before=[text]) == []
    assert addresses.validate_lenient_ip(text, "ip", _rules("1.36"))


@pytest.mark.parametrize("text", ["010.0.0.0/8", "10.0.0.1/8", "::ffff:10.0.0.0/104"])
def test_an_old_field_takes_ambiguous_networks_until_a_gate_forbids_them(text: str) -> None:
    strict = _rules("1.33", StrictIPCIDRValidation=True)
    assert addresses.validate_lenient_cidr(text, "cidr", _rules("1.33")) == []
    assert addresses.validate_lenient_cidr(text, "cidr", strict)
    assert addresses.validate_lenient_cidr(text, "cidr", strict, valid_before=[text]) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.1", None),
        ("x", "must be a valid IP address"),
        ("0.0.0.0", "may not be unspecified (0.0.0.0)"),
        ("127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        ("fe80::1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        ("224.0.0.1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
        ("ff02::1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
        ("224.0.1.1", None),
    ],
)
def test_traffic_is_sent_to_no_address_of_a_machine_or_a_link(text: str, problem: str | None) -> None:
    messages = [error.body for error in addresses.validate_endpoint_ip(text, "ip")]
    assert messages == ([] if problem is None else [f'Invalid value: "{text}": {problem}'])


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("10.0.0.1", None),
        ("010.0.0.1", 'ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"'),
        ("::ffff:10.0.0.1", 'ip: non-standard IP address "::ffff:10.0.0.1" is invalid: use "10.0.0.1"'),
        ("FE80::1", 'ip: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")'),
    ],
)
def test_a_warning_says_how_to_spell_an_address(text: str, warning: str | None) -> None:
    assert addresses.ip_warnings(text, "ip", _rules("1.36")) == ([] if warning is None else [warning])


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("10.0.0.0/8", []),
        ("10.0.0.1/8", ['is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)']),
        ("010.0.0.0/8", ['is invalid: use "10.0.0.0/8"']),
        ("FE80::/16", ['should be in RFC 5952 canonical format ("fe80::/16")']),
    ],
)
def test_a_warning_says_how_to_spell_a_network(text: str, warnings: list[str]) -> None:
    found = addresses.cidr_warnings(text, "cidr", _rules("1.36"))
    assert all(each.endswith(expected) for each, expected in zip(found, warnings, strict=True))


def test_a_warning_says_whether_an_address_is_refused_by_now() -> None:
    (warning,) = addresses.ip_warnings("010.0.0.1", "ip", _rules("1.33"))
    assert warning.endswith('will be considered invalid in a future Kubernetes release: use "10.0.0.1"')


def test_older_releases_warn_in_the_words_of_the_parser() -> None:
    rules = _rules("1.32")
    (warning,) = addresses.ip_warnings("010.0.0.1", "ip", rules)
    assert warning.endswith('release: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero')
    (warning,) = addresses.ip_warnings("FE80::1", "ip", rules)
    assert "is not in RFC 5952 canonical format" in warning
    (warning,) = addresses.cidr_warnings("10.0.0.0/08", "cidr", rules)
    assert warning.endswith('netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"')
    assert addresses.cidr_warnings("10.0.0.1/8", "cidr", rules) == []


def test_families_are_told_by_the_addresses_themselves() -> None:
    assert addresses.is_dual_stack(["10.0.0.1", "::1"])
    assert not addresses.is_dual_stack(["10.0.0.1", "::ffff:10.0.0.2"])
