"""Selection: which objects are read."""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.machinery.json_types import Object
from fakeapi.transfer.kinds import Served, ServedKind

EVENTS = frozenset({("", "events"), ("events.k8s.io", "events")})
"""Left out of every export: they tell what happened, and are not state."""

OF_A_CLUSTER = EVENTS | {
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("apiregistration.k8s.io", "apiservices"),
    ("certificates.k8s.io", "certificatesigningrequests"),
    ("coordination.k8s.io", "leases"),
}
"""Left out of what is read from a cluster: webhooks and aggregated APIs are asked at addresses that exist in
the cluster alone, and the others change all the time.
"""

_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_SERVERS = ("kube-apiserver", "api-priority-and-fairness-config-")
"""Prefixes of the field managers by which a server creates objects of its own."""

_MADE_BY_CONTROLLERS = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})


class SelectionError(ValueError):
    """A selection that fits no resource; one line for the user."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects: of `namespaces`, all if empty; of `resources` as kubectl takes them; with `labels`.

    With namespaces, resources of the cluster's scope are only read where they are named, but for the
    namespaces themselves. Where no resources are named, `left_out` are not read. `everything`: what every
    server makes by itself is read too.
    """

    namespaces: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    labels: str = ""
    everything: bool = False
    left_out: frozenset[tuple[str, str]] = EVENTS

    def chosen(self, served: Served) -> Served:
        """The resources to read. Raises SelectionError for a name that no resource has."""
        if self.resources:
            named = [_named(served, each) for each in self.resources]
            return {key: served[key] for keys in named for key in keys}
        return {
            key: kinds
            for key, kinds in served.items()
            if (self.everything or key not in self.left_out) and self._in_scope(kinds[0])
        }

    def _in_scope(self, kind: ServedKind) -> bool:
        return kind.namespaced or not self.namespaces

    def includes(self, kind: ServedKind, obj: Object) -> bool:
        """Whether an object of a chosen resource is one that somebody made."""
        return self.everything or not _is_of_the_server(kind, obj)


def _named(served: Served, name: str) -> list[tuple[str, str]]:
    """The resources of a name such as "pods", "po", "Pod" or "deployments.apps"."""
    lowered = name.lower()
    found = [
        key
        for key, kinds in served.items()
        for each in kinds[:1]
        if lowered in each.names or any(f"{alias}.{each.group}" == lowered for alias in each.names)
    ]
    if not found:
        raise SelectionError(f"the server has no resource {name!r} that can be listed and created")
    return found if "." in lowered else found[:1]


def _is_of_the_server(kind: ServedKind, obj: Object) -> bool:
    metadata = obj["metadata"]
    servers: tuple[str, ...] = _SERVERS
    if not kind.group and (kind.kind, metadata.get("name")) in _MADE_BY_CONTROLLERS:
        servers = (*servers, "kube-controller-manager")
    managers = [str(each.get("manager")) for each in metadata.get("managedFields") or ()]
    return bool(managers) and all(each.startswith(servers) for each in managers)


def is_initial_namespace(name: str) -> bool:
    """Whether every new cluster has the namespace."""
    return name in _NAMESPACES


def all_of(names: Iterable[str]) -> tuple[str, ...]:
    """Names of options that may be repeated or separated by commas: ("a,b", "c", "a") is ("a", "b", "c")."""
    parts = (part.strip() for name in names for part in name.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
