"""Node selectors are validated as in k8s.io/kubernetes `pkg/apis/core/validation`."""

from typing import Any

import pytest

from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.node_selector import validate_node_selector

EXPRESSION = "n.nodeSelectorTerms[0].matchExpressions[0]"
FIELD = "n.nodeSelectorTerms[0].matchFields[0]"
ONE_VALUE = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
QUALIFIED = names.is_qualified_name("-")[0]
LABEL_VALUE = names.is_valid_label_value("-")[0]
SUBDOMAIN = names.is_dns1123_subdomain("-")[0]


def of_one(member: str, key: str, operator: str, values: list[str]) -> list[str]:
    requirement = {"key": key, "operator": operator} | ({"values": values} if values else {})
    selector = {"nodeSelectorTerms": [{member: [requirement]}]}
    return [str(error) for error in validate_node_selector(selector, "n")]


@pytest.mark.parametrize("selector", [{"nodeSelectorTerms": None}, {"nodeSelectorTerms": []}])
def test_a_selector_has_a_term(selector: dict[str, Any]) -> None:
    assert [str(error) for error in validate_node_selector(selector, "n")] == [
        "n.nodeSelectorTerms: Required value: must have at least one node selector term"
    ]


def test_a_term_may_be_empty() -> None:
    assert validate_node_selector({"nodeSelectorTerms": [{}]}, "n") == []


@pytest.mark.parametrize(
    ("operator", "values", "error"),
    [
        ("In", ["a", "b"], ""),
        ("NotIn", ["a"], ""),
        ("Exists", [], ""),
        ("DoesNotExist", [], ""),
        ("Gt", ["1"], ""),
        ("Lt", ["x"], ""),
        ("In", [], ".values: Required value: must be specified when `operator` is 'In' or 'NotIn'"),
        ("NotIn", [], ".values: Required value: must be specified when `operator` is 'In' or 'NotIn'"),
        (
            "Exists",
            ["a"],
            ".values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            "Gt",
            ["1", "2"],
            ".values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        ),
        ("Near", ["a"], '.operator: Invalid value: "Near": not a valid selector operator'),
        ("", [], '.operator: Invalid value: "": not a valid selector operator'),
    ],
)
def test_an_operator_takes_its_number_of_values(operator: str, values: list[str], error: str) -> None:
    expected = [EXPRESSION + error] if error else []
    assert of_one("matchExpressions", "key", operator, values) == expected


def test_an_expression_has_a_label_s_key_and_from_1_32_its_values() -> None:
    assert of_one("matchExpressions", "a!", "Exists", []) == [
        f'{EXPRESSION}.key: Invalid value: "a!": {QUALIFIED}'
    ]
    assert of_one("matchExpressions", "a", "In", ["ok", "v!"]) == [
        f'{EXPRESSION}.values[1]: Invalid value: "v!": {LABEL_VALUE}'
    ]
    requirement = {"key": "a", "operator": "In", "values": ["v!"]}
    older = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    assert validate_node_selector(older, "n", checks_values=False) == []


@pytest.mark.parametrize(
    ("key", "operator", "values", "errors"),
    [
        ("metadata.name", "In", ["node-1"], []),
        ("metadata.name", "In", [], [f".values: Required value: {ONE_VALUE}"]),
        ("metadata.name", "NotIn", ["a", "b"], [f".values: Required value: {ONE_VALUE}"]),
        (
            "metadata.name",
            "Exists",
            [],
            ['.operator: Invalid value: "Exists": not a valid selector operator'],
        ),
        ("metadata.name", "In", ["A"], [f'.values[0]: Invalid value: "A": {SUBDOMAIN}']),
        (
            "metadata.labels",
            "Gt",
            ["A"],
            [
                '.operator: Invalid value: "Gt": not a valid selector operator',
                '.key: Invalid value: "metadata.labels": not a valid field selector key',
            ],
        ),
    ],
)
def test_the_only_field_of_a_node_is_its_name(
    key: str, operator: str, values: list[str], errors: list[str]
) -> None:
    assert of_one("matchFields", key, operator, values) == [FIELD + error for error in errors]
