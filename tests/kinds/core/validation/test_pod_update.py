"""Validation of updates of a pod and its subresources status, ephemeralcontainers and resize."""

from typing import Any

import pytest

from fakeapi.kinds.core.pod.validation.resize import validate_pod_resize
from fakeapi.kinds.core.pod.validation.status import validate_pod_status_update
from fakeapi.kinds.core.pod.validation.update import (
    validate_ephemeral_containers_update,
    validate_pod_update,
)
from fakeapi.releases.release import COMPILED_RELEASES
from tests.kinds.core.validation.pods import CONTAINER, changed, pod, with_container
from tests.kinds.resource.builders import RULES, places, triples

GIB = {"resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Gi"}}}
TOLERATION = {"key": "a", "operator": "Exists", "effect": "NoExecute"}


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_a_pod_may_stay_as_it_is(release: str) -> None:
    old, rules = pod(), RULES[release]
    assert validate_pod_update(old, old, rules) == []
    assert validate_pod_status_update(old, old, rules) == []
    assert validate_ephemeral_containers_update(old, old, rules) == []
    assert validate_pod_resize(old, old, rules) == []


ALLOWED: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "spec.containers.0.image", "example.com/app:2"),
    ({}, "spec.activeDeadlineSeconds", 60),
    ({}, "spec.tolerations", [TOLERATION]),
    ({"tolerations": [TOLERATION]}, "spec.tolerations", [{**TOLERATION, "tolerationSeconds": 5}]),
    ({"schedulingGates": [{"name": "a"}]}, "spec.schedulingGates", []),
    ({"schedulingGates": [{"name": "a"}]}, "spec.nodeSelector", {"zone": "a"}),
]


@pytest.mark.parametrize("release", ["1.27", "1.31", "1.33", "1.36", "1.37"])
@pytest.mark.parametrize(("spec", "path", "value"), ALLOWED)
def test_what_an_update_may_change(release: str, spec: dict[str, Any], path: str, value: Any) -> None:
    old = pod(spec)
    assert validate_pod_update(changed(old, path, value), old, RULES[release]) == []


REFUSED: list[tuple[dict[str, Any], str, Any, str]] = [
    ({}, "spec.nodeName", "node-1", "spec"),
    ({}, "spec.restartPolicy", "Never", "spec"),
    ({}, "spec.nodeSelector", {"zone": "a"}, "spec"),
    ({}, "spec.containers", [CONTAINER, CONTAINER | {"name": "b"}], "spec.containers"),
    ({"activeDeadlineSeconds": 5}, "spec.activeDeadlineSeconds", 10, "spec.activeDeadlineSeconds"),
    ({"tolerations": [TOLERATION]}, "spec.tolerations", [], "spec.tolerations"),
    ({}, "spec.schedulingGates", [{"name": "a"}], "spec.schedulingGates[0].name"),
    (
        {"schedulingGates": [{"name": "a"}], "nodeSelector": {"zone": "a"}},
        "spec.nodeSelector",
        {"zone": "b"},
        "spec.nodeSelector",
    ),
]


@pytest.mark.parametrize("release", ["1.27", "1.31", "1.33", "1.36", "1.37"])
@pytest.mark.parametrize(("spec", "path", "value", "place"), REFUSED)
def test_what_an_update_may_not_change(
    release: str, spec: dict[str, Any], path: str, value: Any, place: str
) -> None:
    old = pod(spec)
    assert places(validate_pod_update(changed(old, path, value), old, RULES[release])) == [place]


def test_a_difference_is_that_of_the_json_of_the_servers_own_types() -> None:
    old = pod()
    (error,) = validate_pod_update(changed(old, "spec.nodeName", "node-1"), old, RULES["1.36"])
    assert error.body.split("\n")[1:] == [
        "@@ -42,7 +42,7 @@",
        '  "NodeSelector": null,',
        '  "ServiceAccountName": "",',
        '  "AutomountServiceAccountToken": null,',
        '- "NodeName": "",',
        '+ "NodeName": "node-1",',
        '  "SecurityContext": {',
        '   "HostNetwork": false,',
        '   "HostPID": false,',
        "",
    ]


def test_before_1_34_the_difference_names_the_fields_of_the_spec() -> None:
    old = pod()
    (error,) = validate_pod_update(changed(old, "spec.nodeName", "node-1"), old, RULES["1.33"])
    lines = [line.replace("\u00a0", " ") for line in error.body.split("\n")[1:]]
    assert lines[0] == "  core.PodSpec{"
    assert '+ \tNodeName: "node-1",' in lines
    assert lines[-2:] == ["  }", ""]


