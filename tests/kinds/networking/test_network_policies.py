"""NetworkPolicy: validation, warnings and tables."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, canonical, created, refusals, refused_change, resource_of


def policies(release: str = "1.33") -> Resource:
    return resource_of(release, "networking.k8s.io", "v1", "networkpolicies")


def policy(*, peer: Any = None, port: Any = None, **spec: Any) -> Body:
    rule = {"from": [] if peer is None else [peer], "ports": [] if port is None else [port]}
    return {"spec": {"podSelector": {}, "ingress": [rule], **spec}}


PEER, PORT = "spec.ingress[0].from[0]", "spec.ingress[0].ports[0]"
THREE_TYPES = '[]networking.PolicyType{"Ingress", "Egress", "Odd"}'
RANGE = "must be between 1 and 65535, inclusive"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (policy(), []),
        (policy(peer={}), [(PEER, "Required value: must specify a peer")]),
        (policy(port={"port": 0}), [(f"{PORT}.port", f"Invalid value: 0: {RANGE}")]),
        (
            policy(port={"port": "http", "endPort": 90}),
            [(f"{PORT}.endPort", "Invalid value: 90: may not be specified when `port` is non-numeric")],
        ),
        (
            policy(port={"endPort": 90}),
            [(f"{PORT}.endPort", "Invalid value: 90: may not be specified when `port` is not specified")],
        ),
        (
            policy(peer={"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}),
            [(PEER, "Forbidden: may not specify both ipBlock and another peer")],
        ),
        (
            policy(peer={"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/16", "10.0.0.0/8"]}}),
            [
                (
                    f"{PEER}.ipBlock.except[0]",
                    'Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
                ),
                (
                    f"{PEER}.ipBlock.except[1]",
                    'Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
                ),
            ],
        ),
        (
            policy(policyTypes=["Ingress", "Egress", "Odd"]),
            [
                (
                    "spec.policyTypes",
                    f"Invalid value: {THREE_TYPES}: may not specify more than two policyTypes",
                )
            ],
        ),
    ],
)
def test_rules_of_a_policy_name_peers_and_ports(body: Body, expected: list[tuple[str, str]]) -> None:
    assert refusals(policies(), body) == expected


def test_a_range_of_ports_does_not_end_before_it_begins() -> None:
    body = policy(port={"port": 80, "endPort": 70})
    problem = "must be greater than or equal to `port`"
    assert refusals(policies(), body) == [(f"{PORT}.endPort", f"Invalid value: 80: {problem}")]
    assert refusals(policies("1.37"), body) == [(f"{PORT}.endPort", f"Invalid value: 70: {problem}")]


def test_an_update_reports_each_error_twice_where_the_release_does() -> None:
    bad = policy(peer={})
    assert len(refused_change(policies("1.35"), policy(), bad)) == 2
    assert len(refused_change(policies("1.36"), policy(), bad)) == 1


def test_an_ambiguous_range_that_is_stored_may_stay() -> None:
    stored = policy(peer={"ipBlock": {"cidr": "10.0.0.1/8"}})
    strict = policies("1.36")
    assert len(refusals(strict, stored)) == 1
    assert refused_change(strict, stored, stored) == []
    assert refusals(policies("1.35"), stored) == []


def test_ambiguous_ranges_are_warned_of() -> None:
    resource = policies()
    obj = canonical(resource, policy(peer={"ipBlock": {"cidr": "10.0.0.1/8", "except": ["010.1.0.0/16"]}}))
    warnings = resource.strategy_for("").warnings_on_create(obj)
    assert [text.partition(": ")[0] for text in warnings] == [
        f"{PEER}.ipBlock.cidr",
        f"{PEER}.ipBlock.except[0]",
    ]


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({}, "<none>"),
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["y", "x"]}]}, "a in (x,y)"),
        ({"matchExpressions": [{"key": "a", "operator": "Odd"}]}, "<error>"),
    ],
)
def test_tables_show_which_pods_a_policy_is_for(selector: Body, text: str) -> None:
    resource = policies()
    cells = {column.name: column.cell for column in resource.columns}
    assert cells["Pod-Selector"](created(resource, policy(podSelector=selector)), 0) == text
