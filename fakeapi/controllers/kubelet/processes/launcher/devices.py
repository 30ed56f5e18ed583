"""Mounts /dev of a container: this machine's devices, or null, zero and similar devices."""

import os
from pathlib import Path
from typing import Any

from fakeapi.controllers.kubelet.processes.launcher import system
from fakeapi.controllers.kubelet.processes.launcher.binding import PATH, bind

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
          "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"}  # fmt: skip


def mount_devices(directory: str, spec: dict[str, Any]) -> None:
    """Mounts the devices that the container may see. `directory`: the path of /dev in the new root."""
    if not spec["host_devices"]:
        _minimal_devices(directory)
    elif _adds_devices(spec):
        _copied_devices(directory)
    else:
        system.mount("/dev", directory, flags=system.MS_BIND | system.MS_REC)


def _adds_devices(spec: dict[str, Any]) -> bool:
    """Whether the container has a mount or a device at a path in /dev that this machine does not have."""
    targets = [each["target"] for each in spec["mounts"]] + [each["path"] for each in spec["devices"]]
    return any(path.startswith("/dev/") and not os.path.lexists(path) for path in targets)


def _copied_devices(directory: str) -> None:
    """Mounts each entry of this machine's /dev in a new directory, where further entries can be created."""
    system.mount("tmpfs", directory, "tmpfs", system.MS_NOSUID, "size=65536k,mode=0755")
    with os.scandir("/dev") as entries:
        for entry in entries:
            if entry.is_symlink():
                Path(directory, entry.name).symlink_to(Path(entry.path).readlink())
            else:
                opened = os.open(entry.path, PATH | os.O_NOFOLLOW)
                bind(opened, f"{directory}/{entry.name}", is_directory=entry.is_dir())


def _minimal_devices(directory: str) -> None:
    system.mount("tmpfs", directory, "tmpfs", system.MS_NOSUID, "size=65536k,mode=0755")
    for name in _DEVICES:
        Path(directory, name).touch()
        system.mount(f"/dev/{name}", f"{directory}/{name}", flags=system.MS_BIND)
    for name, target in _LINKS.items():
        Path(directory, name).symlink_to(target)
    for name in ("pts", "shm"):
        Path(directory, name).mkdir()
    system.mount(
        "devpts", f"{directory}/pts", "devpts", system.MS_NOSUID, "newinstance,ptmxmode=0666,mode=0620"
    )
    system.mount(
        "tmpfs", f"{directory}/shm", "tmpfs", system.MS_NOSUID | system.MS_NODEV, "size=65536k,mode=1777"
    )
