"""Validation of names in claims: names of requests, drivers, pools and devices."""

import pytest

from fakeapi.kinds.resource.validation.identifiers import (
    DeviceId,
    request_names,
    validate_driver_name,
    validate_fully_qualified_name,
    validate_pool_name,
    validate_request_reference,
)
from tests.kinds.resource.builders import RULES, Triple, devices, request, triples

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
WHOLE_NAME = "a fully qualified name must be a domain and a name separated by a slash"
NO_REQUEST = "must be the name of a request in the claim"
NO_SUBREQUEST = f"{NO_REQUEST} or the name of a request and a subrequest separated by '/'"


@pytest.mark.parametrize("name", ["gpu.example.com", "GPU.Example.COM", "a" * 63])
def test_a_driver_name_may_have_any_case(name: str) -> None:
    assert validate_driver_name(name, "driver", RULES["1.33"]) == []


def test_an_empty_driver_name_has_two_errors() -> None:
    assert triples(validate_driver_name("", "driver", RULES["1.33"])) == [
        ("driver", "Required", "Required value"),
        ("driver", "Invalid", f'Invalid value: "": {SUBDOMAIN}'),
    ]


def test_a_bad_driver_name_is_quoted_as_it_was_written() -> None:
    assert triples(validate_driver_name("BAD_NAME", "driver", RULES["1.27"])) == [
        ("driver", "Invalid", f'Invalid value: "BAD_NAME": {SUBDOMAIN}'),
    ]


@pytest.mark.parametrize(
    ("release", "wording"),
    [("1.31", "must have at most 63 bytes"), ("1.32", "may not be more than 63 bytes")],
)
def test_a_driver_name_has_at_most_63_bytes(release: str, wording: str) -> None:
    assert triples(validate_driver_name("a" * 64, "driver", RULES[release])) == [
        ("driver", "TooLong", f"Too long: {wording}")
    ]


def test_each_part_of_a_pool_name_is_a_subdomain() -> None:
    assert validate_pool_name("a/b.c/d", "pool", RULES["1.33"]) == []
    assert triples(validate_pool_name("a/Bad/", "pool", RULES["1.33"])) == [
        ("pool", "Invalid", f'Invalid value: "Bad": {SUBDOMAIN}'),
        ("pool", "Invalid", f'Invalid value: "": {SUBDOMAIN}'),
    ]


def test_a_pool_must_be_named() -> None:
    assert triples(validate_pool_name("", "pool", RULES["1.33"])) == [("pool", "Required", "Required value")]


@pytest.mark.parametrize(
    ("release", "wording"),
    [("1.31", "may not be longer than 253"), ("1.33", "may not be more than 253 bytes")],
)
def test_a_pool_name_has_at_most_253_bytes(release: str, wording: str) -> None:
    assert triples(validate_pool_name("a/" * 126 + "bb", "pool", RULES[release])) == [
        ("pool", "TooLong", f"Too long: {wording}")
    ]


def test_before_1_33_a_reference_is_the_name_of_a_request() -> None:
    known = request_names(devices(request("gpu")))
    assert validate_request_reference("gpu", "at", known, RULES["1.32"]) == []
    assert triples(validate_request_reference("gpu/big", "at", known, RULES["1.32"])) == [
        ("at", "Invalid", f'Invalid value: "gpu/big": {LABEL}'),
        ("at", "Invalid", f'Invalid value: "gpu/big": {NO_REQUEST}'),
    ]


@pytest.mark.parametrize("name", ["gpu", "any", "any/big", "any/small"])
def test_from_1_33_a_reference_may_name_a_subrequest(name: str) -> None:
    either = request("any", firstAvailable=[request("big"), request("small")])
    known = request_names(devices(request("gpu"), either))
    assert validate_request_reference(name, "at", known, RULES["1.33"]) == []


@pytest.mark.parametrize("name", ["other", "gpu/big", "any/other", "a/b/c"])
def test_from_1_33_a_reference_to_nothing_says_what_it_may_be(name: str) -> None:
    known = request_names(devices(request("gpu"), request("any", firstAvailable=[request("big")])))
    assert triples(validate_request_reference(name, "at", known, RULES["1.33"])) == [
        ("at", "Invalid", f'Invalid value: "{name}": {NO_SUBREQUEST}')
    ]


