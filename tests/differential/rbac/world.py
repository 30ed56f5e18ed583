"""Generates the initial objects of both servers from a seed: users, objects, roles and bindings."""

import base64
from collections.abc import Iterator
from random import Random
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.differential.rbac.servers import Client

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
NAMESPACES = ("default", "blue", "green")
NODES = ("node-0", "node-1", "node-2")
NAMES = ("a", "b", "c")
GROUPS = ("dev", "ops", "qa")
CLUSTER_ROLES = tuple(f"cr-{number}" for number in range(24))
AGGREGATING = ("agg-0", "agg-1", "agg-2")
ROLES = tuple(f"r-{number}" for number in range(6))
LABELS = ("red", "round", "tall")
SIGNERS = ("example.com/one", "example.com/two", "kubernetes.io/kube-apiserver-client")
PATHS = (
    "/healthz",
    "/metrics",
    "/version",
    "/api",
    "/apis",
    "/logs/x",
    "/custom/x",
    "/openapi/v2",
    "/livez/ping",
)

RESOURCES = {
    "": (
        "configmaps", "secrets", "pods", "pods/status", "pods/eviction", "nodes", "nodes/status",
        "serviceaccounts", "serviceaccounts/token", "namespaces", "persistentvolumeclaims", "endpoints",
        "persistentvolumes", "users", "groups", "events",
    ),
    "apps": ("deployments", "deployments/scale", "deployments/status"),
    "coordination.k8s.io": ("leases",),
    "storage.k8s.io": ("csinodes", "volumeattachments"),
    "resource.k8s.io": (
        "resourceclaims", "resourceclaims/status", "resourceclaims/binding", "resourceclaims/driver",
        "resourceslices", "deviceclasses",
    ),
    GROUP: ("roles", "rolebindings", "clusterroles", "clusterrolebindings"),
    "certificates.k8s.io": (
        "certificatesigningrequests", "certificatesigningrequests/approval",
        "certificatesigningrequests/status", "signers",
    ),
    "authentication.k8s.io": (
        "userextras/scopes", "userextras/team", "uids", "users", "groups", "serviceaccounts", "nodes",
    ),
    "authorization.k8s.io": ("subjectaccessreviews", "localsubjectaccessreviews"),
}  # fmt: skip
"""Resources that the generated RBAC rules name, by API group."""
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_SPECIAL = {
    "users": ("impersonate", "impersonate:user-info"),
    "groups": ("impersonate", "impersonate:user-info"),
    "uids": ("impersonate", "impersonate:user-info"),
    "userextras/scopes": ("impersonate", "impersonate:user-info"),
    "userextras/team": ("impersonate", "impersonate:user-info"),
    "serviceaccounts": ("impersonate", "impersonate:serviceaccount"),
    "nodes": ("impersonate", "impersonate:arbitrary-node"),
    "roles": ("escalate", "bind"),
    "clusterroles": ("escalate", "bind"),
    "signers": ("approve", "sign", "attest"),
    "configmaps": ("impersonate-on:user-info:get", "impersonate-on:user-info:list"),
}
"""Special RBAC verbs of some resources, such as `approve`, by resource."""


