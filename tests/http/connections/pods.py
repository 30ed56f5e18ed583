"""Pods for tests of logs, exec and forwarded ports."""

from typing import Any

from fakeapi import FakeAPI
from tests.http.websocket_client import Client

POD = "/api/v1/namespaces/default/pods/pod"


def create_pod(api: FakeAPI, **container: Any) -> None:
    spec = {"nodeName": "node", "containers": [{"name": "c", "image": "i", **container}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec})
    api.settle()


def message_of(session: Client) -> bytes:
    data: bytes = session.next().data  # type: ignore[attr-defined] # a BytesMessage
    return bytes(data)
