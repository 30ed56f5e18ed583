"""Crashing pods, deleted pods with a finalizer, and workloads, for the tests of the view Pending."""

from typing import Any

from fakeapi import FakeAPI
from tests.control.page_objects import new_pod

LABELS = {"app": "a"}
TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": LABELS},
    "spec": {"containers": [{"name": "a", "image": "a"}]},
}
CRASH = "container a: CrashLoopBackOff, exit code 3, 2 restarts: cannot open /dev/accel0"


def crash(api: FakeAPI, name: str, restarts: int = 2, message: str = "cannot open /dev/accel0") -> None:
    """Creates a pod with a container that waits in CrashLoopBackOff."""
    pod = api.create(new_pod(name))
    times = {"startedAt": "2030-01-01T00:00:00Z", "finishedAt": "2030-01-01T00:00:01Z"}
    container = {
        "name": "a",
        "image": "a",
        "imageID": "",
        "ready": False,
        "restartCount": restarts,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 3, "reason": "Error", "message": message, **times}},
    }
    api.update_status({**pod, "status": {"phase": "Running", "containerStatuses": [container]}})


def keep(api: FakeAPI, name: str, phase: str) -> None:
    """Creates a pod with a finalizer, and deletes the pod."""
    pod = new_pod(name)
    created = api.create({**pod, "metadata": {"name": name, "finalizers": ["example.com/keep"]}})
    api.update_status({**created, "status": {"phase": phase}})
    api.delete("Pod", name)


def workload(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    group = "batch/v1" if kind == "Job" else "apps/v1"
    selector = {} if kind == "Job" else {"selector": {"matchLabels": LABELS}}
    template = TEMPLATE
    if kind == "Job":
        template = {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
    whole = {"template": template, **selector, **spec}
    return {"apiVersion": group, "kind": kind, "metadata": {"name": name}, "spec": whole}
