"""Builds pods in which the server's defaults are set; copies objects with one field changed."""

import copy
from typing import Any

CONTAINER: dict[str, Any] = {
    "name": "main",
    "image": "example.com/app:1",
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
}
POD_SPEC: dict[str, Any] = {
    "containers": [CONTAINER],
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}


def pod(spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """Returns a pod as a server stores it, with status Pending.

    `spec`: fields to add to the pod's spec. `metadata`: fields to add to the pod's metadata.
    """
    return {
        "metadata": {"name": "a", "namespace": "default", "creationTimestamp": None, **metadata},
        "spec": copy.deepcopy(POD_SPEC) | (spec or {}),
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    }


def template(spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    obj = pod(spec)
    return {"metadata": {"creationTimestamp": None, **metadata}, "spec": obj["spec"]}


def with_container(**fields: Any) -> dict[str, Any]:
    """Returns the spec field `containers` with one container, in which the server's defaults are set.

    `fields`: fields to add to the container, or new values of fields.
    """
    return {"containers": [CONTAINER | fields]}


def changed(obj: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Returns a copy of an object with `value` at a field path such as `spec.containers.0.image`."""
    new = copy.deepcopy(obj)
    *way, last = path.split(".")
    place: Any = new
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[last] = value
    return new
