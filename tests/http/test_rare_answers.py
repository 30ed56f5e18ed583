"""Rules that random requests to a kube-apiserver of 1.37 have shown (`tests.differential.exchanges`)."""

import copy
import json
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
SERVICES = "/api/v1/namespaces/default/services"
APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "a"},
    "spec": {"ports": [{"port": 80}]},
}
POLICY = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": "a"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": ["x.io"], "apiVersions": ["v1"], "resources": ["xs"], "operations": ["CREATE"]}
            ]
        },
        "validations": [{"expression": "true"}],
    },
}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37") as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> Iterator[FakeAPI]:
    yield server
    server.reset()


def refused(api: FakeAPI, method: str, path: str, body: Any, **query: Any) -> StatusError:
    with pytest.raises(StatusError) as caught:
        api.request(method, path, body, query=query)
    return caught.value


def named(kind: str, version: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "finalizers": ["f"]}, **fields}


@pytest.mark.parametrize(
    ("path", "obj"),
    [
        (
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            named("Lease", "coordination.k8s.io/v1", spec={}),
        ),
        (
            "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
            named("PodDisruptionBudget", "policy/v1", spec={"selector": {}}),
        ),
        ("/apis/node.k8s.io/v1/runtimeclasses", named("RuntimeClass", "node.k8s.io/v1", handler="h")),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
            {**POLICY, "metadata": {"name": "a", "finalizers": ["f"]}},
        ),
    ],
)
def test_finalizers_without_a_domain_are_allowed_where_upstream_calls_the_metadata_rules_of_apimachinery(
    api: FakeAPI, path: str, obj: dict[str, Any]
) -> None:
    assert api.request("POST", path, obj)["metadata"]["finalizers"] == ["f"]


def test_finalizers_of_a_config_map_need_a_domain(api: FakeAPI) -> None:
    error = refused(api, "POST", "/api/v1/namespaces/default/configmaps", named("ConfigMap", "v1"))
    assert "name is neither a standard finalizer name nor is it fully qualified" in error.message


def test_an_update_of_a_resource_pool_status_request_needs_a_resource_version() -> None:
    config = "resource.k8s.io/v1alpha3=true"
    gates = {"DRAResourcePoolStatus": True}
    with FakeAPI(release="1.36", runtime_config=config, feature_gates=gates) as api:
        path = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests"
        obj = {
            "apiVersion": "resource.k8s.io/v1alpha3",
            "kind": "ResourcePoolStatusRequest",
            "metadata": {"name": "a"},
            "spec": {"driver": "gpu.example.com"},
        }
        api.request("POST", path, obj)
        error = refused(api, "PUT", f"{path}/a", obj)
        assert error.code == 422
        assert error.message.endswith("must be specified for an update")


@pytest.mark.parametrize("resource", ["limitranges", "pods"])
def test_rows_of_an_empty_table_are_null_only_with_the_default_columns(api: FakeAPI, resource: str) -> None:

    request = urllib.request.Request(f"{api.url}/api/v1/namespaces/default/{resource}")
    request.add_header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
    with urllib.request.urlopen(request) as response:
        table = json.load(response)
    assert table["rows"] == (None if resource == "limitranges" else [])


def test_a_wrong_type_in_data_of_a_secret_names_the_go_type_of_bytes(api: FakeAPI) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"k": {"x": 1}}}
    error = refused(api, "POST", "/api/v1/namespaces/default/secrets", secret)
    assert error.message.endswith(
        "json: cannot unmarshal object into Go struct field Secret.data of type []uint8"
    )


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("x" * 247, "Always"),
        ("x" * 248, "IfNotPresent"),
        ("ghcr.io/" + "x" * 255, "Always"),
        ("ghcr.io/" + "x" * 256, "IfNotPresent"),
        ("team/" + "x" * 250, "Always"),
        ("team/" + "x" * 251, "IfNotPresent"),
        ("Team/" + "x" * 255, "Always"),
    ],
)
def test_an_image_with_a_repository_of_over_255_characters_is_pulled_if_not_present(
    api: FakeAPI, image: str, policy: str
) -> None:
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": image}]}}
    made = api.request("POST", "/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", **pod})
    assert made["spec"]["containers"][0]["imagePullPolicy"] == policy


