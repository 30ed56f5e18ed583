"""Generates requests from a seed: reads, writes, reviews, escalations, impersonation and unknown tokens."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from tests.differential.rbac import world
from tests.differential.rbac.servers import APPLY, JSON, Client, Request

MERGE_PATCH, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
_KINDS = {
    "configmaps": ("", "v1", "ConfigMap"),
    "secrets": ("", "v1", "Secret"),
    "endpoints": ("", "v1", "Endpoints"),
    "serviceaccounts": ("", "v1", "ServiceAccount"),
    "pods": ("", "v1", "Pod"),
    "persistentvolumeclaims": ("", "v1", "PersistentVolumeClaim"),
    "nodes": ("", "v1", "Node"),
    "namespaces": ("", "v1", "Namespace"),
    "persistentvolumes": ("", "v1", "PersistentVolume"),
    "deployments": ("apps", "v1", "Deployment"),
    "leases": ("coordination.k8s.io", "v1", "Lease"),
    "csinodes": ("storage.k8s.io", "v1", "CSINode"),
    "volumeattachments": ("storage.k8s.io", "v1", "VolumeAttachment"),
    "resourceclaims": ("resource.k8s.io", "v1", "ResourceClaim"),
    "resourceslices": ("resource.k8s.io", "v1", "ResourceSlice"),
    "deviceclasses": ("resource.k8s.io", "v1", "DeviceClass"),
    "certificatesigningrequests": ("certificates.k8s.io", "v1", "CertificateSigningRequest"),
    "roles": (world.GROUP, "v1", "Role"),
    "rolebindings": (world.GROUP, "v1", "RoleBinding"),
    "clusterroles": (world.GROUP, "v1", "ClusterRole"),
    "clusterrolebindings": (world.GROUP, "v1", "ClusterRoleBinding"),
}
_OF_CLUSTER = {
    "nodes", "namespaces", "persistentvolumes", "csinodes", "volumeattachments", "resourceslices",
    "deviceclasses", "certificatesigningrequests", "clusterroles", "clusterrolebindings",
}  # fmt: skip
_WRITABLE: dict[str, dict[str, Any]] = {
    "configmaps": {"data": {"k": "w"}},
    "secrets": {"stringData": {"k": "w"}},
    "endpoints": {},
    "serviceaccounts": {},
    "leases": {"spec": {"holderIdentity": "x"}},
    "csinodes": {"spec": {"drivers": []}},
    "resourceclaims": {"spec": {}},
    "resourceslices": {
        "spec": {"driver": "d.example.com", "nodeName": "node-1",
                 "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1}, "devices": []},
    },
    "deviceclasses": {"spec": {}},
    "nodes": {},
    "namespaces": {},
}  # fmt: skip
"""A valid body, without metadata, for each resource that the generator writes."""
_SUBRESOURCES = (
    ("pods", "status"), ("pods", "log"), ("nodes", "status"), ("resourceclaims", "status"),
    ("deployments", "scale"), ("serviceaccounts", "token"), ("namespaces", "status"),
    ("certificatesigningrequests", "approval"),
)  # fmt: skip


class Generator:
    """Generates random requests, and chooses a client to send each request."""

    def __init__(self, random: Random, clients: list[Client]) -> None:
        self._random = random
        self._clients = clients
        self._accounts = [client for client in clients if client.account is not None]
        self._nodes = [client for client in clients if client.name.startswith("system:node:")]
        self._kinds: list[tuple[float, Callable[[], Request]]] = [
            (22, self._read),
            (14, self._write),
            (8, self._subresource),
            (5, self._path),
            (9, self._review),
            (14, self._role),
            (14, self._binding),
            (6, self._certificate),
            (1, self._unknown_token),
        ]

    def next(self) -> tuple[Client, Request]:
        """Returns a random client and a random request that this client sends."""
        random = self._random
        makers = [maker for _, maker in self._kinds]
        request = random.choices(makers, [weight for weight, _ in self._kinds])[0]()
        if random.random() < 0.08 and self._accounts and "Authorization" not in request.headers:
            client = random.choice(self._accounts)
            return client, replace(request, headers={**request.headers, **self._impersonation()})
        if random.random() < 0.12 and self._nodes:
            return random.choice(self._nodes), request
        return random.choice(self._clients), request

    def _impersonation(self) -> dict[str, str]:
        random = self._random
        nodes = [f"system:node:{node}" for node in world.NODES]
        accounts = [client.name for client in self._accounts]
        names = [*world.names_of("users"), *accounts, *nodes, "", "root", "system:anonymous"]
        headers = {"Impersonate-User": random.choice(names)}
        if random.random() < 0.35:
            headers["Impersonate-Group"] = random.choice(world.names_of("groups"))
        if random.random() < 0.15:
            headers["Impersonate-Uid"] = random.choice(world.NAMES)
        if random.random() < 0.2:
            headers[f"Impersonate-Extra-{random.choice(('scopes', 'team'))}"] = random.choice(world.NAMES)
        return headers

    # objects --------------------------------------------------------------------------------------

    def _place(self, resource: str, *, everywhere: bool = False) -> str:
        group, version, _ = _KINDS[resource]
        root = f"/apis/{group}/{version}" if group else f"/api/{version}"
        if resource in _OF_CLUSTER or (everywhere and self._random.random() < 0.3):
            return f"{root}/{resource}"
        namespaces = (*world.NAMESPACES, "kube-node-lease") if resource == "leases" else world.NAMESPACES
        return f"{root}/namespaces/{self._random.choice(namespaces)}/{resource}"

    def _name(self, resource: str) -> str:
        names = world.names_of(resource)
        if resource in ("leases", "resourceslices", "persistentvolumes", "volumeattachments"):
            names = (*names, *world.NODES)
        return self._random.choice(names)

    def _read(self) -> Request:
        random = self._random
        resource = random.choice(tuple(_KINDS))
        if random.random() < 0.5:
            return Request("GET", f"{self._place(resource)}/{self._name(resource)}")
        query = random.choice(("", "", "?limit=1", "?watch=1&timeoutSeconds=1"))
        if random.random() < 0.3:
            terms = [f"metadata.name={self._name(resource)}", "metadata.name!=a", "metadata.namespace=blue"]
            if resource in ("pods", "resourceslices"):
                terms += [f"spec.nodeName={node}" for node in world.NODES] * 2
            term = random.choice(terms).replace("=", "%3D")
            query += f"{'&' if query else '?'}fieldSelector={term}"
        return Request("GET", self._place(resource, everywhere=True) + query)

    def _write(self) -> Request:
        random = self._random
        resource = random.choice(tuple(_WRITABLE))
        place, name = self._place(resource), self._name(resource)
        group, version, kind = _KINDS[resource]
        body = {
            "apiVersion": f"{group}/{version}".lstrip("/"),
            "kind": kind,
            "metadata": {"name": name},
            **_WRITABLE[resource],
        }
        path, dry = f"{place}/{name}", "?dryRun=All"
        match random.choice(
            ("create", "create", "update", "update", "apply", "apply", "merge", "delete", "all")
        ):
            case "create":
                return Request("POST", place + dry, body)
            case "update":
                return Request("PUT", path + dry, body)
            case "apply":
                return Request("PATCH", f"{path}{dry}&fieldManager=m&force=true", body, APPLY)
            case "merge":
                return Request("PATCH", path + dry, {"metadata": {"annotations": {"x": "y"}}}, MERGE_PATCH)
            case "delete":
                return Request("DELETE", path + dry)
            case _:
                return Request("DELETE", place + dry)

    def _subresource(self) -> Request:
        random = self._random
        resource, subresource = random.choice(_SUBRESOURCES)
        path = f"{self._place(resource)}/{self._name(resource)}/{subresource}"
        if subresource == "token":
            return Request("POST", f"{path}?dryRun=All", {"spec": {"expirationSeconds": 600}})
        if subresource == "log" or random.random() < 0.3:
            return Request("GET", path)
        return Request("PATCH", f"{path}?dryRun=All", {"metadata": {"annotations": {"x": "y"}}}, MERGE_PATCH)

    def _path(self) -> Request:
        random = self._random
        path = random.choice(
            (*world.PATHS, "/custom", "/api/v1", f"/apis/{world.GROUP}/v1", "/nothing/<here>")
        )
        methods = ("GET", "HEAD") if path == "/metrics" else ("GET", "GET", "GET", "POST", "HEAD")
        return Request(random.choice(methods), path.replace("<", "%3C"))

    def _unknown_token(self) -> Request:
        token = self._random.choice(("nonsense", "a.b.c", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"))
        path = f"{self._place('configmaps')}/a"
        return Request(
            "GET",
            self._random.choice((path, "/healthz", "/version")),
            headers={"Authorization": f"Bearer {token}"},
        )

    # reviews --------------------------------------------------------------------------------------

    def _review(self) -> Request:
        random = self._random
        root = "/apis/authorization.k8s.io/v1"
        if random.random() < 0.15:
            namespace = random.choice(world.NAMESPACES)
            return Request("POST", f"{root}/selfsubjectrulesreviews", {"spec": {"namespace": namespace}})
        spec: dict[str, Any] = {}
        if random.random() < 0.2:
            spec["nonResourceAttributes"] = {
                "path": random.choice(world.PATHS),
                "verb": random.choice(("get", "post")),
            }
        else:
            group = random.choice(tuple(world.RESOURCES))
            resource, _, subresource = random.choice(world.RESOURCES[group]).partition("/")
            verbs = (*world.VERBS, "escalate", "bind", "impersonate", "*")
            spec["resourceAttributes"] = {
                "group": random.choice((group, group, group, "*")),
                "resource": random.choice((resource, resource, resource, "*")),
                "subresource": subresource,
                "verb": random.choice(verbs),
                "namespace": random.choice((*world.NAMESPACES, "")),
                "name": random.choice((self._random.choice(world.names_of(resource)), "")),
            }
        if random.random() < 0.6:
            return Request("POST", f"{root}/selfsubjectaccessreviews", {"spec": spec})
        other = random.choice(self._clients)
        spec |= {"user": other.name, "groups": [*other.groups, "system:authenticated"]}
        return Request("POST", f"{root}/subjectaccessreviews", {"spec": spec})

    # roles and bindings ---------------------------------------------------------------------------

    def _role(self) -> Request:
        random = self._random
        namespaced = random.random() < 0.4
        resource = "roles" if namespaced else "clusterroles"
        place = self._place(resource)
        own = ("new-0", "new-1", "new-2")
        name = random.choice((*world.names_of(resource), *own, *own))
        body = world.role_body(random, name, namespaced=namespaced)
        body |= {"apiVersion": f"{world.GROUP}/v1", "kind": "Role" if namespaced else "ClusterRole"}
        if not namespaced and random.random() < 0.25:
            body["aggregationRule"] = world.aggregation(random)
            if random.random() < 0.7:
                body.pop("rules")
        if random.random() < 0.04:
            body["rules"] = [{"verbs": [], "apiGroups": [""], "resources": ["pods"]}]
        changes: list[Any] = [
            {"metadata": {"finalizers": ["example.com/x"]}},
            {"metadata": {"annotations": {"x": "y"}}},
            {"metadata": {"labels": {"to-red": "true"}}},
            {"rules": [world.rule(random, namespaced=namespaced)]},
        ]
        if not namespaced:
            changes += [{"aggregationRule": world.aggregation(random)}, {"aggregationRule": None}]
        return self._change(place, name, body, random.choice(changes))

    def _binding(self) -> Request:
        random = self._random
        namespaced = random.random() < 0.5
        resource = "rolebindings" if namespaced else "clusterrolebindings"
        place = self._place(resource)
        prefix = "rb" if namespaced else "crb"
        name = random.choice((f"{prefix}-{random.randrange(30)}", f"new-{prefix}-{random.randrange(4)}"))
        kind = random.choice(("Role", "ClusterRole")) if namespaced else "ClusterRole"
        kind = random.choice(("Role", "Other")) if random.random() < 0.02 else kind
        role = random.choice(
            world.ROLES if kind == "Role" else (*world.CLUSTER_ROLES, *world.AGGREGATING, "view", "edit")
        )
        role = (
            random.choice(("absent", "cluster-admin", "system:discovery")) if random.random() < 0.15 else role
        )
        body = {
            "apiVersion": f"{world.GROUP}/v1",
            "kind": "RoleBinding" if namespaced else "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": world.reference(kind, role),
            "subjects": world.subjects(random, self._clients),
        }
        changes = [
            {"metadata": {"finalizers": ["example.com/x"]}},
            {"metadata": {"labels": {"x": "y"}}},
            {"subjects": world.subjects(random, self._clients)},
        ]
        return self._change(place, name, body, random.choice(changes))

    def _change(self, place: str, name: str, body: Any, changes: Any) -> Request:
        """Returns a random write of a role or a binding, mostly as a dry run.

        `place`: the path of the collection. `body`: the body of a create. `changes`: the fields that an
        update changes.

        Writes with finalizers are always dry runs, because finalizers would block deletion. Removals of an
        aggregation rule are dry runs too: on kube-apiserver the role keeps the aggregated rules, and fakeapi
        never stores them.
        """
        random = self._random
        path = f"{place}/{name}"
        stays = "finalizers" in changes.get("metadata", ()) or changes.get("aggregationRule", ()) is None
        query = "?dryRun=All" if stays or random.random() < 0.75 else "?x=y"
        match random.choice(
            ("create", "create", "update", "apply", "merge", "replace", "json", "delete", "all")
        ):
            case "create":
                if random.random() < 0.1 and query == "?dryRun=All":
                    body = {**body, "metadata": {"generateName": f"{name}-"}}
                return Request("POST", place + query, body)
            case "update":
                return Request("PUT", path + query, body)
            case "apply":
                return Request("PATCH", f"{path}{query}&fieldManager=m&force=true", body, APPLY)
            case "merge":
                return Request("PATCH", path + query, changes, MERGE_PATCH)
            case "replace":
                return Request("PUT", path + query, content_type=JSON, changes=changes)
            case "json":
                operations = [
                    {"op": "add", "path": f"/{name}", "value": value}
                    for name, value in changes.items()
                    if name != "metadata"
                ]
                return Request("PATCH", path + query, operations, JSON_PATCH)
            case "delete":
                return Request("DELETE", path + query)
            case _:
                return Request("DELETE", f"{place}?dryRun=All")

    # certificates ---------------------------------------------------------------------------------

    def _certificate(self) -> Request:
        random = self._random
        place = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
        name = f"csr-{random.randrange(len(world.SIGNERS))}"
        if random.random() < 0.5:
            condition = {
                "type": random.choice(("Approved", "Denied")),
                "status": "True",
                "reason": "R",
                "message": "m",
            }
            changes = {"status": {"conditions": [condition]}}
            return Request("PUT", f"{place}/{name}/approval?dryRun=All", changes=changes)
        changes = {
            "status": {"conditions": [{"type": "Failed", "status": "True", "reason": "R", "message": "m"}]}
        }
        return Request("PUT", f"{place}/{name}/status?dryRun=All", changes=changes)