def clients(count: int, random: Random) -> list[Client]:
    """Returns `count` clients: cluster nodes, service accounts, users, and a member of system:masters."""
    members = [
        Client("root", ("system:masters",)),
        Client("system:node:", ("system:nodes",)),
        Client("system:node:node-0", ("dev",)),
    ]
    members = members[:1] if count < 10 else members
    members += [Client(f"system:node:{node}", ("system:nodes",)) for node in NODES[1:]]
    for number in range(max(2, count // 4)):
        namespace, name = NAMESPACES[number % len(NAMESPACES)], f"robot-{number}"
        members.append(Client(f"system:serviceaccount:{namespace}:{name}", (), (namespace, name)))
    while len(members) < count:
        chosen = tuple(sorted(random.sample(GROUPS, random.randrange(3))))
        members.append(Client(f"user-{len(members)}", chosen))
    return members[:count]


def rule(random: Random, *, namespaced: bool = False) -> dict[str, Any]:
    """Returns a random valid RBAC rule.

    `namespaced`: whether the rule is for a Role; if false, for a ClusterRole.
    """
    if not namespaced and random.random() < 0.12:
        paths = random.sample((*PATHS, "/custom/*", "/logs/*", "*", "/api*"), random.randint(1, 3))
        return {"nonResourceURLs": paths, "verbs": random.choice((["get"], ["*"], ["get", "post"]))}
    group = GROUP if random.random() < 0.3 else random.choice(tuple(RESOURCES))
    resources = random.sample(RESOURCES[group], min(len(RESOURCES[group]), random.randint(1, 4)))
    special = [verb for resource in resources for verb in _SPECIAL.get(resource, ())]
    verbs = random.sample(VERBS, random.randint(2, 8))
    verbs += [verb for verb in special if random.random() < 0.5]
    policy_rule: dict[str, Any] = {"apiGroups": [group], "resources": resources, "verbs": verbs}
    chance = random.random()
    if chance < 0.06:
        policy_rule["verbs"] = ["*"]
    elif chance < 0.10:
        policy_rule["resources"] = ["*"]
    elif chance < 0.13:
        policy_rule["apiGroups"] = ["*"]
    elif chance < 0.16:
        policy_rule["resources"] = ["*/status", "*/scale"]
    elif chance < 0.18:
        policy_rule = {
            "apiGroups": ["*"],
            "resources": ["*"],
            "verbs": random.choice((["get", "list"], ["*"])),
        }
    if random.random() < 0.25:
        policy_rule["resourceNames"] = random.sample(names_of(resources[0]), 2)
    if random.random() < 0.1:
        policy_rule["apiGroups"] = [*policy_rule["apiGroups"], random.choice(tuple(RESOURCES))]
    return policy_rule


def names_of(resource: str) -> tuple[str, ...]:
    """Returns object names to use in requests for a resource. Some of these objects do not exist."""
    match resource.partition("/")[0]:
        case "clusterroles":
            return (*CLUSTER_ROLES[:6], *AGGREGATING, "view", "cluster-admin")
        case "roles":
            return ROLES
        case "nodes" | "csinodes":
            return NODES
        case "namespaces":
            return NAMESPACES
        case "users":
            return ("user-20", "user-21", "user-22", "system:node:node-1")
        case "groups":
            return (*GROUPS, "system:masters")
        case "serviceaccounts":
            return ("robot-0", "robot-1", "default")
        case "signers":
            return (*SIGNERS, "example.com/*")
    return (*NAMES, "d")


def role_body(random: Random, name: str, *, namespaced: bool) -> dict[str, Any]:
    """Returns a random Role or ClusterRole. A ClusterRole may have labels that aggregation rules select.

    `namespaced`: whether to return a Role; if false, returns a ClusterRole.
    """
    rules = [rule(random, namespaced=namespaced) for _ in range(random.randint(1, 4))]
    metadata: dict[str, Any] = {"name": name}
    if not namespaced and random.random() < 0.4:
        metadata["labels"] = {f"to-{random.choice(LABELS)}": "true"}
    return {"metadata": metadata, "rules": rules}


def aggregation(random: Random) -> dict[str, Any]:
    """Returns a random aggregation rule of a ClusterRole."""
    labels = random.sample(LABELS, random.randint(1, 2))
    return {"clusterRoleSelectors": [{"matchLabels": {f"to-{label}": "true"}} for label in labels]}


def reference(kind: str, name: str) -> dict[str, str]:
    return {"apiGroup": GROUP, "kind": kind, "name": name}


def subjects(random: Random, among: list[Client]) -> list[dict[str, str]]:
    """Returns random subjects of a binding: clients of `among` or, sometimes, a group."""
    if random.random() < 0.15:
        return [
            {"apiGroup": GROUP, "kind": "Group", "name": random.choice((*GROUPS, "system:serviceaccounts"))}
        ]
    return [subject(each) for each in random.sample(among, random.randint(1, 3))]


def subject(client: Client) -> dict[str, str]:
    if client.account is not None:
        return {"kind": "ServiceAccount", "namespace": client.account[0], "name": client.account[1]}
    return {"apiGroup": GROUP, "kind": "User", "name": client.name}


def writes(random: Random, among: list[Client]) -> Iterator[tuple[str, str, Any]]:
    """Yields the administrator's requests that create the initial objects, as (method, path, body).

    `among`: the clients that the bindings name.
    """
    for namespace in NAMESPACES[1:]:
        yield "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}
    for client in among:
        if client.account is not None:
            place, name = client.account
            yield "POST", f"/api/v1/namespaces/{place}/serviceaccounts", {"metadata": {"name": name}}
    yield from _objects()
    yield from _signing_requests()
    for name in CLUSTER_ROLES:
        yield "POST", f"{RBAC}/clusterroles", role_body(random, name, namespaced=False)
    for name in AGGREGATING:
        metadata = {
            "name": name,
            "labels": {f"to-{random.choice(LABELS)}": "true"} if name == "agg-2" else {},
        }
        yield "POST", f"{RBAC}/clusterroles", {"metadata": metadata, "aggregationRule": aggregation(random)}
    for namespace in NAMESPACES:
        for name in ROLES:
            body = role_body(random, name, namespaced=True)
            yield "POST", f"{RBAC}/namespaces/{namespace}/roles", body
    yield from _managers(random, among)
    yield from _bindings(random, among)


def _managers(random: Random, among: list[Client]) -> Iterator[tuple[str, str, Any]]:
    """Yields requests that let some users manage roles, and make two users cluster administrators.

    Writes of these users test the check for privilege escalation.
    """
    resources = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"]
    for number, verbs in enumerate(
        (["*"], ["get", "create", "update", "patch", "delete"], ["update", "patch"])
    ):
        name = f"manager-{number}"
        rules = [{"apiGroups": [GROUP], "resources": resources, "verbs": verbs}]
        if number == 0:
            rules[0]["resourceNames"] = [*CLUSTER_ROLES[:8], *ROLES[:3], AGGREGATING[0]]
        yield "POST", f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": rules}
    for number, name in enumerate(("manager-0", "manager-1", "manager-1", "manager-2", "cluster-admin")):
        chosen = random.sample(among, 2 if name == "cluster-admin" else min(len(among), 10))
        body = {"metadata": {"name": f"managers-{number}"}, "roleRef": reference("ClusterRole", name)}
        yield "POST", f"{RBAC}/clusterrolebindings", {**body, "subjects": [subject(each) for each in chosen]}


def _bindings(random: Random, among: list[Client]) -> Iterator[tuple[str, str, Any]]:
    for number in range(len(among)):
        known = random.random() < 0.97
        name = random.choice((*CLUSTER_ROLES, *AGGREGATING, "view")) if known else "absent"
        body = {"metadata": {"name": f"crb-{number}"}, "roleRef": reference("ClusterRole", name)}
        yield "POST", f"{RBAC}/clusterrolebindings", {**body, "subjects": subjects(random, among)}
    for number in range(len(among) * 3):
        namespace = random.choice(NAMESPACES)
        kind = random.choice(("Role", "ClusterRole"))
        of_cluster = (*CLUSTER_ROLES, *AGGREGATING, "view", "edit", "admin")
        name = random.choice(ROLES if kind == "Role" else of_cluster)
        body = {"metadata": {"name": f"rb-{number}"}, "roleRef": reference(kind, name)}
        path = f"{RBAC}/namespaces/{namespace}/rolebindings"
        yield "POST", path, {**body, "subjects": subjects(random, among)}


def _objects() -> Iterator[tuple[str, str, Any]]:
    for node in NODES:
        yield "POST", "/api/v1/nodes", {"metadata": {"name": node}}
        slice_spec = {
            "driver": "d.example.com",
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        }
        yield (
            "POST",
            "/apis/resource.k8s.io/v1/resourceslices",
            {"metadata": {"name": node}, "spec": {**slice_spec, "devices": []}},
        )
    for namespace in NAMESPACES:
        place = f"/api/v1/namespaces/{namespace}"
        yield "POST", f"{place}/serviceaccounts", {"metadata": {"name": "plain"}}
        for name in NAMES:
            yield "POST", f"{place}/configmaps", {"metadata": {"name": name}, "data": {"k": "v"}}
            yield "POST", f"{place}/secrets", {"metadata": {"name": name}}
        claim = {"metadata": {"name": "a"}, "spec": {}}
        yield "POST", f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims", claim
        lease: dict[str, Any] = {"metadata": {"name": "a"}, "spec": {}}
        yield "POST", f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases", lease
        for index, node in enumerate(NODES):
            yield "POST", f"{place}/pods", pod(NAMES[index], node)


def _signing_requests() -> Iterator[tuple[str, str, Any]]:
    """Yields requests that create a CertificateSigningRequest for each signer, as (method, path, body)."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject_name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "somebody")])
    built = x509.CertificateSigningRequestBuilder().subject_name(subject_name).sign(key, hashes.SHA256())
    text = base64.b64encode(built.public_bytes(serialization.Encoding.PEM)).decode()
    for number, signer in enumerate(SIGNERS):
        spec = {"request": text, "signerName": signer, "usages": ["client auth"]}
        path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
        yield "POST", path, {"metadata": {"name": f"csr-{number}"}, "spec": spec}


def pod(name: str, node: str) -> dict[str, Any]:
    """Returns a pod on a node.

    The pod uses a Secret and a ConfigMap that have its name, and the ResourceClaim `a`.
    """
    volumes = [
        {"name": "s", "secret": {"secretName": name}},
        {"name": "c", "configMap": {"name": name}},
    ]
    spec = {
        "nodeName": node,
        "serviceAccountName": "plain",
        "automountServiceAccountToken": False,
        "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}],
        "volumes": volumes,
        "resourceClaims": [{"name": "x", "resourceClaimName": "a"}],
    }
    return {"metadata": {"name": name}, "spec": spec}
