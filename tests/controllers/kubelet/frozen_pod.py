"""Helpers for tests of the kubelet with a frozen clock: create a pod, read its status, advance the clock."""

from typing import Any

from fakeapi import FakeAPI


def create_pod(api: FakeAPI, **spec: Any) -> None:
    spec = {"nodeName": "node", "containers": [{"name": "c", "image": "i"}], **spec}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec})
    api.settle()


def status(api: FakeAPI) -> dict[str, Any]:
    api.settle()
    pod_status: dict[str, Any] = api.get("Pod", "pod")["status"]
    return pod_status


def advance(api: FakeAPI, seconds: float) -> None:
    api.clock.advance(seconds)
    api.settle()
