"""Ingress and IngressClass: validation, warnings and tables."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, canonical, created, refusals, refused_change, resource_of

GROUP = "networking.k8s.io"
SERVICE = {"service": {"name": "svc", "port": {"number": 80}}}


def kind(resource: str, release: str = "1.33") -> Resource:
    return resource_of(release, GROUP, "v1", resource)


def ingress(backend: Any = SERVICE, host: str = "a.example.com", **path: Any) -> Body:
    rule = {"path": "/", "pathType": "Prefix", "backend": backend, **path}
    return {"spec": {"rules": [{"host": host, "http": {"paths": [rule]}}]}}


NO_RULES = "either `defaultBackend` or `rules` must be specified"
PATH = "spec.rules[0].http.paths[0]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ingress(), []),
        ({"spec": {"defaultBackend": SERVICE}}, []),
        (
            {"spec": {}},
            [
                (
                    "spec",
                    f"Invalid value: []networking.IngressRule(nil): {NO_RULES}",
                )
            ],
        ),
        (ingress(pathType=None), [(f"{PATH}.pathType", "Required value: pathType must be specified")]),
        (ingress(path="x"), [(f"{PATH}.path", 'Invalid value: "x": must be an absolute path')]),
        (ingress(path="/a//b"), [(f"{PATH}.path", "Invalid value: \"/a//b\": must not contain '//'")]),
        (ingress(path="/a/.."), [(f"{PATH}.path", "Invalid value: \"/a/..\": cannot end with '/..'")]),
        (ingress(path="", pathType="ImplementationSpecific"), []),
        (ingress({}), [(f"{PATH}.backend", 'Invalid value: "": resource or service backend is required')]),
        (
            ingress({"service": {"name": "svc"}}),
            [(f"{PATH}.backend", "Required value: port name or number is required")],
        ),
        (
            ingress({"service": {"name": "svc", "port": {"name": "http", "number": 80}}}),
            [(f"{PATH}.backend", 'Invalid value: "": cannot set both port name & port number')],
        ),
        (
            ingress(host="1.2.3.4"),
            [("spec.rules[0].host", 'Invalid value: "1.2.3.4": must be a DNS name, not an IP address')],
        ),
        (ingress(host="*.example.com"), []),
    ],
)
def test_rules_of_an_ingress_lead_somewhere(body: Body, expected: list[tuple[str, str]]) -> None:
    assert refusals(kind("ingresses"), body) == expected


def test_the_name_of_a_service_may_begin_with_a_digit_in_releases_that_allow_it() -> None:
    body = ingress({"service": {"name": "0svc", "port": {"number": 80}}})
    assert len(refusals(kind("ingresses"), body)) == 1
    assert refusals(kind("ingresses", "1.36"), body) == []


def test_what_a_stored_ingress_breaks_its_successor_may_break() -> None:
    bad = {"spec": {**ingress()["spec"], "tls": [{"secretName": "Bad_Name"}]}}
    assert [field for field, _ in refusals(kind("ingresses"), bad)] == ["spec.tls[0].secretName"]
    assert refused_change(kind("ingresses"), bad, bad) == []
    assert len(refused_change(kind("ingresses"), ingress(), bad)) == 1


def test_the_class_of_an_ingress_is_told_once() -> None:
    body = ingress()
    body["spec"]["ingressClassName"] = "a"
    body["metadata"] = {"annotations": {"kubernetes.io/ingress.class": "b"}}
    problem = 'Invalid value: "b": must match `ingressClassName` when both are specified'
    assert refusals(kind("ingresses"), body) == [("annotations.kubernetes.io/ingress.class", problem)]


def test_the_status_of_an_ingress_names_addresses_or_hosts() -> None:
    def with_status(**point: str) -> Body:
        return {**ingress(), "status": {"loadBalancer": {"ingress": [point]}}}

    change = refused_change(kind("ingresses"), ingress(), with_status(ip="x", hostname="1.2.3.4"), "status")
    assert [field for field, _ in change] == [
        "status.loadBalancer.ingress[0].ip",
        "status.loadBalancer.ingress[0].hostname",
    ]
    assert refused_change(kind("ingresses"), ingress(), with_status(ip="1.2.3.4"), "status") == []


def test_a_status_with_an_ambiguous_address_is_warned_of() -> None:
    resource = kind("ingresses")
    new = canonical(resource, {**ingress(), "status": {"loadBalancer": {"ingress": [{"ip": "01.2.3.4"}]}}})
    (warning,) = resource.strategy_for("status").warnings_on_update(new, new)
    assert warning.startswith("status.loadBalancer.ingress[0]: non-standard IP address")
    older = kind("ingresses", "1.32")
    assert older.strategy_for("status").warnings_on_update(new, new) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"controller": "example.com/c"}, []),
        ({}, [("spec.controller", "Required value")]),
        (
            {"controller": "c"},
            [
                (
                    "spec.controller",
                    'Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")',
                )
            ],
        ),
        (
            {"controller": "example.com/c", "parameters": {"kind": "K", "name": "", "scope": "Namespace"}},
            [
                ("spec.parameters.name", "Required value: name is required"),
                ("spec.parameters.namespace", "Required value: `parameters.scope` is set to 'Namespace'"),
            ],
        ),
    ],
)
def test_a_class_names_a_controller_and_its_parameters(spec: Body, expected: list[tuple[str, str]]) -> None:
    assert refusals(kind("ingressclasses"), {"spec": spec}) == expected


def test_the_controller_of_a_class_is_immutable() -> None:
    before, after = {"spec": {"controller": "a.b/c"}}, {"spec": {"controller": "a.b/d"}}
    change = refused_change(kind("ingressclasses"), before, after)
    assert change == [("spec.controller", 'Invalid value: "a.b/d": field is immutable')]


def test_tables_show_the_hosts_of_the_first_rules() -> None:
    resource = kind("ingresses")
    body = ingress()
    body["spec"]["rules"] = [{"host": f"{name}.example.com"} for name in "abcde"]
    cells = {column.name: column.cell(created(resource, body), 0) for column in resource.columns}
    assert cells["Hosts"] == "a.example.com,b.example.com,c.example.com + 2 more..."
    assert (cells["Class"], cells["Address"], cells["Ports"]) == ("<none>", "", "80")
