"""The server sets the default values of each Kubernetes release."""

from typing import Any

import pytest

from fakeapi.kinds.common.defaults import apply_defaults
from fakeapi.kinds.common.defaults.functions import IMAGE_LENGTH_MAX, pull_policy
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.quantity import rounded_up_to_milli
from fakeapi.machinery.schema.decoding import decode
from fakeapi.releases import KNOWN_RELEASES, load_release
from fakeapi.releases.kinds import Kind


def filled(kind: Kind, sent: Object, release: str, gates: str = "") -> Object:
    loaded = load_release(release, gates)
    obj, _ = decode({"kind": kind.kind, "apiVersion": kind.api_version, "metadata": {}, **sent}, kind.schema)
    return apply_defaults(obj, kind.schema, lambda: loaded.all_kinds.tables.defaults, loaded.gates)


def of(
    group: str, version: str, resource: str, sent: Object, release: str = "1.33", gates: str = ""
) -> Object:
    return filled(load_release(release).kind(group, version, resource), sent, release, gates)


@pytest.mark.parametrize("release", KNOWN_RELEASES)
def test_every_kind_can_be_defaulted_and_twice_is_once(release: str) -> None:
    for kind in load_release(release).kinds:
        once = filled(kind, {}, release)
        assert filled(kind, once, release) == once


@pytest.mark.parametrize("release", KNOWN_RELEASES)
def test_a_pod_has_the_defaults_of_its_parts_in_the_order_of_its_type(release: str) -> None:
    container: Object = {"name": "a", "image": "x", "ports": [{"containerPort": 80}]}
    container |= {"livenessProbe": {"grpc": {"port": 1}}, "resources": {"limits": {"cpu": "1500u"}}}
    pod = of("", "v1", "pods", {"spec": {"containers": [container], "volumes": [{"name": "v"}]}}, release)
    [made] = pod["spec"]["containers"]
    assert made["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert made["livenessProbe"]["grpc"] == {"port": 1, "service": ""}
    assert made["livenessProbe"]["failureThreshold"] == 3
    assert made["resources"] == {"limits": {"cpu": "2m"}, "requests": {"cpu": "2m"}}
    assert made["imagePullPolicy"] == "Always"
    assert pod["spec"]["volumes"] == [{"name": "v", "emptyDir": {}}]
    fields = list(load_release(release).kind("", "v1", "pods").schema.fields["spec"].node.fields)  # type: ignore[union-attr]
    assert list(pod["spec"]) == [name for name in fields if name in pod["spec"]]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("x", "Always"),
        ("host:5000/x:latest", "Always"),
        ("x:1", "IfNotPresent"),
        ("x@sha256:" + "0" * 64, "IfNotPresent"),
        ("x:latest@sha256:" + "0" * 64, "Always"),
        ("UPPER", "IfNotPresent"),
        (" x", "IfNotPresent"),
        ("a" * (IMAGE_LENGTH_MAX + 1), "IfNotPresent"),
        ("f" * 64, "IfNotPresent"),
    ],
)
def test_an_image_is_always_pulled_if_its_tag_is_latest(image: str, policy: str) -> None:
    assert pull_policy(image) == policy


@pytest.mark.parametrize(
    ("amount", "rounded"),
    [
        ("1", "1"),
        ("1n", "1m"),
        ("-1500u", "-2m"),
        ("1.0005", "1001m"),
        ("1e-6", "1e-3"),
        ("0.1Ki", "102400m"),
    ],
)
def test_amounts_are_rounded_up_to_thousandths(amount: str, rounded: str) -> None:
    assert rounded_up_to_milli(amount) == rounded


@pytest.mark.parametrize(
    ("kind", "sent", "path", "value"),
    [
        ("services", {"type": "NodePort"}, "internalTrafficPolicy", "Cluster"),
        ("services", {"type": "LoadBalancer"}, "allocateLoadBalancerNodePorts", True),
        (
            "services",
            {"sessionAffinity": "ClientIP"},
            "sessionAffinityConfig",
            {"clientIP": {"timeoutSeconds": 10800}},
        ),
        ("services", {"ports": [{"port": 80}]}, "ports", [{"protocol": "TCP", "port": 80, "targetPort": 80}]),
        (
            "replicationcontrollers",
            {"template": {"metadata": {"labels": {"a": "b"}}}},
            "selector",
            {"a": "b"},
        ),
        ("replicationcontrollers", {}, "replicas", 1),
        (
            "limitranges",
            {"limits": [{"type": "Container", "max": {"cpu": "2"}}]},
            "limits",
            [
                {
                    "type": "Container",
                    "max": {"cpu": "2"},
                    "default": {"cpu": "2"},
                    "defaultRequest": {"cpu": "2"},
                }
            ],
        ),
        ("pods", {"serviceAccount": "old"}, "serviceAccountName", "old"),
        ("pods", {"terminationGracePeriodSeconds": -5}, "terminationGracePeriodSeconds", 1),
    ],
)
def test_fields_of_a_spec_are_filled_in(kind: str, sent: Object, path: str, value: Any) -> None:
    assert of("", "v1", kind, {"spec": sent})["spec"][path] == value


def test_given_values_stay() -> None:
    sent = {"dnsPolicy": "Default", "terminationGracePeriodSeconds": 0, "schedulerName": "own"}
    spec = of("", "v1", "pods", {"spec": sent})["spec"]
    assert {name: spec[name] for name in sent} == sent


def test_ports_of_the_host_are_filled_in_for_templates_as_the_release_does_it() -> None:
    pod = {"hostNetwork": True, "containers": [{"name": "a", "ports": [{"containerPort": 80}]}]}
    for release, gates, ports in (
        ("1.27", "", 80),
        ("1.28", "", None),
        ("1.28", "DefaultHostNetworkHostPortsInPodTemplates=true", 80),
        ("1.33", "", None),
    ):
        made = of("", "v1", "podtemplates", {"template": {"spec": pod}}, release, gates)
        assert made["template"]["spec"]["containers"][0]["ports"][0].get("hostPort") == ports
    assert of("", "v1", "pods", {"spec": pod})["spec"]["containers"][0]["ports"][0]["hostPort"] == 80


def test_an_autoscaler_has_a_metric_and_the_rules_of_both_directions() -> None:
    sent = {
        "spec": {"maxReplicas": 5, "scaleTargetRef": {}, "behavior": {"scaleUp": {"selectPolicy": "Min"}}}
    }
    spec = of("autoscaling", "v2", "horizontalpodautoscalers", sent)["spec"]
    assert spec["minReplicas"] == 1
    assert spec["metrics"][0]["resource"]["target"] == {"type": "Utilization", "averageUtilization": 80}
    assert spec["behavior"]["scaleUp"]["selectPolicy"] == "Min"
    assert len(spec["behavior"]["scaleUp"]["policies"]) == 2
    assert spec["behavior"]["scaleDown"]["selectPolicy"] == "Max"
