"""Creates programs for containers, and waits for their output."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakeapi import FakeAPI

PYTHON = str(Path(sys.executable).resolve())
"""The Python interpreter for programs in containers.

This is not the interpreter of the virtual environment. The checkout may be below /tmp, and a container has
its own /tmp.
"""

SECONDS = 20.0


def script(image: Path, text: str) -> None:
    path = image / "driver"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def pod(name: str = "driver", *, volumes: Any = (), mounts: Any = (), **spec: Any) -> dict[str, Any]:
    """Returns a pod whose container sees the node's directory at /var/lib/kubelet/shared."""
    directory = "/var/lib/kubelet/shared"
    shared = {"name": "shared", "hostPath": {"path": directory}}
    container = {
        "name": "driver",
        "image": "example.com/driver:v1",
        "command": ["driver"],
        "volumeMounts": [{"name": "shared", "mountPath": directory}, *mounts],
        **spec.pop("container", {}),
    }
    body = {"containers": [container], "volumes": [shared, *volumes], "terminationGracePeriodSeconds": 2}
    metadata = {"name": name, "namespace": "default", **spec.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**body, **spec}}


def await_true(condition: Callable[[], Any]) -> Any:
    """Waits until a condition returns a true value, and returns the value."""
    pause = threading.Event()
    for _ in range(int(SECONDS / 0.02)):
        value = condition()
        if value:
            return value
        pause.wait(0.02)
    raise AssertionError("the condition did not become true")


def output(api: FakeAPI, name: str = "out") -> str:
    """Waits until a program has written a file; returns the text of the file."""
    path = api.node().directory / "shared" / name
    await_true(path.exists)
    return path.read_text(encoding="utf-8")


def write(text: str) -> str:
    """Returns a shell script that writes the output of a command into the node's directory, atomically."""
    shared = "/var/lib/kubelet/shared"
    return f"( {text} ) > {shared}/.out 2>&1; mv {shared}/.out {shared}/out; sleep 1000"
