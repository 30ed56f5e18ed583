"""Builds objects for the admission tests, and catches the errors of refused writes."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI

Object = dict[str, Any]


def body(kind: str, name: str, api_version: str = "v1", **parts: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}


def pod(name: str = "a", annotations: Object | None = None, **spec: Any) -> Object:
    spec.setdefault("containers", [{"name": "c", "image": "x"}])
    obj = body("Pod", name, spec=spec)
    if annotations:
        obj["metadata"]["annotations"] = annotations
    return obj


def refusal(write: Callable[[], Any]) -> StatusError:
    """Calls `write` and returns the StatusError that it raises."""
    with pytest.raises(StatusError) as caught:
        write()
    return caught.value


def annotate_namespace(api: FakeAPI, annotations: Object, name: str = "default") -> None:
    api.patch("Namespace", name, {"metadata": {"annotations": annotations}})
