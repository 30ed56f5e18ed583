"""The control API lists the namespaces that are being deleted, with what they wait for."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient


def hold(api: FakeAPI, namespace: str) -> None:
    """Creates a namespace with an object that has a finalizer, and deletes the namespace."""
    api.create_namespace(namespace)
    metadata = {"name": "keep", "namespace": namespace, "finalizers": ["example.com/keep"]}
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    api.delete("Namespace", namespace)


def terminating(api: FakeAPI) -> dict[str, Any]:
    with ControlClient(api.url) as client:
        answer: dict[str, Any] = client.get("/terminating")
        return answer


def test_a_terminating_namespace_has_the_messages_of_its_conditions_as_reason() -> None:
    with FakeAPI(release="1.36", controllers="namespace") as api:
        hold(api, "old")
        api.settle()
        (namespace,) = terminating(api)["namespaces"]
        assert namespace["name"] == "old"
        assert "configmaps. has 1 resource instances" in namespace["reason"]
        assert "example.com/keep in 1 resource instances" in namespace["reason"]
        assert namespace["deleted"] == api.get("Namespace", "old")["metadata"]["deletionTimestamp"]


def test_a_terminating_namespace_without_conditions_has_its_finalizers_as_reason() -> None:
    with FakeAPI(release="1.36") as api:
        api.create_namespace("active")
        api.create_namespace("old")
        api.delete("Namespace", "old")
        assert [(each["name"], each["reason"]) for each in terminating(api)["namespaces"]] == [
            ("old", "waits for finalizer kubernetes")
        ]


def test_the_namespaces_that_wait_longest_come_first_and_the_others_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.terminating.NAMESPACES_MAX", 1)
    with FakeAPI(release="1.36", frozen_at="2030-01-01T00:00:00Z") as api:
        for name in ("b", "a"):
            api.create_namespace(name)
            api.delete("Namespace", name)
            api.clock.advance(60)
        answer = terminating(api)
        assert ([each["name"] for each in answer["namespaces"]], answer["total"]) == (["b"], 2)
