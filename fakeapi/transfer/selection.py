"""Selects the objects that an export or import reads from a server."""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.clients.served_resource import ServedResource
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.served import Served

EVENTS = frozenset({("", "events"), ("events.k8s.io", "events")})
"""The resources of events. Exports omit them by default, because events are history and not state."""

OF_A_CLUSTER = EVENTS | {
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("apiregistration.k8s.io", "apiservices"),
    ("certificates.k8s.io", "certificatesigningrequests"),
    ("coordination.k8s.io", "leases"),
}
"""Resources that an import from a cluster omits by default.

Webhooks and aggregated APIs have addresses that exist only in the cluster. The objects of the other resources
are short-lived.
"""

_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_SERVERS = ("kube-apiserver", "api-priority-and-fairness-config-")
"""Prefixes of the field managers of objects that a kube-apiserver creates itself."""

_MADE_BY_CONTROLLERS = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})


class SelectionError(ValueError):
    """Raised if a selected resource or namespace does not exist on the server. The message is one line."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The choice of objects by namespace, resource and label.

    - `namespaces`: the namespaces to read; empty for all. If it is not empty, cluster-scoped resources are
      read only if `resources` names them.
    - `resources`: names that kubectl accepts, such as "po" and "deployments.apps"; empty for all.
    - `labels`: a label selector; "" for all objects.
    - `everything`: whether to also read the resources in `left_out`, and the objects that every server
      creates itself.
    - `left_out`: the resources, as group and plural, to omit if `resources` is empty.
    """

    namespaces: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    labels: str = ""
    everything: bool = False
    left_out: frozenset[tuple[str, str]] = EVENTS

    def chosen(self, served: Served) -> Served:
        """Returns the selected resources of a server.

        `served`: all resources of the server. Raises SelectionError if a selected resource is unknown.
        """
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
        """Whether to read an object of a selected resource.

        Skips objects that every server creates itself, unless the option `everything` is set.
        """
        return self.everything or not _is_of_the_server(kind, obj)


def _named(served: Served, name: str) -> list[tuple[str, str]]:
    """Returns the group and plural of the resources with a name that kubectl accepts.

    Names are, for example, "pods", "po", "Pod" and "deployments.apps". Returns only the first resource for a
    name without a group. Raises SelectionError for an unknown name.
    """
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
    """Whether every new cluster has a namespace with this name."""
    return name in _NAMESPACES


def all_of(names: Iterable[str]) -> tuple[str, ...]:
    """Splits names at commas and removes duplicates: ("a,b", "c", "a") becomes ("a", "b", "c")."""
    parts = (part.strip() for name in names for part in name.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
