"""Extended resources backed by DeviceClasses: the ResourceClaim for those that a pod requests.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fakeapi.controllers.pod_claims import owner_reference_to_pod
from fakeapi.controllers.scheduler.node_state import amount, requests_of
from fakeapi.machinery.json_types import Object

ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"
IN_MEMORY = "<extended-resources>"
"""Placeholder name of a claim that has not been created yet."""


@dataclass(eq=False, slots=True)
class Wanted:
    """Device requests of a claim for extended resources, and the requestMappings to containers."""

    requests: list[Object]
    mappings: list[Object]


def class_names(classes: Iterable[Object]) -> dict[str, str]:
    """Names of DeviceClasses by the extended resource that they back.

    If there are several, the newest wins, then the first by name.
    """
    found: dict[str, str] = {}
    by_age = sorted(classes, key=lambda each: str(each["metadata"]["name"]), reverse=True)
    for each in sorted(by_age, key=lambda each: str(each["metadata"]["creationTimestamp"])):
        name = each["metadata"]["name"]
        found[CLASS_PREFIX + name] = name
        if each["spec"].get("extendedResourceName"):
            found[each["spec"]["extendedResourceName"]] = name
    return found


def mapped_requests(pod: Object, classes: Mapping[str, str]) -> frozenset[str]:
    """The resources that a pod requests and that DeviceClasses back."""
    return frozenset(name for name, value in requests_of(pod).items() if value and name in classes)


def claim_for(pod: Object, claims: Iterable[Object], uid: str) -> Object:
    """The pod's claim for extended resources; if there is none, one in memory that can be created."""
    metadata = pod["metadata"]
    for claim in claims:
        own = claim["metadata"]
        owners = own.get("ownerReferences") or ()
        if (own.get("annotations") or {}).get(ANNOTATION) == "true" and any(
            each["uid"] == metadata["uid"] and each.get("controller") for each in owners
        ):
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
    """The device requests for some resources. Init containers reuse devices of the containers after them."""
    containers = [*(pod["spec"].get("initContainers") or ()), *(pod["spec"].get("containers") or ())]
    first = len(pod["spec"].get("initContainers") or ())
    found = Wanted([], [])
    for resource in sorted(resources):
        _add(found, containers, first, resource, classes[resource])
    found.requests.sort(key=lambda each: str(each["name"]))
    return found


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
        for each in of_short:
            if each["requestName"] in names:
                each["requestName"] = largest["name"]
        found.requests.append(largest)
    found.requests += [each for each in lasting if each is not None]
    found.mappings += [*mappings, *of_short]


def _request(
    index: int, container: Object, resource: str, class_name: str, reusable: list[Object | None]
) -> tuple[Object | None, list[Object]]:
    """The request for devices that a container cannot reuse from others, and all requests that serve it."""
    asked = (container.get("resources") or {}).get("requests") or {}
    count = int(amount(asked.get(resource, "0")))
    if not count:
        return None, []
    mappings = []
    for request in reusable:
        if request is not None:
            mappings.append(_mapping(container, resource, request["name"]))
            count -= request["exactly"]["count"]
            if count <= 0:
                return None, mappings
    name = f"container-{index}-request-{sorted(asked).index(resource)}"
    exactly = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count}
    return {"name": name, "exactly": exactly}, [*mappings, _mapping(container, resource, name)]


def _mapping(container: Object, resource: str, request: str) -> Object:
    return {"containerName": container["name"], "resourceName": resource, "requestName": request}
