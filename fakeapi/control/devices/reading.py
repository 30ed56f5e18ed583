"""Reads all objects of a resource, but decodes only some fields. Caches each object until it changes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from fakeapi.cluster import Cluster
from fakeapi.control.devices import objects
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.resource import Resource
from fakeapi_storage import Entry

Kind = TypeVar("Kind", bound=objects.Fields)

RESOURCE_GROUP = "resource.k8s.io"

_DECODED: Attached[dict[str, tuple[Entry, Any]]] = Attached(dict)
"""Caches the decoded objects of a resource by storage key, each with its entry."""


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects that decide the states of devices, read at one moment."""

    nodes: list[objects.Node] = field(default_factory=list)
    slices: list[objects.Slice] = field(default_factory=list)
    taint_rules: list[objects.TaintRule] = field(default_factory=list)
    claims: list[objects.Claim] = field(default_factory=list)
    pods: list[objects.Pod] = field(default_factory=list)


def read_objects(cluster: Cluster) -> Objects:
    """Reads the nodes, ResourceSlices, DeviceTaintRules, claims and pods of the cluster."""
    return Objects(
        nodes=read(cluster, "", "nodes", objects.Node),
        slices=read(cluster, RESOURCE_GROUP, "resourceslices", objects.Slice),
        taint_rules=read(cluster, RESOURCE_GROUP, "devicetaintrules", objects.TaintRule),
        claims=read_claims(cluster),
        pods=read_pods(cluster),
    )


def read_claims(cluster: Cluster) -> list[objects.Claim]:
    return read(cluster, RESOURCE_GROUP, "resourceclaims", objects.Claim)


def read_pods(cluster: Cluster) -> list[objects.Pod]:
    return read(cluster, "", "pods", objects.Pod)


def read(cluster: Cluster, group: str, name: str, kind: type[Kind]) -> list[Kind]:
    """Reads all objects of a resource as values of `kind`, in the order of their keys.

    Returns [] if the server does not serve the resource. Leaves out objects that cannot be decoded as `kind`.
    """
    resource = _resource(cluster, group, name)
    if resource is None:
        return []
    known = _DECODED.of(resource.attachments)
    entries = cluster.storage.list(resource.prefix).entries
    decoded: dict[str, tuple[Entry, Any]] = {}
    for entry in entries:
        before = known.get(entry.key)
        if before is not None and (before[0] is entry or before[0] == entry):
            decoded[entry.key] = before
            continue
        try:
            value = msgspec.json.decode(resource.json_of(entry.value, entry.revision), type=kind)
        except msgspec.ValidationError:
            continue
        decoded[entry.key] = entry, value
    known.clear()
    known.update(decoded)
    return [value for _, value in decoded.values()]


def _resource(cluster: Cluster, group: str, name: str) -> Resource | None:
    """Returns the resource in its newest served version; None if the server does not serve the resource.

    Ignores v1alpha2 of resource.k8s.io. That version has separate claims, without devices.
    """
    catalogue = cluster.catalogue
    versions: Iterable[Resource | None] = (
        catalogue.find(group, version, name) for version in catalogue.versions(group) if version != "v1alpha2"
    )
    return next((resource for resource in versions if resource is not None), None)