def test_an_empty_reference_is_no_label_either() -> None:
    assert triples(validate_request_reference("", "at", {}, RULES["1.31"])) == [
        ("at", "Invalid", f'Invalid value: "": {LABEL}'),
        ("at", "Invalid", f'Invalid value: "": {NO_REQUEST}'),
    ]


@pytest.mark.parametrize(
    ("release", "name", "expected"),
    [
        ("1.31", "numa", [("at.domain", "Required", "Required value: must include a prefix")]),
        ("1.32", "numa", [("at", "Invalid", 'Invalid value: "numa": must include a domain')]),
        (
            "1.31",
            "",
            [
                ("at", "Required", "Required value: name required"),
                ("at.domain", "Required", "Required value: must include a prefix"),
            ],
        ),
        ("1.33", "", [("at", "Required", "Required value: name required")]),
        (
            "1.31",
            "/",
            [
                ("at", "Required", "Required value: the prefix must not be empty"),
                ("at", "Required", "Required value: the name must not be empty"),
            ],
        ),
        ("1.33", "/id", [("at", "Required", "Required value: the domain must not be empty")]),
        ("1.31", "a.b/" + "x" * 33, [("at", "TooLong", "Too long: may not be longer than 32")]),
        ("1.32", "a.b/" + "x" * 33, [("at", "TooLong", "Too long: may not be more than 32 bytes")]),
        ("1.33", "gpu.example.com/numa", []),
        ("1.33", "a/b/c", []),
    ],
)
def test_an_attribute_is_a_domain_and_an_identifier(
    release: str, name: str, expected: list[tuple[str, str, str]]
) -> None:
    assert triples(validate_fully_qualified_name(name, "at", RULES[release])) == expected


def test_an_identifier_that_c_does_not_know_is_of_the_wrong_type() -> None:
    [error] = validate_fully_qualified_name("a.b/bad-id", "at", RULES["1.33"])
    assert error.reason == "FieldValueTypeInvalid"
    assert error.body.startswith('Invalid value: "bad-id": a valid C identifier must start with')


@pytest.mark.parametrize(
    ("release", "shown"),
    [
        ("1.33", "gpu.example.com/pool-1/gpu-0"),
        ("1.34", '{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}'),
        ("1.35", '{"Driver":"gpu.example.com","Pool":"pool-1","Device":"gpu-0","ShareID":""}'),
    ],
)
def test_a_device_is_shown_as_a_path_and_then_as_a_struct(release: str, shown: str) -> None:
    assert str(DeviceId("gpu.example.com", "pool-1", "gpu-0").printed(RULES[release])) == shown


@pytest.mark.parametrize(
    ("release", "name", "expected"),
    [
        ("1.34", "", [("n", "Required", "Required value: name required")]),
        ("1.34", "numa", [("n", "Invalid", 'Invalid value: "numa": must include a domain')]),
        ("1.34", "a.example/", [("n", "Required", "Required value: the name must not be empty")]),
        ("1.35", "a.example/", [("n", "Invalid", 'Invalid value: "": the name must not be empty')]),
        ("1.35", "/numa", [("n", "Invalid", 'Invalid value: "": the domain must not be empty')]),
        ("1.35", "numa", [("n", "Invalid", f'Invalid value: "numa": {WHOLE_NAME}')]),
    ],
)
def test_a_qualified_name_is_refused_in_the_words_of_its_release(
    release: str, name: str, expected: list[Triple]
) -> None:
    assert triples(validate_fully_qualified_name(name, "n", RULES[release])) == expected


def test_from_1_35_an_empty_driver_name_is_missing_and_nothing_else() -> None:
    before, since = (validate_driver_name("", "d", RULES[release]) for release in ("1.34", "1.35"))
    assert [error.reason for error in before] == ["FieldValueRequired", "FieldValueInvalid"]
    assert triples(since) == [("d", "Required", "Required value")]


@pytest.mark.parametrize(("release", "reason"), [("1.33", "TypeInvalid"), ("1.34", "Invalid")])
def test_from_1_34_an_identifier_is_invalid_and_not_of_the_wrong_type(release: str, reason: str) -> None:
    [(_, own_reason, _)] = triples(validate_fully_qualified_name("a.example/bad-id", "n", RULES[release]))
    assert own_reason == reason
