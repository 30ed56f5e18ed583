import sys
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.kinds.resource.validation.cel_selectors import (
    cel_errors,
    cel_warnings,
    device_compiler,
)
from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.compiler import Invalid, TooComplex, Unchecked, Unplannable, Verdict
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.strategy import Strategy
from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of
from tests.kinds.resource.builders import (
    RULES,
    claim,
    devices,
    request,
    rules_with,
    triples,
)
from tests.registry.world import resource_of

needs_library = pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")

PATH = "spec.selectors[0].cel.expression"

UNCHECKED = Unchecked("too deep")


@pytest.mark.parametrize(
    ("verdict", "error"),
    [
        (None, None),
        (Invalid("no"), ("Invalid", 'Invalid value: "x": no')),
        (TooComplex(), ("Forbidden", "Forbidden: too complex, exceeds cost limit")),
        (Unplannable("no"), ("InternalError", "Internal error: no")),
        (UNCHECKED, None),
    ],
)
def test_each_kind_of_verdict_has_its_kind_of_error(verdict: Verdict, error: tuple[str, str] | None) -> None:
    expected = [] if error is None else [(PATH, *error)]
    assert triples(cel_errors("x", PATH, lambda _: verdict)) == expected


def test_a_reason_not_to_check_is_told_once_however_many_expressions_have_it() -> None:
    assert cel_warnings(["a", "b"], lambda _: UNCHECKED) == [
        "fakeapi did not check a CEL expression: too deep"
    ]


def test_of_expressions_that_were_checked_nothing_is_told() -> None:
    assert cel_warnings(["a"], lambda _: None) == []


def test_servers_with_the_same_rules_share_a_compiler() -> None:
    rules, again = RULES["1.33"], load_release("1.33")
    assert device_compiler(rules) is device_compiler(rules_of(again))


NEWER = [
    ("1.34", {}, 'semver("v1.2", true).major() == 1'),
    ("1.34", {}, 'isSemver("1.2", true)'),
    ("1.34", {"DRAConsumableCapacity": True}, "device.allowMultipleAllocations"),
    ("1.35", {}, "[3, 1].sort() == [1, 3]"),
    ("1.35", {}, "lists.range(3).reverse().slice(0, 1).distinct().size() == 1"),
    ("1.35", {}, "[[1]].flatten() == [1]"),
    ("1.35", {}, "[3, 1].sortBy(x, -x)[0] == 3"),
    ("1.36", {"DRAListTypeAttributes": True}, 'device.attributes["a.example"].models.includes("x")'),
    ("1.36", {"DRAListTypeAttributes": True}, 'device.attributes["a.example"].models.exists(x, x == 1)'),
    ("1.36", {"DRAListTypeAttributes": True}, "dyn(1)"),
]


@needs_library
@pytest.mark.parametrize(("release", "on", "expression"), NEWER)
def test_newer_expressions_compile_where_the_release_has_them_and_its_gate_is_on(
    release: str, on: dict[str, bool], expression: str
) -> None:
    before = f"1.{int(release[2:]) - 1}"
    assert device_compiler(rules_with(release, **on))(expression) is None
    assert isinstance(device_compiler(rules_with(before))(expression), Invalid)
    if on:
        assert isinstance(device_compiler(rules_with(release))(expression), Invalid)


def strategy(release: str, version: str, resource: str) -> Strategy:
    found = load_release(release)
    kind = next(kind for kind in found.kinds if (kind.version, kind.resource) == (version, resource))
    return resource_of(kind, found).strategies[""]


def _metadata(**fields: Any) -> Object:
    return {"metadata": {"name": "a", "creationTimestamp": None}, **fields}


def _claim(selectors: list[Object]) -> Object:
    return claim({"devices": devices(request(selectors=selectors))})


def _template(selectors: list[Object]) -> Object:
    spec = {"devices": devices(request(selectors=selectors))}
    return _metadata(spec={"metadata": {"creationTimestamp": None}, "spec": spec})


