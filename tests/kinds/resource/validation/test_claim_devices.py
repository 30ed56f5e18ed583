"""Validation of the device requests, constraints and configuration in a claim's spec."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.cel_selectors import accept_any_cel
from fakeapi.kinds.resource.validation.claim_devices import (
    Checks,
    requested_expressions,
    validate_devices,
    validate_selectors,
)
from fakeapi.machinery.cel.compiler import Invalid
from tests.kinds.resource.builders import (
    RULES,
    Triple,
    devices,
    places,
    request,
    subrequest,
    triples,
)

OPAQUE = {"driver": "gpu.example.com", "parameters": {"kind": "GpuConfig"}}
REQUIRED = "Required value"


ONE_OF = "exactly one of `exactly` or `firstAvailable` is required"


def checks(release: str, **fields: Any) -> Checks:
    return Checks(RULES[release], **{"check_cel": accept_any_cel, **fields})


def found(release: str, value: dict[str, Any]) -> list[Triple]:
    return triples(validate_devices(value, "d", checks(release)))


@pytest.mark.parametrize("release", ["1.31", "1.32", "1.33"])
@pytest.mark.parametrize(
    "value",
    [
        devices(),
        devices(request("gpu"), request("nic", allocationMode="All", count=0)),
        devices(*(request(f"r{index}") for index in range(32))),
        devices(request(selectors=[{"cel": {"expression": "true"}}] * 32)),
        devices(
            request("a"), request("b"), constraints=[{"requests": ["a", "b"], "matchAttribute": "x.y/z"}]
        ),
        devices(request(), config=[{"requests": ["gpu"], "opaque": OPAQUE}, {"opaque": OPAQUE}]),
    ],
)
def test_good_devices_have_no_errors(release: str, value: dict[str, Any]) -> None:
    assert found(release, value) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"deviceClassName": ""}, [("deviceClassName", "Required", REQUIRED)]),
        ({"count": 0}, [("count", "Invalid", "Invalid value: 0: must be greater than zero")]),
        ({"count": -1}, [("count", "Invalid", "Invalid value: -1: must be greater than zero")]),
        (
            {"allocationMode": "All", "count": 2},
            [("count", "Invalid", "Invalid value: 2: must not be specified when allocationMode is 'All'")],
        ),
        (
            {"allocationMode": "Some"},
            [
                (
                    "allocationMode",
                    "NotSupported",
                    'Unsupported value: "Some": supported values: "All", "ExactCount"',
                )
            ],
        ),
        ({"selectors": [{}]}, [("selectors[0].cel", "Required", REQUIRED)]),
    ],
)
def test_1_33_reports_a_request_as_the_exact_one_that_it_is_inside(
    fields: dict[str, Any], expected: list[Triple]
) -> None:
    value = devices(request(**fields))
    assert found("1.32", value) == [(f"d.requests[0].{field}", *rest) for field, *rest in expected]
    assert found("1.33", value) == [(f"d.requests[0].exactly.{field}", *rest) for field, *rest in expected]


def test_names_of_requests_differ() -> None:
    assert found("1.33", devices(request(), request())) == [
        ("d.requests[1].name", "Duplicate", 'Duplicate value: "gpu"')
    ]


def test_a_request_is_named_by_a_label() -> None:
    assert places(validate_devices(devices(request("Bad_Name")), "d", checks("1.33"))) == [
        "d.requests[0].name"
    ]


@pytest.mark.parametrize(
    ("release", "reason", "message"),
    [
        ("1.31", "TooLong", "Too long: may not be longer than 32"),
        ("1.32", "TooMany", "Too many: 33: must have at most 32 items"),
    ],
)
def test_lists_hold_at_most_32(release: str, reason: str, message: str) -> None:
    value = devices(
        *(request(f"r{index}") for index in range(33)),
        constraints=[{"matchAttribute": "x.y/z"}] * 33,
        config=[{"opaque": OPAQUE}] * 33,
    )
    assert found(release, value) == [
        ("d.requests", reason, message),
        ("d.constraints", reason, message),
        ("d.config", reason, message),
    ]


def test_1_33_wants_a_request_to_be_exact_or_a_choice() -> None:
    neither = {"name": "any"}
    assert found("1.33", devices(neither)) == [("d.requests[0]", "Required", f"Required value: {ONE_OF}")]
    both = request("any", firstAvailable=[subrequest("big")])
    assert found("1.33", devices(both)) == [
        (
            "d.requests[0]",
            "Invalid",
            f'Invalid value: "null": {ONE_OF}, but multiple fields are set',
        )
    ]


def test_an_exact_request_without_a_class_misses_it() -> None:
    value = devices({"name": "any", "exactly": {"deviceClassName": "", "count": 1}})
    assert found("1.33", value) == [
        ("d.requests[0].exactly.deviceClassName", "Required", REQUIRED),
        (
            "d.requests[0].exactly.allocationMode",
            "NotSupported",
            'Unsupported value: "": supported values: "All", "ExactCount"',
        ),
    ]


@pytest.mark.parametrize("release", ["1.31", "1.32"])
def test_up_to_1_32_a_request_that_is_not_exact_misses_class_and_mode(release: str) -> None:
    assert found(release, devices({"name": "any"})) == [
        ("d.requests[0].deviceClassName", "Required", REQUIRED),
        (
            "d.requests[0].allocationMode",
            "NotSupported",
            'Unsupported value: "": supported values: "All", "ExactCount"',
        ),
    ]


def test_expressions_are_those_of_exact_requests_and_of_subrequests() -> None:
    def selecting(expression: str) -> list[dict[str, Any]]:
        return [{"cel": {"expression": expression}}]

    both = request(
        "any", selectors=selecting("a"), firstAvailable=[subrequest("big", selectors=selecting("b"))]
    )
    choice = {"name": "other", "firstAvailable": [subrequest("big", selectors=selecting("c"))]}
    assert list(requested_expressions(devices(both, choice, request()))) == ["a", "b", "c"]


def test_a_choice_has_at_most_eight_subrequests_of_different_names() -> None:
    names = ["a", "a", *"bcdefgh"]
    choice = {"name": "any", "firstAvailable": [subrequest(name) for name in names]}
    assert found("1.33", devices(choice)) == [
        ("d.requests[0].firstAvailable", "TooMany", "Too many: 9: must have at most 8 items"),
        ("d.requests[0].firstAvailable[1].name", "Duplicate", 'Duplicate value: "a"'),
    ]


def test_a_subrequest_is_held_to_the_rules_of_a_request() -> None:
    bad = subrequest("Bad_Name", deviceClassName="", count=0, tolerations=[{"operator": ""}])
    choice = {"name": "any", "firstAvailable": [bad]}
    assert places(validate_devices(devices(choice), "d", checks("1.33"))) == [
        "d.requests[0].firstAvailable[0].name",
        "d.requests[0].firstAvailable[0].deviceClassName",
        "d.requests[0].firstAvailable[0].count",
        "d.requests[0].firstAvailable[0].tolerations[0].operator",
    ]


@pytest.mark.parametrize("release", ["1.31", "1.33"])
def test_constraints_need_an_attribute_and_name_requests_once(release: str) -> None:
    value = devices(request("a"), request("b"), constraints=[{"requests": ["a", "a", "c"]}])
    errors = validate_devices(value, "d", checks(release))
    assert [(error.field, error.reason) for error in errors] == [
        ("d.constraints[0].requests[2]", "FieldValueInvalid"),
        ("d.constraints[0].requests[1]", "FieldValueDuplicate"),
        ("d.constraints[0].matchAttribute", "FieldValueRequired"),
    ]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, [("opaque", "Required", REQUIRED)]),
        (
            {"opaque": {"driver": "a", "parameters": None}},
            [("opaque.parameters", "Required", REQUIRED)],
        ),
        (
            {"opaque": {"driver": "a", "parameters": [1]}},
            [
                (
                    "opaque.parameters",
                    "Invalid",
                    'Invalid value: "<value omitted>": parameters must be a valid JSON object',
                )
            ],
        ),
        (
            {"opaque": {"driver": "a", "parameters": {"big": "x" * 10 * 1024}}},
            [("opaque.parameters", "TooLong", "Too long: may not be more than 10240 bytes")],
        ),
    ],
)
def test_configuration_is_opaque_and_an_object(config: dict[str, Any], expected: list[Triple]) -> None:
    assert found("1.33", devices(request(), config=[config])) == [
        (f"d.config[0].{field}", *rest) for field, *rest in expected
    ]


def test_parameters_have_no_limit_in_1_31_and_none_where_they_are_stored() -> None:
    value = devices(request(), config=[{"opaque": {"driver": "a", "parameters": {"big": "x" * 10 * 1024}}}])
    assert found("1.31", value) == []
    assert validate_devices(value, "d", checks("1.33", stored=True)) == []


def test_an_expression_that_does_not_compile_is_refused_in_the_words_of_the_check() -> None:
    selectors = [{"cel": {"expression": "1 +"}}]
    strict = checks("1.33", check_cel=lambda expression: Invalid(f"no: {expression}"))
    assert triples(validate_selectors(selectors, "s", strict)) == [
        ("s[0].cel.expression", "Invalid", 'Invalid value: "1 +": no: 1 +')
    ]


def test_an_expression_that_is_too_long_is_not_compiled() -> None:
    compiled: list[str] = []

    def remember(expression: str) -> None:
        compiled.append(expression)

    selectors = [{"cel": {"expression": "x" * (10 * 1024 + 1)}}]
    assert triples(validate_selectors(selectors, "s", checks("1.32", check_cel=remember))) == [
        ("s[0].cel.expression", "TooLong", "Too long: may not be more than 10240 bytes")
    ]
    assert compiled == []
    assert validate_selectors(selectors, "s", checks("1.31", check_cel=remember)) == []
    assert len(compiled) == 1
