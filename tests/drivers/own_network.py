"""Runs a block of a test in a network namespace of its own, with links that a driver can find."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fakeapi.controllers.kubelet.processes.launcher import system
from tests.interop.toolchain import require

LINKS = ("dummy0", "dummy1")
_NAMESPACE = Path("/proc/thread-self/ns/net")
_TYPES = ("dummy", "ifb")
"""The types of a link without hardware, best first. Some kernels lack the first type."""


@contextmanager
def own_network() -> Iterator[None]:
    """Moves this thread into a new network namespace with LINKS for the block.

    Threads and programs that start in the block are in the same namespace. Skips the test if the user is not
    root, because only root may leave the namespace of the other threads.
    """
    require("ip")
    if os.geteuid() != 0:
        pytest.skip("only root can give a thread its own network")
    with _NAMESPACE.open("rb") as before:
        system.unshare(system.CLONE_NEWNET)
        try:
            _ip("link set lo up")
            for name in LINKS:
                _add_link(name)
            yield
        finally:
            system.setns(before.fileno())


def _add_link(name: str) -> None:
    kinds = [kind for kind in _TYPES if _ip(f"link add {name} type {kind}", check=False)]
    assert kinds, f"the kernel creates no link of the types {_TYPES}"
    _ip(f"link set {name} up")


def _ip(arguments: str, *, check: bool = True) -> bool:
    """Runs `ip`; returns whether it succeeded."""
    done = subprocess.run(["ip", *arguments.split()], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.returncode == 0
