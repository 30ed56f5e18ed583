"""PodDisruptionBudget of policy/v1: validation, gated fields, status and table row."""

from typing import Any

import pytest

from tests.kinds.workloads import SELECTOR, Kind

EMPTY_SELECTOR = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def budgets(release: str = "1.36", **gates: bool) -> Kind:
    spec = {"minAvailable": 1, "selector": SELECTOR}
    return Kind(release, "policy/v1", "poddisruptionbudgets", spec, **gates)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (
            "spec.minAvailable",
            "101%",
            'spec.minAvailable: Invalid value: "101%": must not be greater than 100%',
        ),
        (
            "spec.minAvailable",
            -1,
            ("spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"),
        ),
        (
            "spec.maxUnavailable",
            1,
            (
                "spec: Invalid value: "
                '{"MinAvailable":1,"Selector":{"matchLabels":{"app":"a"}},"MaxUnavailable":1,'
                '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
            ),
        ),
        (
            "spec.unhealthyPodEvictionPolicy",
            "Odd",
            (
                'spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: '
                '"AlwaysAllow", '
                '"IfHealthyBudget"'
            ),
        ),
    ],
)
def test_a_fault_is_said_at_its_field(path: str, value: Any, expected: str) -> None:
    assert budgets().refusals((path, value)) == [expected]


def test_an_update_is_not_asked_for_its_metadata() -> None:
    assert budgets().update_refusals(("spec.minAvailable", 2)) == []


def test_the_policy_of_evictions_is_behind_a_gate_up_to_1_30() -> None:
    change = ("spec.unhealthyPodEvictionPolicy", "AlwaysAllow")
    off = budgets("1.30", PDBUnhealthyPodEvictionPolicy=False)
    assert "unhealthyPodEvictionPolicy" not in off.created(change)["spec"]
    assert "unhealthyPodEvictionPolicy" in budgets("1.30").created(change)["spec"]


def test_the_label_of_v1beta1_goes_from_selectors_that_say_more() -> None:
    other = {"key": "a", "operator": "Exists"}
    marked = {"key": EMPTY_SELECTOR, "operator": "Exists"}
    kept = budgets().created(("spec.selector", {"matchExpressions": [other, marked]}))
    assert kept["spec"]["selector"] == {"matchExpressions": [other]}
    alone = budgets().created(("spec.selector", {"matchExpressions": [marked]}))
    assert alone["spec"]["selector"] == {"matchExpressions": [marked]}


def test_the_counts_of_a_status_are_not_negative() -> None:
    errors = budgets().update_refusals(("status.currentHealthy", -1), subresource="status")
    assert errors == ["status.currentHealthy: Invalid value: -1: must be greater than or equal to 0"]


def test_a_row_shows_what_may_be_disrupted() -> None:
    row = budgets().row(budgets().created(("spec.minAvailable", "50%")))
    assert (row["Min Available"], row["Max Unavailable"], row["Allowed Disruptions"]) == ("50%", "N/A", 0)