def _class(selectors: list[Object]) -> Object:
    return _metadata(spec={"selectors": selectors})


def _taint_rule(selectors: list[Object]) -> Object:
    taint = {"key": "example.com/a", "effect": "NoSchedule", "timeAdded": "2030-01-01T00:00:00Z"}
    return _metadata(spec={"deviceSelector": {"selectors": selectors}, "taint": taint})


def _first_available(selectors: list[Object]) -> Object:
    wanted = {"name": "sub", "deviceClassName": "a", "allocationMode": "ExactCount", "count": 1}
    asked = {"name": "gpu", "firstAvailable": [{**wanted, "selectors": selectors}]}
    return claim({"devices": devices(asked)})


Made = Callable[[list[Object]], Object]

WITH_SELECTORS: list[tuple[str, str, str, Made, str]] = [
    ("1.31", "v1alpha3", "resourceclaims", _claim, "spec.devices.requests[0].selectors[0]"),
    ("1.33", "v1beta1", "resourceclaims", _claim, "spec.devices.requests[0].exactly.selectors[0]"),
    (
        "1.33",
        "v1beta1",
        "resourceclaims",
        _first_available,
        "spec.devices.requests[0].firstAvailable[0].selectors[0]",
    ),
    ("1.31", "v1alpha3", "resourceclaimtemplates", _template, "spec.spec.devices.requests[0].selectors[0]"),
    ("1.32", "v1alpha3", "deviceclasses", _class, "spec.selectors[0]"),
    ("1.33", "v1alpha3", "devicetaintrules", _taint_rule, "spec.deviceSelector.selectors[0]"),
]
NAMED: list[tuple[str, Callable[[str], Object], str]] = [
    (
        "resourceclaimparameters",
        lambda selector: _metadata(
            driverRequests=[{"driverName": "a", "requests": [{"namedResources": {"selector": selector}}]}]
        ),
        "driverRequests[0].requests[0].namedResources.selector",
    ),
    (
        "resourceclassparameters",
        lambda selector: _metadata(filters=[{"driverName": "a", "namedResources": {"selector": selector}}]),
        "filters[0].namedResources.selector",
    ),
]

OF_EVERY_KIND = [
    pytest.param(
        strategy(release, version, resource),
        lambda expression, made=made: made([{"cel": {"expression": expression}}]),
        f"{path}.cel.expression",
        id=f"{release}-{resource}-{made.__name__.strip('_')}",
    )
    for release, version, resource, made, path in WITH_SELECTORS
] + [
    pytest.param(strategy("1.30", "v1alpha2", resource), made, path, id=f"1.30-{resource}")
    for resource, made, path in NAMED
]


@pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")
@pytest.mark.parametrize(("strategy", "made", "path"), OF_EVERY_KIND)
def test_an_expression_that_does_not_compile_is_refused_at_its_place(
    strategy: Strategy, made: Callable[[str], Object], path: str
) -> None:
    errors = triples(strategy.validate_create(made("nonsense")))
    assert [(field, reason) for field, reason, _ in errors] == [(path, "Invalid")]
    assert "undeclared reference to 'nonsense'" in errors[0][2]
    right = made("1 > 2")
    assert strategy.validate_create(right) == []
    assert strategy.warnings_on_create(right) == []


@pytest.mark.parametrize(("strategy", "made", "path"), OF_EVERY_KIND)
def test_without_the_extra_any_expression_is_accepted_with_a_warning(
    strategy: Strategy, made: Callable[[str], Object], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library.MODULE, None)  # makes Python treat the module as missing
    obj = made(f"nonsense == '{path}'")
    assert strategy.validate_create(obj) == []
    assert strategy.warnings_on_create(obj) == [
        "fakeapi did not check a CEL expression: it needs the extra cel, pip install 'fakeapi-k8s[cel]'"
    ]
