"""Builds a pod's ResourceClaim for extended resources that DeviceClasses provide.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go`.
"""

from collections.abc import Iterable, Mapping

import msgspec

from fakeapi.controllers.pod_claims import owner_reference_to_pod
from fakeapi.controllers.scheduler.node_state import amount, requests_of
from fakeapi.machinery.json_types import Object

ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"
IN_MEMORY = "<extended-resources>"
"""Placeholder name of a claim for extended resources that does not exist on the server yet."""


class Wanted(msgspec.Struct, eq=False):
    """The device requests of a claim for extended resources.

    `mappings`: the requestMappings, which assign the requests to containers.
    """

    requests: list[Object]
    mappings: list[Object]


def class_names(classes: Iterable[Object]) -> dict[str, str]:
    """Returns the name of the DeviceClass for each extended resource.

    If several classes provide a resource, chooses the newest class. Among equally new classes, chooses the
    first by name.
    """
    names: dict[str, str] = {}
    by_age = sorted(classes, key=lambda device_class: str(device_class["metadata"]["name"]), reverse=True)
    for device_class in sorted(
        by_age, key=lambda device_class: str(device_class["metadata"]["creationTimestamp"])
    ):
        name = device_class["metadata"]["name"]
        names[CLASS_PREFIX + name] = name
        if device_class["spec"].get("extendedResourceName"):
            names[device_class["spec"]["extendedResourceName"]] = name
    return names


def mapped_requests(pod: Object, classes: Mapping[str, str]) -> frozenset[str]:
    """Returns the requested extended resources of a pod for which a DeviceClass exists."""
    return frozenset(name for name, value in requests_of(pod).items() if value and name in classes)


def is_for(claim: Object, pod: Object) -> bool:
    """Whether a claim is the one that the scheduler created for a pod's extended resources."""
    metadata, uid = claim["metadata"], pod["metadata"]["uid"]
    owners = metadata.get("ownerReferences") or ()
    return (metadata.get("annotations") or {}).get(ANNOTATION) == "true" and any(
        owner["uid"] == uid and owner.get("controller") for owner in owners
    )


def claim_for(pod: Object, claims: Iterable[Object], uid: str) -> Object:
    """Returns the pod's stored claim for extended resources, or a new claim that is not stored yet.

    `uid`: the uid for the new claim.
    """
    metadata = pod["metadata"]
    for claim in claims:
        if is_for(claim, pod):
            return claim
    return {
        "metadata": {
            "namespace": metadata["namespace"],
            "name": IN_MEMORY,
            "uid": uid,
            "generateName": f"{metadata['name']}-extended-resources-",
            "ownerReferences": [owner_reference_to_pod(pod)],
            "annotations": {ANNOTATION: "true"},
        },
        "spec": {},
        "status": {},
    }


def wanted(pod: Object, resources: Iterable[str], classes: Mapping[str, str]) -> Wanted:
    """Returns the device requests for a pod's extended resources, with the mappings to its containers.

    - `resources`: the names of the extended resources.
    - `classes`: the names of the DeviceClasses by extended resource.

    Init containers reuse the devices of containers that start later.
    """
    containers = [*(pod["spec"].get("initContainers") or ()), *(pod["spec"].get("containers") or ())]
    first = len(pod["spec"].get("initContainers") or ())
    result = Wanted([], [])
    for resource in sorted(resources):
        _add(result, containers, first, resource, classes[resource])
    result.requests.sort(key=lambda request: str(request["name"]))
    return result


def _add(found: Wanted, containers: list[Object], first: int, resource: str, class_name: str) -> None:
    lasting: list[Object | None] = [None] * len(containers)
    mappings: list[Object] = []
    short: list[int] = []
    for index, container in enumerate(containers):
        if index < first and container.get("restartPolicy") != "Always":
            short.append(index)
            continue
        lasting[index], own = _request(index, container, resource, class_name, [])
        mappings += own
    largest: Object | None = None
    names: set[str] = set()
    of_short: list[Object] = []
    for index in short:
        request, own = _request(index, containers[index], resource, class_name, lasting[index:])
        of_short += own
        if request is not None:
            names.add(request["name"])
            if largest is None or largest["exactly"]["count"] < request["exactly"]["count"]:
                largest = request
    if largest is not None:
        for mapping in of_short:
            if mapping["requestName"] in names:
                mapping["requestName"] = largest["name"]
        found.requests.append(largest)
    found.requests += [request for request in lasting if request is not None]
    found.mappings += [*mappings, *of_short]


def _request(
    index: int, container: Object, resource: str, class_name: str, reusable: list[Object | None]
) -> tuple[Object | None, list[Object]]:
    """Returns the new request for a container's devices of one resource, and the container's requestMappings.

    The request is None if the container requests no devices, or if the devices of `reusable` suffice.

    - `index`: the position of the container in the pod, for the name of the request.
    - `resource`: the extended resource.
    - `class_name`: the DeviceClass that provides the resource.
    - `reusable`: requests of other containers whose devices this container may reuse.
    """
    requests = (container.get("resources") or {}).get("requests") or {}
    count = int(amount(requests.get(resource, "0")))
    if not count:
        return None, []
    mappings = []
    for request in reusable:
        if request is not None:
            mappings.append(_mapping(container, resource, request["name"]))
            count -= request["exactly"]["count"]
            if count <= 0:
                return None, mappings
    name = f"container-{index}-request-{sorted(requests).index(resource)}"
    exactly = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count}
    return {"name": name, "exactly": exactly}, [*mappings, _mapping(container, resource, name)]


def _mapping(container: Object, resource: str, request: str) -> Object:
    return {"containerName": container["name"], "resourceName": resource, "requestName": request}
