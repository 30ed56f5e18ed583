"""The builders make objects that every release accepts, in the version that the release serves."""

from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.testing import objects
from fakeapi.testing.device_objects import Attribute
from fakeapi.testing.objects import ObjectBuilder, claim, pod

VERSIONS = {"1.31": "v1alpha3", "1.32": "v1beta1", "1.33": "v1beta2", "1.34": "v1", "1.37": "v1"}


def every_object(build: ObjectBuilder) -> list[dict[str, Any]]:
    attributes: dict[str, Attribute] = {
        "model": "a",
        "numa": 1,
        "ecc": True,
        "firmware": {"version": "1.0.0"},
    }
    return [
        build.namespace("team", labels={"a": "b"}),
        build.node("node", capacity={"cpu": "8"}),
        build.device_class(selectors=["true"]),
        build.resource_slice(devices=3, attributes=attributes, capacity={"memory": "40Gi"}),
        build.resource_slice("named", node="other", devices={"a": {"model": "b"}, "c": {}}),
        build.resource_slice("everywhere", pool="net", devices=["x"], all_nodes=True),
        build.claim(),
        build.claim("two", count=2, selectors=["true"], match_attribute="gpu.example.com/numa"),
        build.claim("all", every=True),
        build.claim_template(labels={"a": "b"}),
        build.pod(claims=["claim"], claim_templates={"own": "template"}, command=["sleep"]),
        build.pod("bound", claims={"gpu": "two"}, node="node", spec={"restartPolicy": "Never"}),
        build.deployment(replicas=2),
        build.config_map("c", {"a": "b"}),
        build.service_account("driver", namespace="team"),
        build.role(
            rules={"pods": ["get"], "resourceclaims.resource.k8s.io/status": ["update"]}, namespace="team"
        ),
        build.role_binding(users=["jane"], groups=["g"], service_accounts=["team/driver"], namespace="team"),
        build.role("reader", {"nodes": ["list"]}, cluster=True),
        build.role_binding("reader", users=["jane"], cluster=True),
    ]


@pytest.mark.parametrize("release", VERSIONS)
def test_every_release_accepts_the_objects_in_its_version(release: str) -> None:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=release, feature_gates=gates, runtime_config="api/all=true") as api:
        build = api.objects
        assert build.api_version == f"resource.k8s.io/{VERSIONS[release]}"
        for obj in every_object(build):
            stored = api.create(obj, fieldValidation="Strict")
            assert stored["kind"] == obj["kind"]
            assert obj["spec"].keys() <= stored["spec"].keys() if "spec" in obj else True


def test_the_functions_of_the_module_build_the_newest_version() -> None:
    built = {name for name in objects.__all__ if name[0].islower()}
    assert built == {name for name in dir(ObjectBuilder) if name[0] != "_"} - {"api_version"}
    assert claim()["apiVersion"] == "resource.k8s.io/v1"


def test_versions_without_devices_have_no_builders() -> None:
    with FakeAPI(release="1.30") as api, pytest.raises(ValueError, match=r"no builders for .*v1alpha2"):
        api.objects  # noqa: B018 - the property raises


def test_the_server_validates_what_a_builder_makes(fakeapi: FakeAPI) -> None:
    with pytest.raises(StatusError, match="422 Invalid"):
        fakeapi.create(claim("Not_a_name"))
    with pytest.raises(StatusError, match="unknown field"):
        fakeapi.create(pod(spec={"restrtPolicy": "Never"}), fieldValidation="Strict")


def test_a_role_binding_lets_a_service_account_act() -> None:
    with FakeAPI(authorization="rbac") as api:
        api.create(objects.role("reader", {"configmaps": ["list"]}))
        api.create(objects.role_binding("reader", service_accounts=["default/driver"]))
        driver = api.as_user("system:serviceaccount:default:driver")
        assert driver.list("ConfigMap", namespace="default") == []
