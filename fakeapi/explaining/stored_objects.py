"""Reads the objects to explain from the storage of this server, without requests."""

from collections.abc import Iterable, Mapping, Sequence

from fakeapi.cluster import Cluster
from fakeapi.controllers.served import find_resource
from fakeapi.explaining.cluster_objects import KINDS, ClusterObjects, event_targets, is_about
from fakeapi.explaining.exceeded_quota import names_quota
from fakeapi.explaining.kept_objects import KEPT, decode_all
from fakeapi.explaining.model import Reference
from fakeapi.explaining.refused_writes import refused_writes
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.turns import Turns

EVENTS_MAX = 100
"""Maximum number of events about the explained object; older events are ignored."""


async def objects_of(
    cluster: Cluster,
    target: Reference,
    controllers: Iterable[str],
    drivers: dict[str, frozenset[str]] | None = None,
    retries: Mapping[str, float] | None = None,
) -> ClusterObjects:
    """Returns the objects of a running server, read at nearly the same moment.

    - `target`: the object to explain. The result has the events and the refused writes of this object.
    - `controllers`: the names of the server's running controllers.
    - `drivers`: by node, the DRA drivers that are registered with the server's kubelet.
    - `retries`: by controller, the seconds until it tries the object again.
    """
    pods = find_resource(cluster.catalogue, "", "pods")
    assert pods is not None, "every release serves pods"
    kept = KEPT.of(pods.attachments)
    read = await kept.read(cluster)
    turns = Turns()
    await turns.give_turn()
    refused = refused_writes(cluster.journal, target)
    await turns.give_turn_if_over()
    events = await _events(cluster, event_targets(read.objects, target))
    objects = read.about(
        now=cluster.clock.now(),
        events=events,
        quotas=await _quotas(cluster, target.namespace) if names_quota(events) else None,
        retries=retries or {},
        controllers=frozenset(controllers),
        drivers=drivers or {},
        misbehaving=_misbehaving(cluster),
        refused=refused,
        policies=await _policies(cluster) if refused else {},
        contents=await _contents(cluster, target.name) if target.kind == "Namespace" else (),
    )
    kept.replace(read, objects)
    return objects


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
    return await decode_all(resource, cluster.storage.list(prefix).entries)


async def _policies(cluster: Cluster) -> dict[str, Object]:
    """Returns the ValidatingAdmissionPolicies by name."""
    resource = find_resource(cluster.catalogue, "admissionregistration.k8s.io", "validatingadmissionpolicies")
    policies = [] if resource is None else await _stored(cluster, resource, resource.prefix)
    return {policy["metadata"]["name"]: policy for policy in policies}


def _misbehaving(cluster: Cluster) -> frozenset[str]:
    """Returns the names of the simulated drivers whose calls to prepare do not simply succeed."""
    drivers = cluster.drivers.by_name
    return frozenset(name for name, driver in drivers.items() if "prepare" in driver.behaviours)


async def _quotas(cluster: Cluster, namespace: str) -> dict[str, Object] | None:
    """Returns the ResourceQuotas of a namespace by name; None if the server does not serve the resource."""
    resource = find_resource(cluster.catalogue, "", "resourcequotas")
    if resource is None:
        return None
    quotas = await _stored(cluster, resource, f"{resource.prefix}{namespace}/")
    return {quota["metadata"]["name"]: quota for quota in quotas}


async def _events(cluster: Cluster, targets: Sequence[Reference]) -> list[Object]:
    resource = find_resource(cluster.catalogue, "", "events")
    if resource is None:
        return []
    namespace = targets[0].namespace or "default"
    entries = cluster.storage.list(f"{resource.prefix}{namespace}/").entries
    names = {one.name.encode() for one in targets}
    events = await decode_all(resource, (each for each in entries if any(one in each.value for one in names)))
    own = [event for event in events if any(is_about(event, one) for one in targets)]
    return sorted(own, key=time_of)[-EVENTS_MAX:]


def time_of(event: Object) -> str:
    """Returns the time when an event last happened, as RFC 3339."""
    series = event.get("series") or {}
    last = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return str(last or event["metadata"].get("creationTimestamp", ""))