def test_volume_health_of_a_pod_is_dropped_while_its_feature_gate_is_off(api: FakeAPI) -> None:
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    made = api.request("POST", "/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", **pod})
    made["status"]["volumeHealth"] = [{"name": "no-volume"}]
    changed = api.request("PUT", "/api/v1/namespaces/default/pods/a/status", made)
    assert "volumeHealth" not in changed["status"]


def test_only_the_first_update_of_a_persistent_volume_claim_is_stored_without_a_change(api: FakeAPI) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"}, "spec": spec}
    created = api.request("POST", CLAIMS, body)
    first, second = (api.request("PATCH", f"{CLAIMS}/a", {}, content_type=MERGE) for _ in range(2))
    assert first["metadata"]["resourceVersion"] != created["metadata"]["resourceVersion"]
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_a_put_to_the_status_of_a_service_creates_it_without_a_cluster_ip(api: FakeAPI) -> None:
    created = api.request("PUT", f"{SERVICES}/a/status", SERVICE)
    assert "clusterIP" not in created["spec"]
    assert api.request("GET", f"{SERVICES}/a")["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    ("path", "obj"),
    [
        (SERVICES, SERVICE),
        ("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", POLICY),
    ],
)
def test_an_apply_to_the_status_creates_services_and_validating_admission_policies(
    api: FakeAPI, path: str, obj: dict[str, Any]
) -> None:
    query = {"fieldManager": "m"}
    created = api.request("PATCH", f"{path}/a/status", obj, query=query, content_type=APPLY)
    assert created["metadata"]["name"] == "a"


def test_an_apply_to_the_status_of_an_absent_deployment_is_not_found(api: FakeAPI) -> None:
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}
    path = "/apis/apps/v1/namespaces/default/deployments/a/status"
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", path, body, query={"fieldManager": "m"}, content_type=APPLY)
    assert caught.value.code == 404


def test_a_dry_run_of_a_put_that_creates_shows_the_resource_version_of_its_body(api: FakeAPI) -> None:
    body = {**SERVICE, "metadata": {"name": "a", "resourceVersion": "70001"}}
    shown = api.request("PUT", f"{SERVICES}/a", body, query={"dryRun": "All"})
    assert shown["metadata"]["resourceVersion"] == "70001"
    stored = api.request("PUT", f"{SERVICES}/a", body)
    assert stored["metadata"]["resourceVersion"] != "70001"


def test_a_delete_that_takes_away_the_last_finalizer_conflicts_with_any_resource_version(
    api: FakeAPI,
) -> None:
    path = "/apis/storage.k8s.io/v1/csidrivers"
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "a"}, "spec": {}}
    api.request("POST", path, driver)
    held = api.request("DELETE", f"{path}/a", {"propagationPolicy": "Foreground"})
    version = held["metadata"]["resourceVersion"]
    options = {"propagationPolicy": "Background", "preconditions": {"resourceVersion": version}}
    error = refused(api, "DELETE", f"{path}/a", options)
    assert error.code == 409
    assert error.message.endswith(
        f"Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: {version}"
    )
    api.request("DELETE", f"{path}/a", {"propagationPolicy": "Background"})


@pytest.mark.parametrize(
    ("release", "shown"),
    [
        ("1.37", {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {}}),
        ("1.28", {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"creationTimestamp": None}}),
        ("1.27", None),
    ],
)
def test_a_dry_run_of_a_delete_that_takes_away_the_last_finalizer_shows_an_object(
    release: str, shown: Any, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = fakeapi_factory(release=release)
    path = "/api/v1/namespaces/default/configmaps"
    body = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "finalizers": ["orphan"]}}
    stored = api.request("POST", path, body)
    if shown is None:
        shown = {**stored, "metadata": {**stored["metadata"]}}
        del shown["metadata"]["finalizers"]
    preconditions = {"resourceVersion": stored["metadata"]["resourceVersion"]}
    options = {"propagationPolicy": "Background", "dryRun": ["All"], "preconditions": preconditions}
    assert api.request("DELETE", f"{path}/a", options) == shown
    assert api.request("GET", f"{path}/a") == stored


