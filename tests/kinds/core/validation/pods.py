"""Canonical, defaulted pods of every release, and changes of them by path."""

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
    """A pod with these fields of its spec beside those that every pod has."""
    return {
        "metadata": {"name": "a", "namespace": "default", "creationTimestamp": None, **metadata},
        "spec": copy.deepcopy(POD_SPEC) | (spec or {}),
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    }


def template(spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    made = pod(spec)
    return {"metadata": {"creationTimestamp": None, **metadata}, "spec": made["spec"]}


def with_container(**fields: Any) -> dict[str, Any]:
    """The spec of a pod whose container has these fields too."""
    return {"containers": [CONTAINER | fields]}


def changed(obj: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of the object with the value at a path such as `spec.containers.0.image`."""
    made = copy.deepcopy(obj)
    *way, last = path.split(".")
    place: Any = made
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[last] = value
    return made
