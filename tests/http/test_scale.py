"""The subresource `scale` of workloads can be read, updated and patched over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

APPS = "/apis/apps/v1/namespaces/default"
TEMPLATE = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"name": "main", "image": "example.com/app:1"}]},
}
JSON = "application/json"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


def workload(kind: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE, **spec},
    }


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    """Runs a server with a Deployment of one replica."""
    started = fakeapi_factory(release="1.33")
    started.request("POST", f"{APPS}/deployments", workload("Deployment"))
    return started


def patched(api: FakeAPI, body: Any, content_type: str = MERGE, **query: Any) -> Any:
    path = f"{APPS}/deployments/web/scale"
    return api.request("PATCH", path, body, query=query, content_type=content_type)


def refused(call: Callable[[], Any]) -> StatusError:
    with pytest.raises(StatusError) as caught:
        call()
    return caught.value


def test_a_scale_tells_replicas_and_selector(api: FakeAPI) -> None:
    scale = api.request("GET", f"{APPS}/deployments/web/scale")
    assert (scale["apiVersion"], scale["kind"]) == ("autoscaling/v1", "Scale")
    assert scale["spec"] == {"replicas": 1}
    assert scale["status"] == {"replicas": 0, "selector": "app=a"}
    assert set(scale["metadata"]) == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}


def test_a_put_scales_the_object_in_a_new_generation(api: FakeAPI) -> None:
    scale = api.request("GET", f"{APPS}/deployments/web/scale")
    answer = api.request("PUT", f"{APPS}/deployments/web/scale", {**scale, "spec": {"replicas": 4}})
    assert answer["spec"] == {"replicas": 4}
    stored = api.request("GET", f"{APPS}/deployments/web")
    assert (stored["spec"]["replicas"], stored["metadata"]["generation"]) == (4, 2)
    assert answer["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]


def test_scaling_to_nothing_leaves_the_replicas_out(api: FakeAPI) -> None:
    assert patched(api, {"spec": {"replicas": 0}})["spec"] == {}
    assert api.request("GET", f"{APPS}/deployments/web")["spec"]["replicas"] == 0


def test_a_negative_scale_is_refused_as_a_scale(api: FakeAPI) -> None:
    status = refused(lambda: patched(api, {"spec": {"replicas": -1}}))
    assert (status.code, status.status["details"]["kind"]) == (422, "Scale")


def test_another_version_or_another_uid_is_a_conflict(api: FakeAPI) -> None:
    stale = {"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 9}}
    assert refused(lambda: patched(api, stale)).code == 409
    other = refused(lambda: patched(api, {"metadata": {"uid": "x"}}))
    assert other.code == 409
    assert other.status["details"]["kind"] == "deployments/scale"


@pytest.mark.parametrize(
    ("method", "media_type"), [("GET", None), ("PUT", JSON), ("PATCH", MERGE), ("PATCH", APPLY)]
)
def test_the_scale_of_an_absent_deployment_names_the_deployment(
    api: FakeAPI, method: str, media_type: str | None
) -> None:
    metadata = {"name": "none", "namespace": "default"}
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": 1}}
    body = scale if media_type else None
    query = {"fieldManager": "scaler"} if media_type == APPLY else None
    path = f"{APPS}/deployments/none/scale"
    missing = refused(lambda: api.request(method, path, body, content_type=media_type or JSON, query=query))
    assert (missing.code, missing.message) == (404, 'deployments.apps "none" not found')


def test_who_scales_owns_the_replicas(api: FakeAPI) -> None:
    patched(api, {"spec": {"replicas": 3}}, fieldManager="scaler")
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 4}}
    conflict = refused(lambda: patched(api, scale, APPLY, fieldManager="hpa"))
    assert conflict.status["details"]["causes"][0]["field"] == ".spec.replicas"
    patched(api, scale, APPLY, fieldManager="hpa", force="true")
    entries = api.request("GET", f"{APPS}/deployments/web")["metadata"]["managedFields"]
    assert {
        "manager": "hpa",
        "operation": "Apply",
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:replicas": {}}},
        "subresource": "scale",
    } in entries


def test_a_dry_run_scales_nothing(api: FakeAPI) -> None:
    assert patched(api, {"spec": {"replicas": 7}}, dryRun="All")["spec"] == {"replicas": 7}
    assert api.request("GET", f"{APPS}/deployments/web")["spec"]["replicas"] == 1


def test_a_scale_is_a_table_too(api: FakeAPI) -> None:
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    table = ask(api, f"{APPS}/deployments/web/scale", accept=accept).json()
    assert [column["name"] for column in table["columnDefinitions"]] == [
        "Name",
        "Desired",
        "Available",
        "Age",
    ]
    assert table["rows"][0]["cells"][:3] == ["web", 1, 0]


def test_a_controller_and_sets_have_a_scale_and_a_daemon_set_has_none(api: FakeAPI) -> None:
    controller = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"}}
    controllers = "/api/v1/namespaces/default/replicationcontrollers"
    api.request("POST", controllers, {**controller, "spec": {"template": TEMPLATE}})
    assert api.request("GET", f"{controllers}/web/scale")["status"]["selector"] == "app=a"
    for plural, kind in (("replicasets", "ReplicaSet"), ("statefulsets", "StatefulSet")):
        api.request("POST", f"{APPS}/{plural}", workload(kind))
        assert api.request("GET", f"{APPS}/{plural}/web/scale")["spec"] == {"replicas": 1}
    assert refused(lambda: api.request("GET", f"{APPS}/daemonsets/web/scale")).code == 404


def test_metadata_alone_hides_what_stands_for_fields_of_the_server(api: FakeAPI) -> None:
    daemon_set = workload("DaemonSet")
    api.request("POST", f"{APPS}/daemonsets", daemon_set)
    accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
    metadata = ask(api, f"{APPS}/daemonsets/web", accept=accept).json()["metadata"]
    assert "annotations" not in metadata
    assert "annotations" in api.request("GET", f"{APPS}/daemonsets/web")["metadata"]


def test_a_strategic_patch_replaces_the_selector_of_a_budget(api: FakeAPI) -> None:
    path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    api.request("POST", path, {**budget, "spec": {"selector": {"matchLabels": {"app": "a"}}}})
    change = {"spec": {"selector": {"matchLabels": {"b": "1"}}}}
    strategic = "application/strategic-merge-patch+json"
    answer = api.request("PATCH", f"{path}/b", change, content_type=strategic)
    assert answer["spec"]["selector"] == {"matchLabels": {"b": "1"}}


def test_a_policy_sees_the_scale_that_an_object_will_have(api: FakeAPI) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["UPDATE"],
        "resources": ["deployments/scale"],
    }
    shown = "request.kind.kind == 'Scale' && object.kind == 'Scale' && oldObject.spec.replicas == 1"
    check = {"expression": f"{shown} && object.spec.replicas < 5", "message": "fewer than five"}
    policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [check]}
    binding = {"policyName": "p", "validationActions": ["Deny"]}
    for kind, spec in (("", policy), ("Binding", binding)):
        body = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": f"ValidatingAdmissionPolicy{kind}",
            "metadata": {"name": "p"},
            "spec": spec,
        }
        api.create(body)
    error = refused(lambda: patched(api, {"spec": {"replicas": 5}}))
    assert "denied request: fewer than five" in error.status["message"]
    deployment = api.request("GET", f"{APPS}/deployments/web")
    api.request(
        "PUT",
        f"{APPS}/deployments/web",
        {**deployment, "metadata": {**deployment["metadata"], "labels": {"a": "b"}}},
    )
    assert patched(api, {"spec": {"replicas": 4}})["spec"] == {"replicas": 4}


@pytest.mark.parametrize(
    ("release", "path", "named"),
    [
        ("1.32", f"{APPS}/deployments", "deployments/scale.apps"),
        ("1.32", f"{APPS}/statefulsets", "statefulsets.apps"),
        (
            "1.32",
            "/api/v1/namespaces/default/replicationcontrollers",
            "replicationcontrollers/scale.autoscaling",
        ),
        ("1.33", f"{APPS}/deployments", "deployments.apps"),
        ("1.33", "/api/v1/namespaces/default/replicationcontrollers", "replicationcontrollers"),
    ],
)
def test_a_scale_that_is_not_there_is_named_as_the_release_does(
    fakeapi_factory: Callable[..., FakeAPI], release: str, path: str, named: str
) -> None:
    server = fakeapi_factory(release=release)
    error = refused(lambda: server.request("GET", f"{path}/none/scale"))
    assert error.status["message"] == f'{named} "none" not found'
