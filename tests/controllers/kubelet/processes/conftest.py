"""Fixtures for containers that run as processes."""

import asyncio
import os
from functools import cache
from pathlib import Path

import pytest

from fakeapi.controllers.kubelet.processes.isolation import Isolation, available_isolation
from tests.controllers.kubelet.processes.running import Images


@cache
def is_available(kind: Isolation) -> bool:
    """Whether this machine can isolate containers with this kind of isolation."""
    if kind == "none":
        return True
    if kind == "root" and os.geteuid() != 0:
        return False
    available, _ = asyncio.run(available_isolation(is_root=kind == "root"))
    return available == kind


@pytest.fixture(params=["root", "user", "none"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    kind: Isolation = request.param
    if not is_available(kind):
        pytest.skip("this system does not isolate processes in this way")
    return kind


@pytest.fixture
def images(isolation: Isolation, tmp_path: Path) -> Images:
    return Images(tmp_path, isolation)


@pytest.fixture(params=["root", "user"])
def isolated_images(request: pytest.FixtureRequest, tmp_path: Path) -> Images:
    kind: Isolation = request.param
    if not is_available(kind):
        pytest.skip("this system does not isolate processes in this way")
    return Images(tmp_path, kind)


@pytest.fixture
def isolates() -> None:
    """Skips the test if containers have no namespaces of their own, as in a container without privileges."""
    if not is_available("root") and not is_available("user"):
        pytest.skip("this system does not isolate processes in this way")
