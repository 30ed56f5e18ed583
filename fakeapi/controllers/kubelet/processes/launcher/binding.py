"""Mounts open files and directories at further paths."""

import os
from pathlib import Path

from fakeapi.controllers.kubelet.processes.launcher import system

PATH = os.O_PATH if hasattr(os, "O_PATH") else os.O_RDONLY
"""The flag to open a file or directory only for mounting it."""


def bind(descriptor: int, target: str, *, is_directory: bool, read_only: bool = False) -> None:
    """Mounts an open file or directory at a path; creates the path if it does not exist."""
    place = Path(target)
    if is_directory:
        place.mkdir(parents=True, exist_ok=True)
    elif not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    system.mount(f"/proc/self/fd/{descriptor}", target, flags=system.MS_BIND | system.MS_REC)
    if read_only:
        system.make_read_only(target)
    os.close(descriptor)
