"""Workloads and pods for the tests of controllers. The tests act as the scheduler and the kubelet."""

from collections.abc import Iterable
from typing import Any

from fakeapi import FakeAPI
from fakeapi.machinery.golang.times import now_text

LABELS = {"app": "web"}
Object = dict[str, Any]


def template(labels: dict[str, str] | None = None, **spec: Any) -> Object:
    containers = [{"name": "main", "image": "image"}]
    return {"metadata": {"labels": labels or LABELS}, "spec": {"containers": containers, **spec}}


def workload(kind: str, name: str = "web", api_version: str = "apps/v1", **spec: Any) -> Object:
    """Returns a workload whose selector matches the labels of `template()`."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": LABELS}, "template": template(), **spec},
    }


def node(name: str, **spec: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"name": name}},
        "spec": spec,
    }


def pods(api: FakeAPI) -> list[Object]:
    """Returns the pods that are not being deleted, the oldest first, after the controllers have settled."""
    api.settle()
    present = [
        pod for pod in api.list("Pod", namespace="default") if "deletionTimestamp" not in pod["metadata"]
    ]
    return sorted(present, key=lambda pod: int(pod["metadata"]["resourceVersion"]))


def names(objects: Iterable[Object]) -> list[str]:
    return sorted(obj["metadata"]["name"] for obj in objects)


def get(api: FakeAPI, kind: str, name: str = "web") -> Object:
    api.settle()
    return api.get(kind, name, namespace="default")


def status(api: FakeAPI, kind: str, name: str = "web") -> Object:
    """Waits until the controllers have settled; returns the status of a workload."""
    return dict(get(api, kind, name).get("status") or {})


def condition(obj: Object, kind: str) -> Object | None:
    conditions = obj.get("conditions") or ()
    return next((each for each in conditions if each["type"] == kind), None)


def set_phase(api: FakeAPI, pod: Object, phase: str, **status_fields: Any) -> None:
    """Writes the phase of a pod as a kubelet does. A Running pod is Ready."""
    ready = "True" if phase == "Running" else "False"
    conditions = [{"type": "Ready", "status": ready, "lastTransitionTime": now_text(api.clock.now())}]
    body = {"status": {"phase": phase, "conditions": conditions, **status_fields}}
    name = pod["metadata"]["name"]
    api.patch("Pod", name, body, namespace="default", subresource="status")


def run_all(api: FakeAPI) -> None:
    """Sets pods to Running until no controller creates another pod."""
    for _ in range(50):
        waiting = [pod for pod in pods(api) if pod["status"]["phase"] == "Pending"]
        if not waiting:
            return
        for pod in waiting:
            set_phase(api, pod, "Running")
    raise AssertionError("the controllers still create pods")


def messages(api: FakeAPI, *reasons: str) -> list[str]:
    """Returns the messages of the events with these reasons, in the order of their creation."""
    api.settle()
    events = [event for event in api.list("Event", namespace="default") if event["reason"] in reasons]
    ordered = sorted(events, key=lambda event: int(event["metadata"]["resourceVersion"]))
    return [event["message"] for event in ordered]
