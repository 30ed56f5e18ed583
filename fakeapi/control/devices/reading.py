"""Reads all objects of a resource, but decodes only some fields. Caches each object until it changes."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import msgspec

from fakeapi.cluster import Cluster
from fakeapi.control.devices import objects
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.decoded_entries import decoded_entries
from fakeapi.registry.offloading.turns import Turns
from fakeapi_storage import Entry

Kind = TypeVar("Kind", bound=objects.Fields)

RESOURCE_GROUP = "resource.k8s.io"

_DECODED: Attached[dict[str, tuple[Entry, Any]]] = Attached(dict)
"""Caches the decoded objects of a resource by storage key, each with its entry; None for invalid objects."""


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects that decide the states of devices, read at one moment."""

    nodes: list[objects.Node] = field(default_factory=list)
    slices: list[objects.Slice] = field(default_factory=list)
    taint_rules: list[objects.TaintRule] = field(default_factory=list)
    claims: list[objects.Claim] = field(default_factory=list)
    pods: list[objects.Pod] = field(default_factory=list)


async def read_objects(cluster: Cluster) -> Objects:
    """Reads the nodes, ResourceSlices, DeviceTaintRules, claims and pods of the cluster at one moment.

    Lets other tasks of the event loop run while it decodes objects.
    """
    nodes = _stored(cluster, "", "nodes")
    slices = _stored(cluster, RESOURCE_GROUP, "resourceslices")
    taint_rules = _stored(cluster, RESOURCE_GROUP, "devicetaintrules")
    claims = _stored(cluster, RESOURCE_GROUP, "resourceclaims")
    pods = _stored(cluster, "", "pods")
    return Objects(
        nodes=await _decoded(nodes, objects.Node),
        slices=await _decoded(slices, objects.Slice),
        taint_rules=await _decoded(taint_rules, objects.TaintRule),
        claims=await _decoded(claims, objects.Claim),
        pods=await _decoded(pods, objects.Pod),
    )


async def read_claims_and_pods(cluster: Cluster) -> tuple[list[objects.Claim], list[objects.Pod]]:
    """Reads the claims and pods of the cluster at one moment, like `read_objects`."""
    claims = _stored(cluster, RESOURCE_GROUP, "resourceclaims")
    pods = _stored(cluster, "", "pods")
    return await _decoded(claims, objects.Claim), await _decoded(pods, objects.Pod)


async def read_pods(cluster: Cluster) -> list[objects.Pod]:
    """Reads the pods of the cluster, like `read`."""
    return await read(cluster, "", "pods", objects.Pod)


async def read(cluster: Cluster, group: str, name: str, kind: type[Kind]) -> list[Kind]:
    """Reads all objects of a resource as values of `kind`, in the order of their keys.

    Returns [] if the server does not serve the resource. Leaves out objects that cannot be decoded as `kind`.
    Lets other tasks of the event loop run while it decodes objects.
    """
    return await _decoded(_stored(cluster, group, name), kind)


class _Stored(NamedTuple):
    """The entries of a resource at one moment. `resource`: None if the server does not serve the resource."""

    resource: Resource | None
    entries: Sequence[Entry]


def _stored(cluster: Cluster, group: str, name: str) -> _Stored:
    resource = _resource(cluster, group, name)
    return _Stored(resource, () if resource is None else cluster.storage.list(resource.prefix).entries)


async def _decoded(stored: _Stored, kind: type[Kind]) -> list[Kind]:
    """Decodes entries as values of `kind`. Takes the values of unchanged entries from the cache."""
    resource = stored.resource
    if resource is None:
        return []

    def decode(entry: Entry) -> Kind | None:
        with suppress(msgspec.ValidationError):
            return msgspec.json.decode(resource.json_of(entry.value, entry.revision), type=kind)
        return None

    cache = _DECODED.of(resource.attachments)
    decoded = await decoded_entries(stored.entries, dict(cache), decode, Turns())
    cache.clear()
    cache.update(decoded)
    return [value for _, value in decoded.values() if value is not None]


def _resource(cluster: Cluster, group: str, name: str) -> Resource | None:
    """Returns the resource in its newest served version; None if the server does not serve the resource.

    Ignores v1alpha2 of resource.k8s.io. That version has separate claims, without devices.
    """
    catalogue = cluster.catalogue
    versions: Iterable[Resource | None] = (
        catalogue.find(group, version, name) for version in catalogue.versions(group) if version != "v1alpha2"
    )
    return next((resource for resource in versions if resource is not None), None)
