"""ObjectLife: the methods of a client that apply, scale, evict and set the status of objects."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from fakeapi.clients.errors import StatusError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import APPLY_PATCH, MERGE_PATCH
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.insight import in_order
from fakeapi.testing.manifests import Manifest, namespace_of, one_object
from fakeapi.testing.sender import Sender
from fakeapi.testing.served_kinds import items_of
from fakeapi.testing.watching import selectors

__tracebackhide__ = hides_expected_errors

CONFLICTS_MAX = 10
"""Maximum number of attempts of `set_condition`. After the last attempt, the 409 Conflict is raised."""

NODE_CAPACITY = {"cpu": "8", "memory": "32Gi", "pods": "110"}
"""The default capacity of a node from `ready_node`."""


class ObjectLife(Sender):
    """Methods that apply, scale, evict, and set the status of objects."""

    def _now(self) -> str:
        """Returns the current time as RFC 3339, for new conditions."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def apply(
        self,
        manifest: Manifest,
        *,
        manager: str = "fakeapi",
        force: bool = False,
        namespace: str | None = None,
        subresource: str = "",
    ) -> Object:
        """Creates or changes one object with server-side apply; returns the stored object.

        - `manifest`: a dict, YAML or JSON text, or the path of a file.
        - `manager`: the field manager.
        - `force`: whether to take fields that other managers own.
        - `namespace`: overrides the namespace in the manifest. Without both, the namespace is `default`.

        Raises StatusError with code 409 if another manager owns a field with another value.
        """
        obj = one_object(manifest)
        name = (obj.get("metadata") or {}).get("name", "")
        path = self._subresource_path(
            obj["kind"], name, subresource, namespace or namespace_of(obj), obj.get("apiVersion")
        )
        query = {"fieldManager": manager, "force": "true" if force else "false"}
        applied: Object = self.request("PATCH", path, obj, query=query, content_type=APPLY_PATCH)
        return applied

    def scale(
        self,
        kind: str,
        name: str,
        replicas: int,
        *,
        namespace: str = "default",
        api_version: str | None = None,
    ) -> Object:
        """Sets the number of replicas through the subresource `scale`; returns the Scale."""
        path = self._subresource_path(kind, name, "scale", namespace, api_version)
        body = {"spec": {"replicas": replicas}}
        scaled: Object = self.request("PATCH", path, body, content_type=MERGE_PATCH)
        return scaled

    def evict(
        self, pod: str, *, namespace: str = "default", options: Mapping[str, Any] | None = None
    ) -> Object:
        """Evicts a pod; returns the Status. Raises StatusError 429 if a PodDisruptionBudget forbids the
        eviction.

        `options`: the DeleteOptions, such as `{"gracePeriodSeconds": 0}`.
        """
        eviction: Object = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod, "namespace": namespace},
        }
        if options is not None:
            eviction["deleteOptions"] = dict(options)
        path = self._subresource_path("Pod", pod, "eviction", namespace, "v1")
        evicted: Object = self.request("POST", path, eviction)
        return evicted

    def set_status(
        self,
        kind: str,
        name: str,
        status: Mapping[str, Any],
        *,
        namespace: str = "default",
        api_version: str | None = None,
    ) -> Object:
        """Sets fields of an object's status, and keeps the other fields; returns the stored object.

        `status`: a JSON merge patch of the status: lists are replaced, None removes a field.
        """
        path = self._subresource_path(kind, name, "status", namespace, api_version)
        stored: Object = self.request("PATCH", path, {"status": dict(status)}, content_type=MERGE_PATCH)
        return stored

    def set_condition(
        self,
        kind: str,
        name: str,
        type: str,  # noqa: A002 - Kubernetes' own word
        status: Literal["True", "False", "Unknown"] = "True",
        *,
        reason: str = "SetByTest",
        message: str = "",
        namespace: str = "default",
        api_version: str | None = None,
    ) -> Object:
        """Sets a condition in an object's status, and keeps the other conditions; returns the stored object.

        - `type`: the type of the condition, such as "Ready".

        Tries again after a conflict, up to CONFLICTS_MAX attempts. Raises ValueError if the server drops the
        condition, because the kind has no field `status.conditions`.
        """
        condition = {"type": type, "status": status, "reason": reason, "message": message}
        condition["lastTransitionTime"] = self._now()
        path = self._subresource_path(kind, name, "status", namespace, api_version)
        for remaining in reversed(range(CONFLICTS_MAX)):
            obj: Object = self.request("GET", path)
            conditions = obj.setdefault("status", {}).setdefault("conditions", [])
            obj["status"]["conditions"] = [each for each in conditions if each.get("type") != type]
            obj["status"]["conditions"].append(condition)
            try:
                stored: Object = self.request("PUT", path, obj)
            except StatusError as error:
                if not error.is_conflict or not remaining:
                    raise
            else:
                written = (stored.get("status") or {}).get("conditions") or []
                if not any(each.get("type") == type for each in written):
                    raise ValueError(
                        f"{kind} {name}: the server did not store the condition {type} in its status"
                    )
                return stored
        raise AssertionError  # unreachable: the last attempt raises its conflict

    def events(self, kind: str = "", name: str = "", *, namespace: str | None = None) -> list[Object]:
        """Returns the events of the core group, oldest first.

        - `kind`: only events about objects of this kind, such as "Pod"; "" for all.
        - `name`: only events about the object with this name; "" for all.
        - `namespace`: None for all namespaces.
        """
        fields = {"involvedObject.kind": kind, "involvedObject.name": name}
        if kind:
            fields["involvedObject.kind"] = self._resource(kind, None).kind
        selector = ",".join(f"{field}={value}" for field, value in fields.items() if value)
        resource = self._resource("Event", "v1")
        listed = self.request("GET", resource.path(namespace or ""), query=selectors("", selector))
        return in_order(items_of(listed, resource))

    def ready_node(
        self,
        name: str = "node",
        *,
        labels: Mapping[str, str] | None = None,
        capacity: Mapping[str, str] | None = None,
        taints: Sequence[Mapping[str, str]] = (),
    ) -> Object:
        """Creates a node that is ready for pods, for schedulers without a kubelet; returns the stored object.

        - `labels`: labels of the node in addition to `kubernetes.io/hostname`.
        - `capacity`: resources of the node, such as `{"cpu": "4"}`. They override NODE_CAPACITY.
        - `taints`: the taints of the node. A new node has the taint not-ready; this method removes it.
        """
        resources = {**NODE_CAPACITY, **(capacity or {})}
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "set by a test"}
        times = {"lastHeartbeatTime": self._now(), "lastTransitionTime": self._now()}
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "status": {"capacity": resources, "allocatable": resources, "conditions": [{**ready, **times}]},
        }
        resource = self._resource("Node", "v1")
        created: Object = self.request("POST", resource.path(), node)
        created.setdefault("spec", {})["taints"] = [dict(taint) for taint in taints]
        stored: Object = self.request("PUT", resource.path("", name), created)
        return stored
