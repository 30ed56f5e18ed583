"""Distributes the endpoints of a Service over EndpointSlices.

Follows k8s.io/endpointslice `reconciler.go`: keeps endpoints in their slices, and fills existing slices
before it adds slices.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fakeapi.controllers.endpoints.addresses import (
    HEADLESS,
    families,
    hostname,
    is_headless,
    pod_addresses,
    pod_ports,
    reference_to,
    serves,
)
from fakeapi.controllers.workloads.owners import controller_reference, labels_of
from fakeapi.controllers.workloads.pod_control import generate_name
from fakeapi.controllers.workloads.pods import is_deleted, is_ready
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object

ENDPOINTS_MAX = 100
"""Maximum number of endpoints in one EndpointSlice. Further endpoints get another EndpointSlice."""
SERVICE = "kubernetes.io/service-name"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
CONTROLLER = "endpointslice-controller.k8s.io"
ZONE = "topology.kubernetes.io/zone"


class Changes(NamedTuple):
    """The EndpointSlices to create, to update and to delete."""

    create: list[Object]
    update: list[Object]
    delete: list[Object]


def changes_of(
    service: Object, pods: Iterable[Object], nodes: Mapping[str, Object], slices: Iterable[Object]
) -> Changes:
    """Returns the changes that bring the EndpointSlices of a Service up to date.

    - `pods`: the pods that the Service selects.
    - `nodes`: the nodes by name.
    - `slices`: the present EndpointSlices.
    """
    changes = Changes([], [], [])
    present, wanted = list(slices), list(pods)
    for family in families(service):
        own = [each for each in present if each["addressType"] == family]
        _plan(service, _groups(service, wanted, nodes, family), own, family, changes)
    changes.delete.extend(each for each in present if each["addressType"] not in families(service))
    return changes


_Group = tuple[list[Object], list[Object]]
"""A pair: ports, and the endpoints with these ports."""


def _groups(
    service: Object, pods: list[Object], nodes: Mapping[str, Object], family: str
) -> dict[bytes, _Group]:
    """Returns the endpoints of one address family, grouped by their ports."""
    groups: dict[bytes, _Group] = {}
    for pod in pods:
        addresses = pod_addresses(pod, family)
        if not addresses or not serves(pod, while_deleted=True):
            continue
        ports = pod_ports(service, pod)
        group = groups.setdefault(codec.encode(ports), (ports, []))
        group[1].append(_endpoint(service, pod, nodes, addresses))
    return groups


def _endpoint(service: Object, pod: Object, nodes: Mapping[str, Object], addresses: list[str]) -> Object:
    serving, terminating = is_ready(pod), is_deleted(pod)
    ready = bool(service["spec"].get("publishNotReadyAddresses")) or (serving and not terminating)
    endpoint: Object = {
        "addresses": addresses,
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
        "targetRef": reference_to(pod),
    }
    node = pod["spec"].get("nodeName")
    if node:
        endpoint["nodeName"] = node
        zone = labels_of(nodes[node]).get(ZONE) if node in nodes else None
        if zone:
            endpoint["zone"] = zone
    name = hostname(service, pod)
    return {**endpoint, "hostname": name} if name else endpoint


def _plan(
    service: Object, groups: dict[bytes, _Group], slices: list[Object], family: str, changes: Changes
) -> None:
    """Adds the changes of one address family to `changes`."""
    labels = _labels(service)
    groups = groups or {b"": ([], [])}
    for ports, endpoints in groups.values():
        waiting = {endpoint["targetRef"]["uid"]: endpoint for endpoint in endpoints}
        own = [each for each in slices if (each.get("ports") or []) == ports]
        slices = [each for each in slices if each not in own]
        kept = [
            [
                waiting.pop(each["targetRef"]["uid"])
                for each in old.get("endpoints") or ()
                if (each.get("targetRef") or {}).get("uid") in waiting
            ]
            for old in own
        ]
        left = list(waiting.values())
        for content in kept:
            space = ENDPOINTS_MAX - len(content) if content or not any(kept) else 0
            content.extend(left[:space])
            left = left[space:]
        is_empty = not endpoints
        for old, content in zip(own, kept, strict=True):
            if not content and not (is_empty and old is own[0]):
                changes.delete.append(old)
            elif content != (old.get("endpoints") or []) or labels_of(old) != labels:
                metadata = {**old["metadata"], "labels": labels}
                changes.update.append({**old, "metadata": metadata, "endpoints": content})
        while left or (is_empty and not own):
            changes.create.append(_new_slice(service, labels, family, ports, left[:ENDPOINTS_MAX]))
            left = left[ENDPOINTS_MAX:]
            is_empty = False
    changes.delete.extend(slices)


def _labels(service: Object) -> dict[str, str]:
    reserved = (SERVICE, MANAGED_BY, HEADLESS)
    labels = {key: value for key, value in labels_of(service).items() if key not in reserved}
    if is_headless(service):
        labels[HEADLESS] = ""
    return {**labels, SERVICE: service["metadata"]["name"], MANAGED_BY: CONTROLLER}


def _new_slice(
    service: Object, labels: dict[str, str], family: str, ports: list[Object], endpoints: list[Object]
) -> Object:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": generate_name(service),
            "namespace": service["metadata"]["namespace"],
            "labels": labels,
            "ownerReferences": [controller_reference(service)],
        },
        "addressType": family,
        "ports": ports,
        "endpoints": endpoints,
    }
