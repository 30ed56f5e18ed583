"""Builds objects for tests: plain dicts with useful defaults. The server validates them at creation.

    from fakeapi.testing.objects import claim, pod

    api.create(claim("gpu", device_class="gpu.example.com", count=2))
    api.create(pod("train", claims=["gpu"]))

The functions of this module build claims, slices and device classes of resource.k8s.io/v1. The methods of
`FakeAPI.objects` build them in the version that the server prefers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.testing.argument_errors import explains_arguments
from fakeapi.testing.device_objects import DeviceObjects
from fakeapi.testing.object_parts import metadata

__all__ = [
    "ObjectBuilder",
    "claim",
    "claim_template",
    "config_map",
    "deployment",
    "device_class",
    "namespace",
    "node",
    "pod",
    "resource_slice",
    "role",
    "role_binding",
    "service_account",
]

_RBAC = "rbac.authorization.k8s.io"


class ObjectBuilder(DeviceObjects):
    """Builds objects, with one version of resource.k8s.io.

    Every method returns a new dict that you can change before you create the object. Without `namespace`, the
    metadata has no namespace, so that `create(..., namespace=…)` can set it.
    """

    @explains_arguments("fakeapi.objects.pod")
    def pod(
        self,
        name: str = "pod",
        *,
        claims: Sequence[str] | Mapping[str, str] = (),
        claim_templates: Mapping[str, str] | None = None,
        image: str = "example.com/image:1",
        command: Sequence[str] = (),
        node: str = "",
        service_account: str = "",
        namespace: str = "",
        labels: Mapping[str, str] | None = None,
        spec: Mapping[str, Any] | None = None,
    ) -> Object:
        """Returns a Pod with one container, `main`.

        - `claims`: the names of the claims that the container uses. A mapping also sets the names in the pod:
          `{"device": "gpu"}` is the claim `gpu` with the name `device` in the pod.
        - `claim_templates`: ResourceClaimTemplates by the names of the claims in the pod.
        - `command`: the command of the container; () for the command of the image.
        - `node`: bind the pod to this node, without a scheduler.
        - `service_account`: the name of the pod's service account; "" for the default.
        - `spec`: other fields of the PodSpec, such as `{"restartPolicy": "Never"}`.
        """
        by_name = dict(claims) if isinstance(claims, Mapping) else {each: each for each in claims}
        used = [{"name": each, "resourceClaimName": claim} for each, claim in by_name.items()]
        used += [
            {"name": each, "resourceClaimTemplateName": template}
            for each, template in (claim_templates or {}).items()
        ]
        container: Object = {"name": "main", "image": image}
        if command:
            container["command"] = list(command)
        if used:
            container["resources"] = {"claims": [{"name": each["name"]} for each in used]}
        fields: Object = {"containers": [container]}
        if used:
            fields["resourceClaims"] = used
        if node:
            fields["nodeName"] = node
        if service_account:
            fields["serviceAccountName"] = service_account
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata(name, namespace, labels),
            "spec": {**fields, **(spec or {})},
        }

    @explains_arguments("fakeapi.objects.deployment")
    def deployment(
        self,
        name: str = "deployment",
        *,
        replicas: int = 1,
        image: str = "example.com/image:1",
        namespace: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns a Deployment. Its pods have one container and the label `app: NAME`.

        `labels`: labels of the Deployment and of its pods.
        """
        own = {"app": name, **(labels or {})}
        template = {"metadata": {"labels": own}, "spec": self.pod(image=image)["spec"]}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata(name, namespace, own),
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template},
        }

    @explains_arguments("fakeapi.objects.node")
    def node(
        self,
        name: str = "node",
        *,
        labels: Mapping[str, str] | None = None,
        capacity: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns a Node. A new node is not ready; `FakeAPI.ready_node` creates a node that accepts pods.

        `capacity`: the resources in its status, such as `{"cpu": "8"}`.
        """
        resources = dict(capacity or {})
        own = {"kubernetes.io/hostname": name, **(labels or {})}
        status = {"capacity": resources, "allocatable": resources} if resources else {}
        return {"apiVersion": "v1", "kind": "Node", "metadata": metadata(name, "", own), "status": status}

    @explains_arguments("fakeapi.objects.namespace")
    def namespace(self, name: str = "team", *, labels: Mapping[str, str] | None = None) -> Object:
        """Returns a Namespace."""
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata(name, "", labels)}

    @explains_arguments("fakeapi.objects.config_map")
    def config_map(
        self,
        name: str = "config",
        data: Mapping[str, str] | None = None,
        *,
        namespace: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns a ConfigMap with the given data."""
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata(name, namespace, labels),
            "data": dict(data or {}),
        }

    @explains_arguments("fakeapi.objects.service_account")
    def service_account(self, name: str = "driver", *, namespace: str = "") -> Object:
        """Returns a ServiceAccount."""
        return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(name, namespace)}

    @explains_arguments("fakeapi.objects.role")
    def role(
        self,
        name: str = "role",
        rules: Mapping[str, Sequence[str]] | None = None,
        *,
        namespace: str = "",
        cluster: bool = False,
    ) -> Object:
        """Returns a Role, or a ClusterRole if `cluster` is true.

        `rules`: the allowed verbs by resource: `{"pods": ["get"], "resourceclaims.resource.k8s.io/status":
        ["update"]}`.
        """
        return {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRole" if cluster else "Role",
            "metadata": metadata(name, "" if cluster else namespace),
            "rules": [_rule(resource, verbs) for resource, verbs in (rules or {}).items()],
        }

    @explains_arguments("fakeapi.objects.role_binding")
    def role_binding(
        self,
        role: str = "role",
        *,
        users: Sequence[str] = (),
        groups: Sequence[str] = (),
        service_accounts: Sequence[str] = (),
        name: str = "",
        namespace: str = "",
        cluster: bool = False,
    ) -> Object:
        """Returns a RoleBinding to a Role, or a ClusterRoleBinding to a ClusterRole if `cluster` is true.

        - `users`, `groups`: names of users and groups.
        - `service_accounts`: service accounts as `NAMESPACE/NAME`.
        - `name`: the name of the binding; "" for the name of the role.
        """
        subjects: list[Object] = [
            {"kind": kind, "apiGroup": _RBAC, "name": each}
            for kind, names in (("User", users), ("Group", groups))
            for each in names
        ]
        for account in service_accounts:
            of, _, each = account.rpartition("/")
            subjects.append({"kind": "ServiceAccount", "namespace": of or "default", "name": each})
        return {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding" if cluster else "RoleBinding",
            "metadata": metadata(name or role, "" if cluster else namespace),
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole" if cluster else "Role", "name": role},
            "subjects": subjects,
        }


def _rule(resource: str, verbs: Sequence[str]) -> Object:
    """Returns a PolicyRule for a resource with its group, such as `pods/log` or `deployments.apps/scale`."""
    name, slash, subresource = resource.partition("/")
    plural, _, group = name.partition(".")
    return {"apiGroups": [group], "resources": [f"{plural}{slash}{subresource}"], "verbs": list(verbs)}


_NEWEST = ObjectBuilder()

claim = _NEWEST.claim
claim_template = _NEWEST.claim_template
config_map = _NEWEST.config_map
deployment = _NEWEST.deployment
device_class = _NEWEST.device_class
namespace = _NEWEST.namespace
node = _NEWEST.node
pod = _NEWEST.pod
resource_slice = _NEWEST.resource_slice
role = _NEWEST.role
role_binding = _NEWEST.role_binding
service_account = _NEWEST.service_account
