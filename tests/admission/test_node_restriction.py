"""NodeRestriction allows or forbids writes by kubelets (users `system:node:…`), with Kubernetes' messages."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

Object = dict[str, Any]
NODE = {"impersonate_user": "system:node:n1", "impersonate_group": "system:nodes"}
CORE = "/api/v1/namespaces/default"
MIRROR = {"kubernetes.io/config.mirror": "x"}
SLICES = "/apis/resource.k8s.io/v1/resourceslices"


@pytest.fixture(scope="module")
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", enable_admission_plugins="NodeRestriction") as server:
        send(server, "/api/v1/nodes", {"metadata": {"name": "n1"}})
        send(server, f"{CORE}/serviceaccounts", {"metadata": {"name": "robot"}})
        for name, node in (("mine", "n1"), ("other", "n2")):
            send(server, f"{CORE}/pods", pod(name, nodeName=node))
        yield server


def send(api: FakeAPI, path: str, body: Object) -> Object:
    made: Object = api.request("POST", path, body)
    return made


def pod(name: str = "a", metadata: Object | None = None, **spec: Any) -> Object:
    container = {"name": "c", "image": "x"}
    return {"metadata": {"name": name, **(metadata or {})}, "spec": {"containers": [container], **spec}}


def mirror(api: FakeAPI, owner: Object | None = None, **spec: Any) -> Object:
    uid = api.get("Node", "n1")["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": uid, "controller": True} | (owner or {})
    return pod("m", {"annotations": MIRROR, "ownerReferences": [owner]}, nodeName="n1", **spec)


def refusal(api: FakeAPI, path: str, body: Any = None, method: str = "POST") -> str:
    """Returns the reason why a write by the node n1 is forbidden, or "" if it is allowed."""
    answer = ask(api, path, method, body, **NODE)
    if answer.code < 300:
        return ""
    assert answer.code == 403, answer.body
    message: str = answer.json()["message"]
    return message.partition(" is forbidden: ")[2]


def test_others_are_held_to_nothing(api: FakeAPI) -> None:
    send(api, "/api/v1/nodes", {"metadata": {"name": "n3", "labels": {"k8s.io/x": "y"}}})
    nameless = {**NODE, "impersonate_user": "system:node:"}
    assert ask(api, f"{CORE}/configmaps", "POST", {"metadata": {"name": "c"}}, **nameless).code == 403
    named = {"impersonate_user": "system:node:n9", "impersonate_group": "others"}
    assert ask(api, "/api/v1/nodes", "POST", {"metadata": {"name": "n4"}}, **named).code == 201


# pods


@pytest.mark.parametrize(
    ("metadata", "spec", "problem"),
    [
        (
            {},
            {},
            f'pod does not have "{next(iter(MIRROR))}" annotation, node "n1" can only create mirror pods',
        ),
        ({"annotations": MIRROR}, {}, 'node "n1" can only create pods with spec.nodeName set to itself'),
        (
            {"annotations": MIRROR},
            {"nodeName": "n1"},
            'node "n1" can only create pods with an owner reference set to itself',
        ),
    ],
)
def test_a_node_creates_mirrors_of_its_own_pods_alone(
    api: FakeAPI, metadata: Object, spec: Object, problem: str
) -> None:
    assert refusal(api, f"{CORE}/pods", pod("m", metadata, **spec)) == problem


@pytest.mark.parametrize(
    ("owner", "problem"),
    [
        ({"name": "n2"}, 'node "n1" can only create pods with an owner reference set to itself'),
        (
            {"controller": False},
            'node "n1" can only create pods with a controller owner reference set to itself',
        ),
        (
            {"blockOwnerDeletion": True},
            'node "n1" must not set blockOwnerDeletion on an owner reference',
        ),
    ],
)
def test_a_mirror_belongs_to_its_node(api: FakeAPI, owner: Object, problem: str) -> None:
    assert refusal(api, f"{CORE}/pods", mirror(api, owner)) == problem
    assert refusal(api, f"{CORE}/pods", mirror(api, {"uid": "x"})).startswith(
        "node n1 UID mismatch: expected x"
    )


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ({"serviceAccountName": "robot"}, "serviceaccounts"),
        ({"imagePullSecrets": [{"name": "s"}]}, "secrets"),
        ({"volumes": [{"name": "v", "configMap": {"name": "c"}}]}, "configmaps"),
        (
            {"volumes": [{"name": "v", "csi": {"driver": "d.example.com"}}]},
            "csidrivers (via CSI volumes)",
        ),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]},
            "serviceaccounts (via projected volumes)",
        ),
        ({"resourceClaims": [{"name": "r", "resourceClaimName": "c"}]}, "resourceclaims"),
    ],
)
def test_a_mirror_refers_to_no_object(api: FakeAPI, spec: Object, kind: str) -> None:
    assert refusal(api, f"{CORE}/pods", mirror(api, **spec)) == (
        f'node "n1" can not create pods that reference {kind}'
    )


def test_a_mirror_that_keeps_to_the_rules_is_created(api: FakeAPI) -> None:
    volumes = [{"name": "v", "hostPath": {"path": "/"}}, {"name": "e", "emptyDir": {}}]
    assert refusal(api, f"{CORE}/pods?dryRun=All", mirror(api, volumes=volumes)) == ""


def test_a_node_writes_the_status_of_its_pods_but_neither_labels_nor_claims(api: FakeAPI) -> None:
    path = f"{CORE}/pods/mine/status"
    mine = api.get("Pod", "mine")
    mine["status"]["phase"] = "Running"
    assert refusal(api, path, mine, "PUT") == ""
    mine = api.get("Pod", "mine")
    labelled = {**mine, "metadata": {**mine["metadata"], "labels": {"a": "b"}}}
    assert refusal(api, path, labelled, "PUT") == 'node "n1" cannot update labels through pod status'
    mine["status"]["resourceClaimStatuses"] = [{"name": "r", "resourceClaimName": "c"}]
    assert refusal(api, path, mine, "PUT") == 'node "n1" cannot update resource claim statues'
    other = api.get("Pod", "other")
    assert refusal(api, f"{CORE}/pods/other/status", other, "PUT") == (
        'node "n1" can only update pod status for pods with spec.nodeName set to itself'
    )


def test_a_node_deletes_and_evicts_its_own_pods_and_does_nothing_else_to_them(api: FakeAPI) -> None:
    path = f"{CORE}/pods/other"
    assert refusal(api, path, method="DELETE") == (
        'node "n1" can only delete pods with spec.nodeName set to itself'
    )
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "other"}}
    assert refusal(api, f"{path}/eviction", eviction) == (
        "node n1 can only evict pods with spec.nodeName set to itself"
    )
    assert refusal(api, path, api.get("Pod", "other"), "PUT") == (
        'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods'
    )
    bound = {"metadata": {"name": "other"}, "target": {"kind": "Node", "name": "n1"}}
    assert refusal(api, f"{path}/binding", bound) == (
        "unexpected pod subresource \"binding\", only 'status' and 'eviction' are allowed"
    )


# nodes, and kinds about nodes


@pytest.mark.parametrize(
    ("labels", "forbidden"),
    [
        ({"a": "b", "example.com/x": "y", "node.kubernetes.io/any": "z"}, ""),
        ({"kubernetes.io/hostname": "n1", "x.kubelet.kubernetes.io/a": "b"}, ""),
        ({"node-restriction.kubernetes.io/a": "b", "a": "b"}, "node-restriction.kubernetes.io/a"),
        ({"x.k8s.io/a": "b", "kubernetes.io/zz": "b"}, "kubernetes.io/zz, x.k8s.io/a"),
    ],
)
def test_a_node_gives_itself_no_labels_that_attract_pods(
    api: FakeAPI, labels: dict[str, str], forbidden: str
) -> None:
    node = {"metadata": {"name": "n1", "labels": labels}}
    found = refusal(api, "/api/v1/nodes/n1?dryRun=All", {**api.get("Node", "n1"), **node}, "PUT")
    assert found == (f"is not allowed to modify labels: {forbidden}" if forbidden else "")


def test_a_node_changes_itself_alone_and_not_its_taints(api: FakeAPI) -> None:
    assert refusal(api, "/api/v1/nodes", {"metadata": {"name": "n2"}}) == (
        'node "n1" is not allowed to modify node "n2"'
    )
    tainted = {**api.get("Node", "n1"), "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
    assert refusal(api, "/api/v1/nodes/n1", tainted, "PUT") == 'node "n1" is not allowed to modify taints'


def test_a_node_has_slices_leases_and_csi_nodes_of_its_own(api: FakeAPI) -> None:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d.example.com", "pool": pool, "devices": []}
    own = {"metadata": {"name": "own"}, "spec": {**spec, "nodeName": "n1"}}
    others = {"metadata": {"name": "others"}, "spec": {**spec, "nodeName": "n2"}}
    everywhere = {"metadata": {"name": "all"}, "spec": {**spec, "allNodes": True}}
    assert refusal(api, SLICES, own) == ""
    for each in (others, everywhere):
        assert refusal(api, SLICES, each) == (
            "can only create ResourceSlice with the same NodeName as the requesting node"
        )
    send(api, SLICES, others)
    assert refusal(api, f"{SLICES}/others", method="DELETE") == (
        "can only delete ResourceSlice with the same NodeName as the requesting node"
    )
    assert refusal(api, SLICES, method="DELETE") == (
        "can only delete ResourceSlice with the same NodeName as the requesting node"
    )
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    assert refusal(api, leases, {"metadata": {"name": "n1"}}) == (
        'can only access leases in the "kube-node-lease" system namespace'
    )
    csi = "/apis/storage.k8s.io/v1/csinodes"
    assert refusal(api, csi, {"metadata": {"name": "n2"}, "spec": {"drivers": []}}) == (
        "can only access CSINode with the same name as the requesting node"
    )
    assert refusal(api, csi, {"metadata": {"name": "n1"}, "spec": {"drivers": []}}) == ""


# tokens


def test_a_node_asks_for_tokens_of_its_pods_and_for_audiences_that_they_want(api: FakeAPI) -> None:
    path = f"{CORE}/serviceaccounts/robot/token"
    uids = {name: api.get("Pod", name)["metadata"]["uid"] for name in ("mine", "other")}

    def bound(name: str, uid: str, **spec: Any) -> Object:
        reference = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid}
        return {"spec": {"boundObjectRef": reference, "audiences": [], **spec}}

    assert refusal(api, path, {"spec": {"audiences": []}}) == "node requested token not bound to a pod"
    assert refusal(api, path, bound("mine", "")) == ("node requested token with a pod binding without a uid")
    assert refusal(api, path, bound("mine", "x")).startswith(
        "the UID in the bound object reference (x) does not match the UID in record."
    )
    assert refusal(api, path, bound("other", uids["other"])) == (
        "node requested token bound to a pod scheduled on a different node"
    )
    assert refusal(api, path, bound("mine", uids["mine"], audiences=["a", "b"])) == (
        "node may only request 0 or 1 audiences"
    )


def test_1_30_holds_slices_of_v1alpha2_to_their_node_and_lets_owners_of_nodes_change() -> None:
    body = {
        "metadata": {"name": "s"},
        "nodeName": "n2",
        "driverName": "d.example.com",
        "namedResources": {"instances": []},
    }
    with FakeAPI(release="1.30", enable_admission_plugins="NodeRestriction") as api:
        assert refusal(api, "/apis/resource.k8s.io/v1alpha2/resourceslices", body) == (
            "can only create ResourceSlice with the same NodeName as the requesting node"
        )
        answer = send(api, "/api/v1/nodes", {"metadata": {"name": "n1"}})
        answer["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]
        assert refusal(api, "/api/v1/nodes/n1", answer, "PUT") == ""
