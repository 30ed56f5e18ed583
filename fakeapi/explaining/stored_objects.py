"""Reads the objects to explain from the storage of this server, without requests."""

import asyncio
from collections.abc import Iterable, Sequence

from fakeapi.cluster import Cluster
from fakeapi.controllers.served import find_resource
from fakeapi.explaining.cluster_objects import KINDS, ClusterObjects, event_targets, is_about
from fakeapi.explaining.model import Reference
from fakeapi.explaining.refused_writes import refused_writes
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource
from fakeapi.releases.rules import rules_of

OBJECTS_A_TURN = 50
"""Number of objects to decode before other tasks of the event loop run. Decoding these objects takes about 2
ms.
"""

EVENTS_MAX = 100
"""Maximum number of events about the explained object; older events are ignored."""


async def objects_of(
    cluster: Cluster,
    target: Reference,
    controllers: Iterable[str],
    drivers: dict[str, frozenset[str]] | None = None,
) -> ClusterObjects:
    """Returns the objects of a running server, read at nearly the same moment.

    - `target`: the object to explain. The result has the events and the refused writes of this object.
    - `controllers`: the names of the server's running controllers.
    - `drivers`: by node, the DRA drivers that are registered with the server's kubelet.
    """
    objects: dict[str, list[Object]] = {}
    for plural, (group, _) in KINDS.items():
        resource = find_resource(cluster.catalogue, group, plural)
        if resource is not None:
            objects[plural] = await _stored(cluster, resource, resource.prefix)
    refused = refused_writes(cluster.journal, target)
    return ClusterObjects(
        rules_of(cluster.catalogue.primary),
        objects,
        cluster.clock.now(),
        events=await _events(cluster, event_targets(objects, target)),
        controllers=frozenset(controllers),
        drivers=drivers or {},
        refused=refused,
        policies=await _policies(cluster) if refused else {},
        contents=await _contents(cluster, target.name) if target.kind == "Namespace" else (),
    )


async def _contents(cluster: Cluster, namespace: str) -> list[Object]:
    """Returns the objects in a namespace of all resources that are not in KINDS."""
    return [
        obj
        for resource in cluster.inventory.resources(namespace)
        if resource.kind.resource not in KINDS
        for obj in await _stored(cluster, resource, f"{resource.prefix}{namespace}/")
    ]


async def _stored(cluster: Cluster, resource: Resource, prefix: str) -> list[Object]:
    """Returns the stored objects of a resource in the internal version. `prefix`: the start of the storage
    keys.
    """
    objects = []
    for number, entry in enumerate(cluster.storage.list(prefix).entries, 1):
        objects.append(resource.decode(entry))
        if number % OBJECTS_A_TURN == 0:
            await asyncio.sleep(0)
    return objects


async def _policies(cluster: Cluster) -> dict[str, Object]:
    """Returns the ValidatingAdmissionPolicies by name."""
    resource = find_resource(cluster.catalogue, "admissionregistration.k8s.io", "validatingadmissionpolicies")
    policies = [] if resource is None else await _stored(cluster, resource, resource.prefix)
    return {policy["metadata"]["name"]: policy for policy in policies}


async def _events(cluster: Cluster, targets: Sequence[Reference]) -> list[Object]:
    resource = find_resource(cluster.catalogue, "", "events")
    if resource is None:
        return []
    namespace = targets[0].namespace or "default"
    events = await _stored(cluster, resource, f"{resource.prefix}{namespace}/")
    own = [event for event in events if any(is_about(event, one) for one in targets)]
    return sorted(own, key=time_of)[-EVENTS_MAX:]


def time_of(event: Object) -> str:
    """Returns the time when an event last happened, as RFC 3339."""
    series = event.get("series") or {}
    last = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return str(last or event["metadata"].get("creationTimestamp", ""))