def test_a_dry_run_that_shows_a_deployment_without_data_shows_zero_replicas(api: FakeAPI) -> None:
    path = "/apis/apps/v1/namespaces/default/deployments"
    labels = {"a": "b"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": "a", "finalizers": ["orphan"]}
    body = {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": metadata, "spec": spec}
    api.request("POST", path, body)
    options = {"propagationPolicy": "Background", "dryRun": ["All"]}
    shown = api.request("DELETE", f"{path}/a", options)
    assert shown["spec"]["replicas"] == 0
    assert shown["spec"]["selector"] is None


def test_an_invalid_pod_cidr_is_named_by_its_index(api: FakeAPI) -> None:
    spec = {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24", "a.b"]}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": spec}
    error = refused(api, "POST", "/api/v1/nodes", node)
    assert "invalid CIDR[1]: <nil> (invalid CIDR address: a.b)" in error.message


def test_an_empty_list_of_ingress_rules_is_left_out(api: FakeAPI) -> None:
    backend = {"service": {"name": "a", "port": {"number": 80}}}
    spec = {"rules": [], "defaultBackend": backend}
    path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
    body = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "a"}, "spec": spec}
    assert api.request("POST", path, body)["spec"] == {"defaultBackend": backend}


JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "a"},
    "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}},
}
JOBS = "/apis/batch/v1/namespaces/default/jobs"


def test_an_empty_list_in_an_immutable_field_is_printed_as_an_empty_list(api: FakeAPI) -> None:
    api.request("POST", JOBS, JOB)
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "x", "args": []}]}}}}
    patch["spec"]["template"]["spec"]["subdomain"] = "b"  # type: ignore[assignment]
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{JOBS}/a", patch, content_type=MERGE)
    assert '"Command":null,"Args":[],' in caught.value.message


def test_an_ephemeral_container_must_not_have_an_empty_map_of_resources(api: FakeAPI) -> None:
    container = {"name": "e", "image": "x", "resources": {"requests": {}}}
    template: dict[str, Any] = copy.deepcopy(JOB["spec"]["template"])  # type: ignore[index]
    template["spec"]["ephemeralContainers"] = [container]
    error = refused(api, "POST", JOBS, {**JOB, "spec": {"template": template}})
    assert "ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral" in error.message


def test_the_error_for_a_duplicate_device_status_prints_its_empty_conditions(api: FakeAPI) -> None:
    claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
    requests = [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"}}
    claim["spec"] = {"devices": {"requests": requests}}
    api.request("POST", claims, claim)
    device = {"driver": "gpu.example.com", "pool": "p", "device": "d", "conditions": []}
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{claims}/a/status", {"status": {"devices": [device] * 2}}, content_type=MERGE)
    assert (
        'Duplicate value: {"driver":"gpu.example.com","pool":"p","device":"d","conditions":[]}'
        in caught.value.message
    )


def test_an_empty_list_that_a_client_sends_is_neither_stored_nor_owned(api: FakeAPI) -> None:
    body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}, "secrets": []}
    made = api.request("POST", "/api/v1/namespaces/default/serviceaccounts", body)
    assert "secrets" not in made
    assert "f:secrets" not in json.dumps(made["metadata"].get("managedFields"))


def test_an_empty_list_changes_the_generation_of_a_network_policy_but_not_of_an_ingress(
    api: FakeAPI,
) -> None:
    root = "/apis/networking.k8s.io/v1/namespaces/default"
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "a"}}
    policy |= {"spec": {"podSelector": {}, "ingress": [{}]}}
    api.request("POST", f"{root}/networkpolicies", policy)
    patch: dict[str, Any] = {"spec": {"podSelector": {"matchExpressions": []}}}
    changed = api.request("PATCH", f"{root}/networkpolicies/a", patch, content_type=MERGE)
    assert changed["metadata"]["generation"] == 2
    backend = {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}}
    ingress = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "a"},
        "spec": backend,
    }
    api.request("POST", f"{root}/ingresses", ingress)
    same = api.request("PATCH", f"{root}/ingresses/a", {"spec": {"rules": []}}, content_type=MERGE)
    assert same["metadata"]["generation"] == 1