def test_ephemeral_containers_are_only_added() -> None:
    old = pod({"ephemeralContainers": [CONTAINER | {"name": "e"}]})
    gone = changed(old, "spec.ephemeralContainers", [])
    other = changed(old, "spec.ephemeralContainers.0.image", "y")
    more = changed(old, "spec.ephemeralContainers", [CONTAINER | {"name": "e"}, CONTAINER | {"name": "f"}])
    rules = RULES["1.33"]
    assert triples(validate_ephemeral_containers_update(gone, old, rules)) == [
        (
            "spec.ephemeralContainers",
            "Forbidden",
            'Forbidden: existing ephemeral containers "e" may not be removed\n',
        )
    ]
    assert places(validate_ephemeral_containers_update(other, old, rules)) == ["spec.ephemeralContainers"]
    assert validate_ephemeral_containers_update(more, old, rules) == []


def test_an_ephemeral_container_has_no_ports_and_no_probes() -> None:
    extra = {"name": "e", "ports": [{"containerPort": 1, "protocol": "TCP"}], "lifecycle": {}}
    new = pod({"ephemeralContainers": [CONTAINER | extra]})
    assert places(validate_ephemeral_containers_update(new, pod(), RULES["1.33"])) == [
        "spec.ephemeralContainers[0].ports",
        "spec.ephemeralContainers[0].lifecycle",
    ]


@pytest.mark.parametrize(
    ("release", "after", "expected"),
    [
        ("1.33", {"limits": {"memory": "2Gi"}, "requests": {"memory": "2Gi"}}, []),
        (
            "1.33",
            {"limits": {"memory": "512Mi"}, "requests": {"memory": "512Mi"}},
            ["spec.containers[0].resources.limits[memory]"],
        ),
        ("1.34", {"limits": {"memory": "512Mi"}, "requests": {"memory": "512Mi"}}, []),
        (
            "1.34",
            {"requests": {"memory": "1Gi"}},
            ["spec.containers[0].resources.limits"],
        ),
    ],
)
def test_how_the_memory_of_a_container_may_change(
    release: str, after: dict[str, Any], expected: list[str]
) -> None:
    old = pod(with_container(**GIB))
    old["status"]["qosClass"] = "Burstable"
    new = changed(old, "spec.containers.0.resources", after)
    assert places(validate_pod_resize(new, old, RULES[release])) == expected


def test_a_resize_changes_nothing_else_and_keeps_the_class() -> None:
    old = pod()
    renamed = changed(old, "spec.containers.0.name", "other")
    asking = changed(old, "spec.containers.0.resources", {"requests": {"cpu": "1"}})
    image = changed(old, "spec.containers.0.image", "y")
    rules = RULES["1.33"]
    assert places(validate_pod_resize(renamed, old, rules)) == ["spec.containers[0].name"]
    assert [error.body for error in validate_pod_resize(asking, old, rules)] == [
        'Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'
    ]
    assert [error.body for error in validate_pod_resize(image, old, rules)] == [
        "Forbidden: only cpu and memory resources are mutable"
    ]


STATUS: list[tuple[str, str, Any, list[str]]] = [
    ("1.32", "conditions", [{"type": "bad key!", "status": "True"}], ["metadata.conditions[0].Type"]),
    ("1.33", "conditions", [{"type": "bad key!", "status": "True"}], ["status.conditions[0].Type"]),
    ("1.33", "nominatedNodeName", "BAD", ["status.nominatedNodeName"]),
    ("1.31", "qosClass", "Burstable", []),
    ("1.32", "qosClass", "Burstable", ["status.qosClass"]),
    ("1.33", "podIPs", [{"ip": "nonsense"}], ["status.podIPs[0]"]),
    ("1.33", "podIPs", [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}], ["status.podIPs"]),
    ("1.37", "podIPs", [{"ip": "10.0.0.1"}], ["status.podIPs"]),
    ("1.33", "resourceClaimStatuses", [{"name": "gpu"}], ["status.resourceClaimStatuses[0].name"]),
]


@pytest.mark.parametrize(("release", "field", "value", "expected"), STATUS)
def test_what_a_status_may_not_say(release: str, field: str, value: Any, expected: list[str]) -> None:
    old = pod()
    new = changed(old, f"status.{field}", value)
    assert places(validate_pod_status_update(new, old, RULES[release])) == expected


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_a_container_that_ended_for_good_does_not_run_again(release: str) -> None:
    old = pod({"restartPolicy": "Never"})
    ended = {"name": "main", "state": {"terminated": {"exitCode": 0}}}
    old["status"]["containerStatuses"] = [ended]
    new = changed(old, "status.containerStatuses.0.state", {"running": {}})
    expected = ["status.containerStatuses[0].state"]
    assert places(validate_pod_status_update(new, old, RULES[release])) == expected
    old["spec"]["restartPolicy"] = "Always"
    assert validate_pod_status_update(new, old, RULES[release]) == []
