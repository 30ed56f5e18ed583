"""Bodies of objects that tests of admission write, and what is said against them."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.client import StatusError
from fakeapi.testing.server import FakeAPI

Object = dict[str, Any]


def body(kind: str, name: str, api_version: str = "v1", **parts: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}


def pod(name: str = "a", annotations: Object | None = None, **spec: Any) -> Object:
    spec.setdefault("containers", [{"name": "c", "image": "x"}])
    made = body("Pod", name, spec=spec)
    if annotations:
        made["metadata"]["annotations"] = annotations
    return made


def refusal(write: Callable[[], Any]) -> StatusError:
    """What a write is refused with."""
    with pytest.raises(StatusError) as caught:
        write()
    return caught.value


def annotate_namespace(api: FakeAPI, annotations: Object, name: str = "default") -> None:
    api.patch("Namespace", name, {"metadata": {"annotations": annotations}})