def test_an_ip_address_gets_no_random_suffix(api: FakeAPI) -> None:
    body = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {"generateName": "10.0.0.9"},
    }
    body["spec"] = {"parentRef": {"resource": "services", "name": "a"}}
    made = api.request("POST", "/apis/networking.k8s.io/v1/ipaddresses", body)
    assert made["metadata"]["name"] == "10.0.0.9"


def test_an_empty_list_of_ingress_rules_changes_neither_the_object_nor_its_owners(api: FakeAPI) -> None:
    path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
    spec = {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}}
    body = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "a"}, "spec": spec}
    made = api.request("POST", path, body)
    changed = api.request("PATCH", f"{path}/a", {"spec": {"rules": []}}, content_type=MERGE)
    assert changed["metadata"] == made["metadata"]


@pytest.mark.parametrize("field", ["ports", "resizePolicy", "restartPolicyRules"])
def test_an_ephemeral_container_with_an_empty_list_of_a_forbidden_field_is_refused(
    field: str, api: FakeAPI
) -> None:
    container = {"name": "e", "image": "x", "args": [], field: []}
    body = json.loads(json.dumps(JOB))
    body["spec"]["template"]["spec"]["ephemeralContainers"] = [container]
    error = refused(api, "POST", JOBS, body)
    path = "spec.template.spec.ephemeralContainers"
    causes = error.status["details"]["causes"]
    assert [cause["field"] for cause in causes] == [f"{path}[0].{field}", path]


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        (".spec.validations[0].expression", ""),
        (" ", "fieldRef: Required value"),
        (
            "/ ",
            "fieldRef: Invalid value: \"/\": invalid JSONPath: unrecognized character in action: U+002F '/'",
        ),
        ("a[", 'fieldRef: Invalid value: "a[": invalid JSONPath: unterminated array'),
    ],
)
def test_a_warning_of_type_checking_refers_to_a_field_by_a_json_path(
    reference: str, why: str, api: FakeAPI
) -> None:
    path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
    stored = api.request("POST", path, POLICY)
    checking = {"expressionWarnings": [{"warning": " ", "fieldRef": reference}]}
    body = {**stored, "status": {"typeChecking": checking}}
    if not why:
        assert api.request("PUT", f"{path}/a/status", body)["status"] == body["status"]
        return
    error = refused(api, "PUT", f"{path}/a/status", body)
    assert error.message.endswith(f"invalid: status.typeChecking.expressionWarnings[0].{why}")


@pytest.mark.parametrize(
    ("media_type", "patch"),
    [
        (MERGE, {"spec": {"template": {"spec": {"volumes": []}}}}),
        (STRATEGIC, {"spec": {"template": {"spec": {"volumes": [{"name": "v", "$patch": "delete"}]}}}}),
        ("application/json-patch+json", [{"op": "remove", "path": "/spec/template/spec/volumes/0"}]),
    ],
)
def test_an_error_about_a_patch_that_removes_the_last_item_of_a_list_prints_an_empty_list(
    media_type: str, patch: Any, api: FakeAPI
) -> None:
    body = json.loads(json.dumps(JOB))
    body["spec"]["template"]["spec"]["volumes"] = [{"name": "v", "emptyDir": {}}]
    api.request("POST", JOBS, body)
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{JOBS}/{body['metadata']['name']}", patch, content_type=media_type)
    assert '"Volumes":[],"InitContainers":null' in caught.value.message


def test_empty_scaling_policies_get_no_default(api: FakeAPI) -> None:
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    behavior: dict[str, Any] = {"scaleUp": {"policies": []}, "scaleDown": {}}
    spec = {"scaleTargetRef": target, "maxReplicas": 3, "behavior": behavior}
    kind = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    error = refused(api, "POST", path, {**kind, "spec": spec})
    assert error.message.endswith(
        "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"
    )


