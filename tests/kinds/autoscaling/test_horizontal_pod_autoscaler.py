"""HorizontalPodAutoscaler in autoscaling/v1 and v2: validation, and conversion between the two versions."""

import json
from typing import Any

import pytest

from fakeapi.kinds.autoscaling.conversion import BEHAVIOR, CONDITIONS, METRICS, conversions_of
from fakeapi.registry.model.conversion import IDENTITY
from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of
from tests.kinds.workloads import DELETED, Kind

TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
}
SPEC = {"scaleTargetRef": TARGET, "maxReplicas": 5, "metrics": [CPU]}
METRIC = {"name": "requests"}
DESCRIBED = {"kind": "Service", "name": "s"}


def autoscalers(release: str = "1.36", **gates: bool) -> Kind:
    return Kind(release, "autoscaling/v2", "horizontalpodautoscalers", SPEC, **gates)


def of_v1(release: str = "1.36", **spec: Any) -> Kind:
    base = {"scaleTargetRef": TARGET, "maxReplicas": 5}
    return Kind(release, "autoscaling/v1", "horizontalpodautoscalers", {**base, **spec})


@pytest.mark.parametrize(
    ("release", "path", "value", "expected"),
    [
        (
            "1.36",
            "spec.minReplicas",
            0,
            "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        ),
        ("1.35", "spec.maxReplicas", 0, "spec.maxReplicas: Invalid value: 0: must be greater than 0"),
        ("1.36", "spec.maxReplicas", 0, "spec.maxReplicas: Required value: must be set and greater than 0"),
        ("1.37", "spec.maxReplicas", 0, "spec.maxReplicas: Required value"),
        (
            "1.36",
            "spec.minReplicas",
            9,
            "spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`",
        ),
        ("1.36", "spec.scaleTargetRef.name", "", "spec.scaleTargetRef.name: Required value"),
        (
            "1.36",
            "spec.scaleTargetRef.apiVersion",
            "v1",
            'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
        ),
        (
            "1.36",
            "spec.behavior",
            {"scaleDown": {"stabilizationWindowSeconds": 3601}},
            (
                "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be "
                "less than or "
                "equal to 3600"
            ),
        ),
        (
            "1.36",
            "spec.behavior",
            {"scaleUp": {"policies": [{"type": "Odd", "value": 1, "periodSeconds": 1}]}},
            (
                'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: '
                '"Percent", '
                '"Pods"'
            ),
        ),
    ],
)
def test_a_fault_is_said_at_its_field(release: str, path: str, value: Any, expected: str) -> None:
    assert expected in autoscalers(release).refusals((path, value))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ({"type": "Pods"}, ".pods: Required value: must populate information for the given metric source"),
        (
            {**CPU, "pods": {"metric": METRIC, "target": {"type": "AverageValue", "averageValue": "1"}}},
            ".pods: Forbidden: must populate the given metric source only",
        ),
        (
            {"type": "Pods", "pods": {"metric": METRIC, "target": {"type": "AverageValue"}}},
            ".pods.target.averageValue: Required value: must specify a positive target averageValue",
        ),
        (
            {"type": "External", "external": {"metric": METRIC, "target": {"type": "Value", "value": "0"}}},
            '.external.target.value: Invalid value: "0": must be positive',
        ),
        (
            {
                "type": "Object",
                "object": {"metric": METRIC, "describedObject": DESCRIBED, "target": {"type": "Value"}},
            },
            ".object.target.averageValue: Required value: must set either a target value or averageValue",
        ),
        (
            {
                "type": "ContainerResource",
                "containerResource": {
                    "name": "cpu",
                    "container": "",
                    "target": {"type": "Utilization", "averageUtilization": 1},
                },
            },
            ".containerResource.container: Required value: must specify a container",
        ),
    ],
)
def test_a_fault_of_a_metric_is_said_at_the_metric(metric: Any, expected: str) -> None:
    assert f"spec.metrics[0]{expected}" in autoscalers().refusals(("spec.metrics", [metric]))


def test_a_container_metric_quotes_a_resource_name_only_in_the_error_that_it_is_not_qualified() -> None:
    target = {"type": "Utilization", "averageUtilization": 1}
    source = {"name": "a b", "container": "c", "target": target}
    metric = {"type": "ContainerResource", "containerResource": source}
    errors = autoscalers("1.31").refusals(("spec.metrics", [metric]))
    path = "spec.metrics[0].containerResource.name"
    assert errors[0].startswith(f'{path}: Invalid value: "a b": name part must consist of')
    assert errors[1] == f"{path}: Invalid value: a b: must be a standard resource for containers"


def test_an_update_may_leave_a_target_without_a_group() -> None:
    before = (("spec.scaleTargetRef.apiVersion", "v1"),)
    assert autoscalers().update_refusals(("spec.maxReplicas", 6), before=before) == ["metadata: change"]


def test_scaling_to_zero_needs_a_metric_of_something_else() -> None:
    errors = autoscalers("1.33", HPAScaleToZero=True).refusals(("spec.minReplicas", 0))
    problem = "must specify at least one Object or External metric to support scaling to zero replicas"
    assert errors == [f"spec.metrics: Forbidden: {problem}"]


def test_a_tolerance_is_behind_a_gate() -> None:
    change = ("spec.behavior", {"scaleUp": {"tolerance": "0.1"}})
    assert "tolerance" not in autoscalers("1.33").created(change)["spec"]["behavior"]["scaleUp"]
    kept = autoscalers("1.33", HPAConfigurableTolerance=True).created(change)
    assert "tolerance" in kept["spec"]["behavior"]["scaleUp"]


