"""Selection: the choice of the objects to read."""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.clients.served_resource import ServedResource
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.served import Served

EVENTS = frozenset({("", "events"), ("events.k8s.io", "events")})
"""Resources that exports omit by default: events are history, not state."""

OF_A_CLUSTER = EVENTS | {
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("apiregistration.k8s.io", "apiservices"),
    ("certificates.k8s.io", "certificatesigningrequests"),
    ("coordination.k8s.io", "leases"),
}
"""Resources that are not read from a cluster by default.

Webhooks and aggregated APIs have addresses that exist only in the cluster; the other resources change
constantly.
"""

_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_SERVERS = ("kube-apiserver", "api-priority-and-fairness-config-")
"""Prefixes of the field managers of objects that a server creates itself."""

_MADE_BY_CONTROLLERS = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})


class SelectionError(ValueError):
    """A selection that matches no resource; the message is one line."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The choice of objects by namespace, resource and label.

    - `namespaces`: all if empty. With namespaces, cluster-scoped resources are only read if `resources` names
      them. The selected Namespace objects are an exception.
    - `resources`: names as for kubectl. If empty, all are read except `left_out`.
    - `labels`: a label selector.
    - `everything`: also read the objects that every server creates itself.
    """

    namespaces: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    labels: str = ""
    everything: bool = False
    left_out: frozenset[tuple[str, str]] = EVENTS

    def chosen(self, served: Served) -> Served:
        """Returns the resources to read. Raises SelectionError for an unknown name."""
        if self.resources:
            named = [_named(served, name) for name in self.resources]
            return {key: served[key] for keys in named for key in keys}
        return {
            key: kinds
            for key, kinds in served.items()
            if (self.everything or key not in self.left_out) and self._in_scope(kinds[0])
        }

    def _in_scope(self, kind: ServedResource) -> bool:
        return kind.namespaced or not self.namespaces

    def includes(self, kind: ServedResource, obj: Object) -> bool:
        """Whether an object of a chosen resource is selected; by default the server's own are not."""
        return self.everything or not _is_of_the_server(kind, obj)


def _named(served: Served, name: str) -> list[tuple[str, str]]:
    """Returns the resources with a name such as "pods", "po", "Pod" or "deployments.apps"."""
    lowered = name.lower()
    keys = [
        key
        for key, kinds in served.items()
        for kind in kinds[:1]
        if lowered in kind.names or any(f"{alias}.{kind.group}" == lowered for alias in kind.names)
    ]
    if not keys:
        raise SelectionError(f"the server has no resource {name!r} that can be listed and created")
    return keys if "." in lowered else keys[:1]


def _is_of_the_server(kind: ServedResource, obj: Object) -> bool:
    metadata = obj["metadata"]
    servers: tuple[str, ...] = _SERVERS
    if not kind.group and (kind.kind, metadata.get("name")) in _MADE_BY_CONTROLLERS:
        servers = (*servers, "kube-controller-manager")
    managers = [str(entry.get("manager")) for entry in metadata.get("managedFields") or ()]
    return bool(managers) and all(manager.startswith(servers) for manager in managers)


def is_initial_namespace(name: str) -> bool:
    """Whether every new cluster has the namespace."""
    return name in _NAMESPACES


def all_of(names: Iterable[str]) -> tuple[str, ...]:
    """Splits names at commas and removes duplicates: ("a,b", "c", "a") becomes ("a", "b", "c")."""
    parts = (part.strip() for name in names for part in name.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