def test_the_error_for_another_type_in_place_of_binary_data_names_uint8(api: FakeAPI) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "binaryData": 1}
    error = refused(api, "POST", "/api/v1/namespaces/default/configmaps", body)
    assert error.message.endswith("Go struct field ConfigMap.binaryData of type map[string][]uint8")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_empty_list_inside_an_atomic_list_changes_the_owner_of_the_list(method: str, api: FakeAPI) -> None:
    path = "/apis/resource.k8s.io/v1/resourceslices"
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec: dict[str, Any] = {"driver": "d.io", "pool": pool, "nodeName": "n", "devices": [{"name": "d"}]}
    body = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"}}
    stored = api.request("POST", path, {**body, "spec": spec}, query={"fieldManager": "m1"})
    devices = [{"name": "d", "bindingConditions": []}]
    changes = {"spec": {"devices": devices}}
    new = changes if method == "PATCH" else {**stored, "spec": {**spec, "devices": devices}}
    changed = api.request(
        method,
        f"{path}/a",
        new,
        query={"fieldManager": "m2"},
        content_type=MERGE if new is changes else "application/json",
    )
    owners = {entry["manager"]: entry["fieldsV1"]["f:spec"] for entry in changed["metadata"]["managedFields"]}
    assert owners["m2"] == {"f:devices": {}}
    assert "f:devices" not in owners["m1"]
    assert changed["spec"] == stored["spec"]


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ([], "failed to create typed live object"),
        ([{}], "failed to create manager for existing fields: failed to convert new object"),
    ],
)
def test_an_apply_to_an_object_with_a_list_item_without_its_key_names_the_item(
    first: list[Any], why: str, api: FakeAPI
) -> None:
    path = "/api/v1/namespaces/default/serviceaccounts"
    metadata = {"name": "a", "labels": {"a": "b"}}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    api.request("POST", path, {**account, "secrets": first})
    api.request("PUT", f"{path}/a", {**account, "secrets": [{"name": "a"}, {"namespace": "b"}]})
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{path}/a", account, query={"fieldManager": "m"}, content_type=APPLY)
    smd = " to smd typed" if first else ""
    assert caught.value.message == (
        f"{why} (default/a; /v1, Kind=ServiceAccount){smd}: .secrets: element 1: "
        'associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have '
        "default values for any key fields)"
    )


def test_an_inline_volume_in_an_error_has_the_fields_of_the_internal_version(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(release="1.34")
    path = "/apis/storage.k8s.io/v1/volumeattachments"
    spec: dict[str, Any] = {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "a"}}
    body = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "a"}}
    stored = api.request("POST", path, {**body, "spec": spec})
    volume = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "quobyte": {"volume": "v"}}
    changed = {**stored, "spec": {**spec, "source": {"inlineVolumeSpec": volume}}}
    message = refused(api, "PUT", f"{path}/a", changed).message
    assert '"Capacity":{"storage":"1Gi"},"GCEPersistentDisk":null,' in message
    assert '"RBD":null,"Quobyte":{' in message


def test_empty_lists_of_volumes_are_missing_lists_while_image_volumes_are_off(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    path = "/api/v1/namespaces/default/pods"
    container = {"name": "c", "image": "x"}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}}
    changes = {"spec": {"containers": [{**container, "volumeMounts": []}], "volumes": [], "hostPID": True}}
    for release, shows in ("1.34", False), ("1.35", True):
        api = fakeapi_factory(release=release)
        api.request("POST", path, body)
        with pytest.raises(StatusError) as caught:
            api.request("PATCH", f"{path}/a", changes, content_type=MERGE)
        assert ('"VolumeMounts": []' in caught.value.message) == shows
        assert ('"Volumes": []' in caught.value.message) == shows


