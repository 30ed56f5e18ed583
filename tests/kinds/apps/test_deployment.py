"""Deployment of apps/v1: validation, immutable fields, generation and status."""

from typing import Any

import pytest

from fakeapi.machinery.errors import ApiError
from tests.kinds.workloads import DELETED, SELECTOR, TEMPLATE, Kind

SPEC = {"selector": SELECTOR, "template": TEMPLATE}


def deployments(release: str = "1.33", **gates: bool) -> Kind:
    return Kind(release, "apps/v1", "deployments", SPEC, **gates)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("spec.replicas", -1, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        (
            "spec.minReadySeconds",
            -1,
            "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            "spec.selector.matchExpressions",
            [{"key": "a", "operator": "In"}],
            (
                "spec.selector.matchExpressions[0].values: Required value: must be specified when "
                "`operator` is 'In' "
                "or 'NotIn'"
            ),
        ),
        (
            "spec.strategy",
            {"type": "Recreate", "rollingUpdate": {}},
            (
                "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
                "'Recreate'"
            ),
        ),
        (
            "spec.strategy",
            {"rollingUpdate": {"maxUnavailable": "101%"}},
            (
                "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, "
                'IntVal:0, StrVal:"101%"}: '
                "must not be greater than 100%"
            ),
        ),
        (
            "spec.progressDeadlineSeconds",
            0,
            "spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds",
        ),
        (
            "metadata.annotations",
            {"deprecated.deployment.rollback.to": "-1"},
            "spec.rollback.version: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            "spec.template.metadata.labels",
            {"app": "z"},
            (
                'spec.template.metadata.labels: Invalid value: map[string]string{"app":"z"}: `selector` '
                "does not match "
                "template `labels`"
            ),
        ),
        (
            "spec.template.spec.activeDeadlineSeconds",
            5,
            (
                "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in "
                "ReplicaSet is not Supported"
            ),
        ),
    ],
)
def test_a_fault_is_said_at_its_field(path: str, value: Any, expected: str) -> None:
    assert expected in deployments().refusals((path, value))


def test_a_sound_deployment_has_no_errors() -> None:
    assert deployments().refusals() == []


def test_without_a_selector_nothing_is_selected() -> None:
    assert deployments().refusals(("spec.selector", DELETED)) == [
        "spec.selector: Required value",
        (
            'spec.template.metadata.labels: Invalid value: map[string]string{"app":"a"}: `selector` does '
            "not match "
            "template `labels`"
        ),
    ]


def test_newer_releases_print_values_as_json() -> None:
    assert deployments("1.36").refusals(("spec.strategy", {"type": "Odd"})) == [
        (
            'spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: '
            '"Recreate", '
            '"RollingUpdate"'
        )
    ]


def test_the_selector_stays_as_it_was_made() -> None:
    change = ("spec.selector.matchLabels.app", "b"), ("spec.template.metadata.labels.app", "b")
    assert deployments("1.36").update_refusals(*change) == [
        "metadata: change",
        'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
    ]


def test_a_change_of_annotations_is_a_new_generation() -> None:
    assert deployments().updated(("metadata.annotations", {"a": "1"}))["metadata"]["generation"] == 2
    assert deployments().updated(("metadata.labels", {"a": "1"}))["metadata"]["generation"] == 1


def test_the_order_of_fields_is_no_change() -> None:
    kind = deployments()
    spec = kind.created()["spec"]
    reordered = dict(reversed(spec.items()))
    assert kind.updated(("spec", reordered))["metadata"]["generation"] == 1


def test_a_write_of_status_leaves_spec_and_labels() -> None:
    changes = ("spec.replicas", 9), ("metadata.labels", {"a": "1"}), ("metadata.annotations", {"b": "2"})
    updated = deployments().updated(*changes, subresource="status")
    assert updated["spec"]["replicas"] == 1
    assert "labels" not in updated["metadata"]
    assert updated["metadata"]["annotations"] == {"b": "2"}


def test_counters_of_a_status_fit_together() -> None:
    status = {"replicas": 1, "availableReplicas": 2, "collisionCount": 1}
    before = (("status", {"collisionCount": 2}),)
    assert deployments().update_refusals(("status", status), subresource="status", before=before) == [
        "metadata: change",
        "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
        "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
        "status.collisionCount: Invalid value: 1: cannot be decremented",
    ]


def test_the_count_of_terminating_replicas_is_behind_a_gate() -> None:
    change = ("status", {"replicas": 0, "terminatingReplicas": 1})
    assert "terminatingReplicas" not in deployments("1.33").updated(change, subresource="status")["status"]
    gates = {"DeploymentReplicaSetTerminatingReplicas": True}
    kept = deployments("1.33", **gates).updated(change, subresource="status")
    assert kept["status"]["terminatingReplicas"] == 1


def test_a_rollback_is_to_a_number() -> None:
    with pytest.raises(ApiError) as refused:
        deployments().created(("metadata.annotations", {"deprecated.deployment.rollback.to": "x"}))
    assert refused.value.code == 400
    kept = deployments().created(("metadata.annotations", {"deprecated.deployment.rollback.to": ""}))
    assert "annotations" not in kept["metadata"]


def test_a_row_shows_replicas_images_and_the_selector() -> None:
    obj = deployments().created(("spec.replicas", 3))
    assert deployments().row({**obj, "status": {"readyReplicas": 2}}, 1.0) | {"Age": ""} == {
        "Name": "a",
        "Ready": "2/3",
        "Up-to-date": 0,
        "Available": 0,
        "Age": "",
        "Containers": "main",
        "Images": "example.com/app:1",
        "Selector": "app=a",
    }


def test_a_name_that_is_no_label_is_warned_of() -> None:
    kind = deployments()
    (warning,) = kind.resource.strategy_for("").warnings_on_create(kind.created(name="a.b"))
    assert warning.startswith("metadata.name: this is used in Pod names and hostnames")
