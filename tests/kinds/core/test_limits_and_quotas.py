"""LimitRange and ResourceQuota: validation, the quota's status, and warnings."""

import pytest

from tests.kinds.judging import Body, canonical, created, refusals, refused_change, resource_of

LIMITS = resource_of("1.36", "", "v1", "limitranges")
QUOTAS = resource_of("1.36", "", "v1", "resourcequotas")


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1"}}, []),
        ({"type": "Odd"}, ["type"]),
        ({"type": "example.com/odd"}, []),
        ({"type": "Pod", "defaultRequest": {"cpu": "1"}}, ["defaultRequest"]),
        ({"type": "PersistentVolumeClaim"}, ["limits"]),
        ({"type": "PersistentVolumeClaim", "min": {"storage": "1"}}, []),
        ({"type": "Container", "max": {"pods": "1"}}, ["max[pods]", "default[pods]", "defaultRequest[pods]"]),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "500m"}}, ["maxLimitRequestRatio[cpu]"]),
        (
            {
                "type": "Pod",
                "min": {"cpu": "1"},
                "max": {"cpu": "2"},
                "maxLimitRequestRatio": {"cpu": "3"},
            },
            ["maxLimitRequestRatio[cpu]"],
        ),
        (
            {
                "type": "Container",
                "default": {"example.com/gpu": "2"},
                "defaultRequest": {"example.com/gpu": "1"},
            },
            ["defaultRequest[example.com/gpu]"],
        ),
    ],
)
def test_the_amounts_of_a_limit_range_fit_together(limit: Body, expected: list[str]) -> None:
    found = [field for field, _ in refusals(LIMITS, {"spec": {"limits": [limit]}})]
    assert found == [f"spec.limits[0].{field}" for field in expected]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"hard": {"pods": "1", "count/widgets.example.com": "1", "requests.nvidia.com/gpu": "4"}}, []),
        ({"hard": {"storage": "1"}}, ["spec.hard[storage]"]),
        ({"hard": {"cpu": "-1"}}, ["spec.hard[cpu]"]),
        ({"hard": {"services": "1500m"}}, ["spec.hard[services]"]),
        ({"hard": {"cpu": "1"}, "scopes": ["BestEffort"]}, ["spec.scopes"]),
        ({"hard": {"pods": "1"}, "scopes": ["Terminating", "NotTerminating"]}, ["spec.scopes"]),
    ],
)
def test_a_quota_counts_what_its_scopes_are_about(spec: Body, expected: list[str]) -> None:
    assert [field for field, _ in refusals(QUOTAS, {"spec": spec})] == expected


@pytest.mark.parametrize(
    ("scope", "operator", "values", "expected"),
    [
        ("PriorityClass", "In", ["high"], []),
        ("PriorityClass", "Exists", [], []),
        ("PriorityClass", "In", [], ["values"]),
        ("PriorityClass", "Exists", ["high"], ["values"]),
        ("PriorityClass", "Near", [], ["operator"]),
        ("Terminating", "In", ["a"], ["operator"]),
        ("Odd", "Exists", [], ["scopeName"]),
    ],
)
def test_a_selector_of_scopes_is_well_formed(
    scope: str, operator: str, values: list[str], expected: list[str]
) -> None:
    expression = {"scopeName": scope, "operator": operator, "values": values}
    body = {"spec": {"hard": {"pods": "1"}, "scopeSelector": {"matchExpressions": [expression]}}}
    path = "spec.scopeSelector.matchExpressions"
    assert [field for field, _ in refusals(QUOTAS, body)] == [f"{path}.{field}" for field in expected]


def test_the_scopes_of_a_quota_stay() -> None:
    body: Body = {"spec": {"hard": {"pods": "1"}}}
    changed: Body = {"spec": {"hard": {"pods": "2"}, "scopes": ["BestEffort"]}}
    assert refused_change(QUOTAS, body, changed) == [
        ("spec.scopes", 'Invalid value: ["BestEffort"]: field is immutable')
    ]


def test_a_client_sets_the_status_of_a_quota_only_through_its_subresource() -> None:
    body: Body = {"spec": {"hard": {"pods": "1"}}, "status": {"hard": {"pods": "1"}}}
    assert created(QUOTAS, body)["status"] == {}
    prepared = QUOTAS.strategy_for("status").prepare_update(canonical(QUOTAS, body), created(QUOTAS, body))
    assert prepared["status"] == {"hard": {"pods": "1"}}


def test_requests_above_limits_are_warned_about() -> None:
    body: Body = {"spec": {"hard": {"cpu": "2", "limits.cpu": "1"}}}
    warnings = QUOTAS.strategy_for("").warnings_on_create(created(QUOTAS, body))
    assert warnings == ["ResourceQuota cpu (2) should be less than limits.cpu (1)"]