def test_allocated_resources_of_a_pod_need_no_gate_from_1_33_on(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(release="1.34")
    path = "/api/v1/namespaces/default/pods"
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    api.request("POST", path, {**body, "spec": {"containers": [{"name": "c", "image": "x"}]}})
    status = {"containerStatuses": [{"name": "c", "imageID": "x", "allocatedResources": {"cpu": "1"}}]}
    patched = api.request("PATCH", f"{path}/a/status", {"status": status}, content_type=MERGE)
    assert patched["status"]["containerStatuses"][0]["allocatedResources"] == {"cpu": "1"}


def test_an_error_prints_volume_claim_templates_in_the_internal_version(api: FakeAPI) -> None:
    path = "/apis/apps/v1/namespaces/default/statefulsets"
    labels = {"a": "b"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    spec = {"selector": {"matchLabels": labels}, "serviceName": "a", "template": template}
    body = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "a"}, "spec": spec}
    api.request("POST", path, body)
    changes = {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "v"}}]}}
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{path}/a", changes, content_type=MERGE)
    assert (
        'volumeClaimTemplates: Invalid value: [{"name":"v","Spec":{"AccessModes":null,'
        in caught.value.message
    )
    assert '"Status":{"Phase":"Pending","AccessModes":null,' in caught.value.message


@pytest.mark.parametrize(("release", "unit"), [("1.34", "characters"), ("1.35", "bytes")])
def test_an_error_about_the_node_affinity_of_a_volume_counts_in_the_unit_of_the_release(
    release: str, unit: str, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = fakeapi_factory(release=release)
    requirement = {"key": "x" * 64, "operator": "Exists"}
    required = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    spec |= {"csi": {"driver": "d.io", "volumeHandle": "v"}, "nodeAffinity": {"required": required}}
    body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": spec}
    error = refused(api, "POST", "/api/v1/persistentvolumes", body)
    assert error.message.endswith(f"name part must be no more than 63 {unit}")


def test_an_empty_list_of_finalizers_changes_no_time_of_managed_fields(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(release="1.31", frozen_at="2025-01-01T00:00:00Z")
    path, body = "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
    stored = api.request("POST", path, {**body, "spec": {"finalizers": ["a.io/b"]}})
    api.clock.advance(1)
    changed = {**stored, "metadata": {**stored["metadata"], "finalizers": []}}
    same = api.request("PUT", f"{path}/x", {**changed, "spec": {"finalizers": ["c.io/d"]}})
    assert same == stored


@pytest.mark.parametrize(("name", "place"), [("hostIPs", 2), ("podIPs", 4)])
def test_a_repeated_address_comes_first_or_last_among_the_errors_about_all_addresses(
    name: str, place: int, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = fakeapi_factory(release="1.31")
    path = "/api/v1/namespaces/default/pods"
    spec = {"containers": [{"name": "c", "image": "x"}]}
    api.request("POST", path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec})
    status = {name: [{"ip": "a"}, {"ip": "a"}], name.removesuffix("s"): "a"}
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{path}/a/status", {"status": status}, content_type=MERGE)
    causes = [cause for cause in caught.value.status["details"]["causes"] if name in cause["field"]]
    assert causes[place]["reason"] == "FieldValueDuplicate"


def test_an_empty_list_that_a_conversion_rebuilds_changes_no_owner(api: FakeAPI) -> None:
    path = "/apis/resource.k8s.io/v1beta1/resourceslices"
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec: dict[str, Any] = {"driver": "d.io", "pool": pool, "nodeName": "n"}
    body = {"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceSlice", "metadata": {"name": "a"}}
    devices = [{"name": "d", "basic": {}}]
    stored = api.request("POST", path, {**body, "spec": {**spec, "devices": devices}})
    for name, owners in ("taints", 1), ("bindingConditions", 2):
        changed = {**spec, "devices": [{"name": "d", "basic": {name: []}}]}
        shown = api.request("PUT", f"{path}/a", {**stored, "spec": changed}, query={"fieldManager": "m"})
        assert len(shown["metadata"]["managedFields"]) == owners


@pytest.mark.parametrize(
    ("data", "shown"), [({}, '{"a":1}'), ({"b": 2}, '{"a":1,"b":2}'), ({"a": None}, "{}")]
)
def test_a_strategic_merge_patch_merges_a_value_of_any_shape(data: Any, shown: str, api: FakeAPI) -> None:
    path = "/apis/apps/v1/namespaces/default/controllerrevisions"
    body = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "a"}, "revision": 1}
    api.request("POST", path, {**body, "data": {"a": 1}})
    with pytest.raises(StatusError) as caught:
        api.request("PATCH", f"{path}/a", {"data": data}, content_type=STRATEGIC)
    assert caught.value.message.endswith(f"data: Invalid value: {shown}: field is immutable")


