"""Rules that stories about error messages have shown beside a kube-apiserver of 1.37.

`tests.differential.exchanges` with `--sort messages` sends these stories.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.kinds.certificates.signing_requests import csr


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", runtime_config="api/all=true") as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> Iterator[FakeAPI]:
    yield server
    server.reset()


def causes(api: FakeAPI, method: str, path: str, body: Any) -> list[tuple[str, str]]:
    """Returns the fields and the messages of the causes for which the server refuses a write."""
    with pytest.raises(StatusError) as caught:
        api.request(method, path, body)
    return [(cause["field"], cause["message"]) for cause in caught.value.status["details"]["causes"]]


def named(kind: str, version: str, name: str = "a", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **fields}


def test_a_create_of_a_pod_certificate_request_does_not_own_its_status(api: FakeAPI) -> None:
    group = "certificates.k8s.io/v1beta1"
    stub = (
        "MH8wMwIBADAAMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbigADAFBgMrZXADQQD+T6LD/tC3dg"
        "s1QpDKx4kUxYQE7xZe9aBnQUcZw2xzeoWgFx/pD/xHAMYHE4CCTNhwz2GdgvzsSlQWl8KwMroI"
    )
    spec = {
        "signerName": "example.com/signer",
        "podName": "p",
        "podUID": "u",
        "serviceAccountName": "s",
        "serviceAccountUID": "u",
        "nodeName": "n",
        "nodeUID": "u",
        "maxExpirationSeconds": 86400,
        "stubPKCS10Request": stub,
    }
    condition = {
        "type": "Denied",
        "status": "True",
        "reason": "A",
        "message": "b",
        "lastTransitionTime": "2025-01-01T00:00:00Z",
    }
    body = named("PodCertificateRequest", group, spec=spec, status={"conditions": [condition]})
    made = api.request("POST", f"/apis/{group}/namespaces/default/podcertificaterequests", body)
    (entry,) = made["metadata"]["managedFields"]
    assert entry["fieldsV1"].keys() == {"f:spec"}


def test_a_condition_of_a_storage_version_without_texts_gets_no_detail(api: FakeAPI) -> None:
    path = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions"
    made = api.request("POST", path, named("StorageVersion", "internal.apiserver.k8s.io/v1alpha1", "x.a"))
    made["status"] = {"conditions": [{"type": "A", "status": "True", "lastTransitionTime": None}]}
    assert causes(api, "PUT", f"{path}/x.a/status", made) == [
        ("status[0].reason", "Required value"),
        ("status[0].message", "Required value"),
    ]


def test_forbidden_metadata_of_a_claim_template_has_the_order_and_names_of_go(api: FakeAPI) -> None:
    metadata = {"finalizers": ["x"], "uid": "u", "name": "n", "generation": 0, "labels": {"a": "b"}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": metadata, "spec": claim}}}
    pod = named("Pod", "v1", spec={"containers": [{"name": "c", "image": "x"}], "volumes": [volume]})
    place = "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata"
    assert causes(api, "POST", "/api/v1/namespaces/default/pods", pod) == [
        (f"{place}.{name}", "Forbidden: cannot be set") for name in ("name", "uID", "finalizers")
    ]


def test_a_grace_period_of_0_in_a_claim_template_is_forbidden(api: FakeAPI) -> None:
    metadata = {"deletionGracePeriodSeconds": 0}  # a pointer in Go, so 0 is not its zero value
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": metadata, "spec": claim}}}
    pod = named("Pod", "v1", spec={"containers": [{"name": "c", "image": "x"}], "volumes": [volume]})
    place = "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.deletionGracePeriodSeconds"
    assert causes(api, "POST", "/api/v1/namespaces/default/pods", pod) == [
        (place, "Forbidden: cannot be set")
    ]


def test_an_invalid_selector_of_an_aggregation_rule_is_printed_as_null(api: FakeAPI) -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "Equal"}]}
    group = "rbac.authorization.k8s.io/v1"
    role = named("ClusterRole", group, aggregationRule={"clusterRoleSelectors": [selector]})
    (_, last) = causes(api, "POST", f"/apis/{group}/clusterroles", role)
    assert last == (
        "aggregationRule.clusterRoleSelectors[0]",
        "Invalid value: null: invalid label selector.",
    )


def test_an_empty_list_of_reservations_needs_no_allocation(api: FakeAPI) -> None:
    path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
    made = api.request("POST", path, named("ResourceClaim", "resource.k8s.io/v1", spec={"devices": {}}))
    api.request("PUT", f"{path}/a/status", {**made, "status": {"reservedFor": []}})


def test_fractional_ranges_need_a_gate_in_1_37(api: FakeAPI) -> None:
    bounds = {"min": "1u", "max": "3u", "step": "1u"}
    policy = {"default": "1u", "validRange": bounds}
    device = {
        "name": "d",
        "allowMultipleAllocations": True,
        "capacity": {"a": {"value": "4", "requestPolicy": policy}},
    }
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "a.example.com", "pool": pool, "nodeName": "n", "devices": [device]}
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    api.request("POST", slices, named("ResourceSlice", "resource.k8s.io/v1", spec=spec))


def test_metadata_in_an_error_has_the_order_of_go(api: FakeAPI) -> None:
    group = "authorization.k8s.io/v1"
    attributes = {"namespace": "default", "verb": "get"}
    review = named("LocalSubjectAccessReview", group, spec={"user": "a", "resourceAttributes": attributes})
    review["metadata"]["annotations"] = {"x": "y"}
    path = f"/apis/{group}/namespaces/default/localsubjectaccessreviews"
    ((field, message),) = causes(api, "POST", path, review)
    assert field == "metadata"
    assert message.startswith(
        'Invalid value: {"name":"a","namespace":"default","annotations":{"x":"y"},"managedFields"'
    )


def test_versions_in_an_error_have_their_schemas_in_the_internal_form(api: FakeAPI) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "description": "<a>"}}
    version = {"served": True, "storage": True, "schema": schema}
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    spec = {
        "group": "a.example.com",
        "scope": "Cluster",
        "names": names,
        "versions": [{"name": "v1", **version}, {"name": "v2", **version, "schema": {}}],
    }
    group = "apiextensions.k8s.io/v1"
    body = named("CustomResourceDefinition", group, "things.a.example.com", spec=spec)
    found = dict(causes(api, "POST", f"/apis/{group}/customresourcedefinitions", body))
    text = found["spec.versions"].removeprefix("Invalid value: ").rpartition(": ")[0]
    assert '"Description":"\\u003ca\\u003e"' in text
    members = list(json.loads(text)[0]["Schema"]["OpenAPIV3Schema"])
    assert members[:6] == ["ID", "Schema", "Ref", "Description", "Type", "Nullable"]


def test_a_handler_of_a_pod_has_the_protocol_http1_while_its_gate_is_on() -> None:
    action = {"httpGet": {"port": 80}}
    container = {"name": "c", "image": "x", "livenessProbe": action, "lifecycle": {"preStop": action}}
    with FakeAPI(release="1.37", feature_gates="H2CContainerProbe=true") as api:
        pod = named("Pod", "v1", spec={"containers": [container]})
        made = api.request("POST", "/api/v1/namespaces/default/pods", pod)["spec"]["containers"][0]
        template = named("PodTemplate", "v1", template={"spec": {"containers": [container]}})
        stored = api.request("POST", "/api/v1/namespaces/default/podtemplates", template)["template"]
    shown = {"path": "/", "port": 80, "scheme": "HTTP", "protocol": "HTTP1"}
    assert list(made["livenessProbe"]["httpGet"].items()) == list(shown.items())
    assert made["lifecycle"]["preStop"]["httpGet"] == shown
    assert "protocol" not in stored["spec"]["containers"][0]["livenessProbe"]["httpGet"]


def test_a_flow_schema_in_an_error_has_the_go_names_of_its_fields(api: FakeAPI) -> None:
    account = {"kind": "ServiceAccount", "serviceAccount": {"name": "a", "namespace": "b"}}
    rule = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True}
    spec = {"rules": [{"subjects": [account], "resourceRules": [rule]}]}
    with pytest.raises(StatusError) as caught:
        api.request(
            "PATCH",
            "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt",
            {"spec": spec},
            content_type="application/merge-patch+json",
        )
    message = caught.value.status["message"]
    assert '"Group":null,"ServiceAccount":{"Namespace":"b","Name":"a"}' in message
    assert '"Verbs":["*"],"APIGroups":["*"]' in message


TAKEN_OVER = "DeclarativeValidationTakeover=true"


def test_an_update_of_a_cluster_role_repeats_its_errors_while_declarative_validation_takes_over() -> None:
    path = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    role = named("ClusterRole", "rbac.authorization.k8s.io/v1", rules=[])
    wrong = {"clusterRoleSelectors": [{"matchLabels": {"a": "-"}}]}
    with FakeAPI(release="1.34", feature_gates=TAKEN_OVER) as api:
        stored = api.request("POST", path, role)
        found = causes(api, "PUT", f"{path}/a", {**stored, "aggregationRule": wrong})
    assert len(found) == 2 * len(set(found)) > 0


def test_a_signing_request_without_conditions_is_valid_while_declarative_validation_takes_over() -> None:
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    spec = {"request": csr(), "signerName": "example.com/a", "usages": ["client auth"]}
    conditions = [{"type": kind, "status": "True", "reason": "a"} for kind in ("Approved", "Denied")]
    with FakeAPI(release="1.34", feature_gates=TAKEN_OVER) as api:
        stored = api.request(
            "POST", path, named("CertificateSigningRequest", "certificates.k8s.io/v1", spec=spec)
        )
        found = causes(api, "PUT", f"{path}/a/approval", {**stored, "status": {"conditions": conditions}})
    approved, denied = (f'Conditions[{{"type": "{kind}"}}]' for kind in ("Approved", "Denied"))
    printed = f"{{{approved}, {denied}}}".replace('"', '\\"')
    text = f'Invalid value: "{printed}": must specify at most one of: `{approved}`, `{denied}`'
    assert found == [("status.conditions", text)]


@pytest.mark.parametrize(("release", "detail"), [("1.33", ": must be set"), ("1.34", "")])
def test_the_error_for_a_condition_of_a_storage_version_migration_has_a_detail_up_to_1_33(
    release: str, detail: str
) -> None:
    version = "storagemigration.k8s.io/v1alpha1"
    path = f"/apis/{version}/storageversionmigrations"
    migration = named(
        "StorageVersionMigration", version, spec={"resource": {"version": "v1", "resource": "pods"}}
    )
    with FakeAPI(
        release=release, runtime_config="api/all=true", feature_gates="StorageVersionMigrator=true"
    ) as api:
        stored = api.request("POST", path, migration)
        status = {"conditions": [{"type": "Running", "status": "True"}]}
        found = causes(api, "PUT", f"{path}/a/status", {**stored, "status": status})
    assert found[:2] == [
        ("status.conditions[0].lastTransitionTime", f"Required value{detail}"),
        ("status.conditions[0].reason", f"Required value{detail}"),
    ]


@pytest.mark.parametrize(
    ("release", "duplicates"), [("1.34", ["containerName", "resourceName"]), ("1.35", [])]
)
def test_mappings_of_extended_resources_may_differ_only_in_their_request_from_1_35(
    release: str, duplicates: list[str]
) -> None:
    path = "/api/v1/namespaces/default/pods"
    container = {
        "name": "c",
        "image": "x",
        "resources": {"requests": {"a.b/c": "1"}, "limits": {"a.b/c": "1"}},
    }
    mapping = {"containerName": "c", "resourceName": "a.b/c"}
    mappings = [{**mapping, "requestName": name} for name in ("r", "s")]
    status = {"extendedResourceClaimStatus": {"resourceClaimName": "x", "requestMappings": mappings}}
    with FakeAPI(release=release, feature_gates="DRAExtendedResource=true") as api:
        stored = api.request("POST", path, named("Pod", "v1", spec={"containers": [container]}))
        body = {**stored, "status": {**stored["status"], **status}}
        if not duplicates:
            assert api.request("PUT", f"{path}/a/status", body)["status"]["extendedResourceClaimStatus"]
            return
        found = causes(api, "PUT", f"{path}/a/status", body)
    place = "status.extendedResourceClaimStatus.requestMappings[1]"
    assert [field for field, _ in found] == [f"{place}.{name}" for name in duplicates]