def test_generations_are_counted_from_1_37_on() -> None:
    assert "generation" not in autoscalers("1.36").created()["metadata"]
    assert autoscalers("1.37").updated(("spec.maxReplicas", 6))["metadata"]["generation"] == 2


def test_v1_without_a_target_aims_at_80_percent_of_the_cpu() -> None:
    obj = of_v1().created()
    target = {"type": "Utilization", "averageUtilization": 80}
    assert obj["spec"]["metrics"] == [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    assert of_v1().resource.from_hub(obj)["spec"]["targetCPUUtilizationPercentage"] == 80


METRICS_OF_ALL_KINDS = [
    {
        "type": "Object",
        "object": {
            "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
            "target": {"type": "Value", "value": "10"},
            "metric": METRIC,
        },
    },
    {"type": "Pods", "pods": {"metric": METRIC, "target": {"type": "AverageValue", "averageValue": "1"}}},
    {
        "type": "Resource",
        "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
    },
    {
        "type": "ContainerResource",
        "containerResource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 50},
            "container": "c",
        },
    },
    {
        "type": "External",
        "external": {"metric": METRIC, "target": {"type": "AverageValue", "averageValue": "2"}},
    },
]
STATUSES_OF_ALL_KINDS = [
    {
        "type": "Object",
        "object": {
            "metric": METRIC,
            "current": {"value": "10"},
            "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
        },
    },
    {"type": "Pods", "pods": {"metric": METRIC, "current": {"averageValue": "1"}}},
    {
        "type": "Resource",
        "resource": {"name": "cpu", "current": {"averageValue": "1", "averageUtilization": 9}},
    },
    {
        "type": "ContainerResource",
        "containerResource": {"name": "cpu", "current": {"averageValue": "1"}, "container": "c"},
    },
    {"type": "External", "external": {"metric": METRIC, "current": {"value": "3"}}},
]


@pytest.mark.parametrize("release", ["1.27", "1.33", "1.36", "1.37"])
def test_what_v1_cannot_say_makes_the_round_trip_in_annotations(release: str) -> None:
    obj = autoscalers(release).created(
        ("spec.metrics", METRICS_OF_ALL_KINDS), ("spec.behavior", {"scaleUp": {}})
    )
    condition = {
        "type": "AbleToScale",
        "status": "True",
        "lastTransitionTime": "2030-01-01T00:00:00Z",
        "reason": "R",
    }
    status = {
        "currentReplicas": 1,
        "desiredReplicas": 2,
        "currentMetrics": STATUSES_OF_ALL_KINDS,
        "conditions": [condition],
    }
    obj = {**obj, "status": status, "metadata": {**obj["metadata"], "annotations": {"a": "1"}}}
    v1 = of_v1(release).resource
    converted = v1.from_hub(obj)
    assert set(converted["metadata"]["annotations"]) > {METRICS, BEHAVIOR, CONDITIONS, "a"}
    assert converted["status"]["currentCPUUtilizationPercentage"] == 9
    assert v1.to_hub(converted) == obj


def test_the_behavior_stands_in_the_words_of_go() -> None:
    converted = of_v1("1.33").resource.from_hub(
        autoscalers("1.33").created(("spec.behavior", {"scaleUp": {}}))
    )
    behavior = json.loads(converted["metadata"]["annotations"][BEHAVIOR])
    assert behavior["ScaleUp"]["Policies"][0] == {"Type": "Pods", "Value": 4, "PeriodSeconds": 15}
    assert behavior["ScaleUp"]["Tolerance"] is None


@pytest.mark.parametrize("text", ["", "{", "5", "[1]", '[{"object": 1}]', '{"a": 1}', "null"])
def test_annotations_that_hold_something_else_are_passed_over(text: str) -> None:
    annotations = dict.fromkeys((METRICS, BEHAVIOR, CONDITIONS), text)
    found = of_v1().created(annotations=annotations)
    assert "annotations" not in found["metadata"]
    assert found["spec"]["metrics"][-1]["type"] == "Resource"


def test_v2_is_the_hub_and_keeps_no_annotations_of_v1() -> None:
    assert conversions_of(rules_of(load_release("1.36"))).get("v2", IDENTITY) is IDENTITY
    assert "annotations" not in autoscalers().created(annotations={METRICS: "[]"})["metadata"]


def test_a_row_shows_what_is_aimed_at() -> None:
    metrics = [CPU, METRICS_OF_ALL_KINDS[4], METRICS_OF_ALL_KINDS[1]]
    obj = autoscalers().created(("spec.metrics", metrics))
    status = [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 30}}}]
    row = autoscalers().row({**obj, "status": {"currentReplicas": 2, "currentMetrics": status}})
    assert row["Reference"] == "Deployment/d"
    assert row["Targets"] == "cpu: 30%/70%, <unknown>/2 (avg) + 1 more..."
    assert (row["MinPods"], row["MaxPods"], row["Replicas"]) == ("1", 5, 2)
    older = autoscalers("1.29").row({**obj, "status": {}})
    assert older["Targets"].startswith("<unknown>/70%")


def test_a_target_that_is_missing_is_two_errors() -> None:
    errors = autoscalers().refusals(("spec.scaleTargetRef", DELETED))
    assert errors[:2] == [
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Required value",
    ]


def test_the_observed_generation_of_a_condition_is_not_negative() -> None:
    condition = {"type": "AbleToScale", "status": "True", "observedGeneration": -1}
    errors = autoscalers("1.37").update_refusals(
        ("status.conditions", [{**condition, "observedGeneration": 0}, condition]),
        ("status.currentReplicas", -1),
        subresource="status",
    )
    assert errors[1:] == [
        "status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to 0",
        "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0",
    ]