def test_a_status_of_v1_has_a_manager_of_its_own(api: FakeAPI) -> None:
    path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    kind = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    api.request("POST", path, {**kind, "spec": {"scaleTargetRef": target, "maxReplicas": 3}})
    changes = {"status": {"currentCPUUtilizationPercentage": 3}}
    shown = api.request("PATCH", f"{path}/a/status", changes, content_type=STRATEGIC)
    managers = shown["metadata"]["managedFields"]
    assert [entry.get("subresource") for entry in managers] == [None, "status"]
    assert "f:currentCPUUtilizationPercentage" in managers[1]["fieldsV1"]["f:status"]


@pytest.mark.parametrize(("release", "owners"), [("1.37", 1), ("1.36", 0)])
def test_an_unchanged_list_item_without_its_key_keeps_later_updates_from_owning_fields(
    release: str, owners: int, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = fakeapi_factory(release=release)
    path = "/api/v1/namespaces/default/serviceaccounts"
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}}
    first = api.request("POST", path, {**account, "secrets": [{"name": "a"}]})
    api.request("PUT", f"{path}/a", {**account, "secrets": [{}]})
    changed = {**account, "secrets": [{}], "automountServiceAccountToken": False}
    shown = api.request("PUT", f"{path}/a", changed, query={"fieldManager": "m"})
    assert shown["automountServiceAccountToken"] is False
    assert shown["metadata"].get("managedFields", []) == first["metadata"]["managedFields"][:owners]


def test_a_utilization_of_v1_has_no_average_value_until_a_client_sends_the_annotation_back(
    api: FakeAPI,
) -> None:
    one, two = (
        f"/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers" for version in ("v1", "v2")
    )
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    kind = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    api.request("POST", one, {**kind, "spec": {"scaleTargetRef": target, "maxReplicas": 3}})

    def current() -> Any:
        return api.request("GET", f"{two}/a")["status"]["currentMetrics"][0]["resource"]["current"]

    changes = {"status": {"currentCPUUtilizationPercentage": 3}}
    shown = api.request("PATCH", f"{one}/a/status", changes, content_type=MERGE)
    assert current() == {"averageUtilization": 3}
    sent_back = api.request("PUT", f"{one}/a/status", shown)
    assert sent_back["metadata"]["resourceVersion"] != shown["metadata"]["resourceVersion"]
    assert current() == {"averageValue": "0", "averageUtilization": 3}
    again = api.request("PUT", f"{one}/a/status", sent_back)
    assert again["metadata"]["resourceVersion"] == sent_back["metadata"]["resourceVersion"]


def test_a_policy_that_refuses_to_delete_a_collection_gets_no_name(api: FakeAPI) -> None:
    path = "/api/v1/namespaces/default/configmaps"
    group = "/apis/admissionregistration.k8s.io/v1"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["DELETE"]}
    expression = {"expression": "request.?name.orValue('') == 'a'", "message": "no name"}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [expression]}
    api.request("POST", f"{group}/validatingadmissionpolicies", {**POLICY, "spec": spec})
    binding = {**POLICY, "kind": "ValidatingAdmissionPolicyBinding"}
    spec = {"policyName": "a", "validationActions": ["Deny"]}
    api.request("POST", f"{group}/validatingadmissionpolicybindings", {**binding, "spec": spec})
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    for name in ("a", "b"):
        api.request("POST", path, {**kind, "metadata": {"name": name}})
    assert refused(api, "DELETE", path, None).message.startswith('configmaps "Unknown" is forbidden: ')
    api.request("DELETE", f"{path}/a")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a/b", """invalid resource name "a/b": [may not contain '/']"""),
        ("", "resource name may not be empty"),
    ],
)
def test_a_pod_whose_runtime_class_has_no_name_of_a_path_is_an_internal_error(
    name: str, message: str, api: FakeAPI
) -> None:
    spec = {"runtimeClassName": name, "containers": [{"name": "c", "image": "i"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}
    error = refused(api, "POST", "/api/v1/namespaces/default/pods", pod)
    assert (error.code, error.message) == (500, message)
