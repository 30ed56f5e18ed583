"""Maps a node's paths to this machine: the kubelet's directory, the CDI directories and all other paths."""

import posixpath
from pathlib import Path

import msgspec

from fakeapi.controllers.kubelet.containers.cdi import NODE_DIRECTORY
from fakeapi.controllers.kubelet.containers.runtime import ContainerStartError
from fakeapi.machinery.json_types import Object

KUBELET = "/var/lib/kubelet"
"""The directory of the kubelet on a node. Many DRA drivers hard-code this path."""
CDI_DIRECTORIES = ("/run/cdi", "/etc/cdi")
HOST = "host"
"""Subdirectory of a node's directory for the node's own version of other paths."""

_DEV = "/dev"
_KERNEL = (_DEV, "/sys", "/proc")
_CREATED = {"", "DirectoryOrCreate", "FileOrCreate"}
"""Types of hostPath volumes that are created.

A container runtime also creates volumes without a type ("").
"""
_CHECKS = {
    "Directory": Path.is_dir,
    "File": Path.is_file,
    "Socket": Path.is_socket,
    "CharDevice": Path.is_char_device,
    "BlockDevice": Path.is_block_device,
}


class HostPath(msgspec.Struct, frozen=True):
    """A path of a node on this machine. `read_only`: whether containers may not write to it."""

    path: Path
    read_only: bool = False


def host_path(directory: Path, path: str, kind: str = "") -> HostPath:
    """Returns the path on this machine for a hostPath volume.

    Creates the path if the volume's type requires it.

    - Paths below KUBELET are in the directory of the node.
    - All CDI directories are one directory of the node.
    - For other paths, the node's own directory `host` has precedence.
    - A path below /dev, /sys or /proc that is not in `host` is the path of this machine.
    - Another path that exists only on this machine is read-only.
    - A path that exists nowhere is in `host`, except below /sys and /proc, where the kernel creates no files.

    `directory`: the directory of the node. `kind`: the type of the volume. Raises ContainerStartError if the
    path does not have this type or cannot be created.
    """
    path = canonical(path)
    place = _place(directory, path)
    own = place is None
    chosen = HostPath(directory / HOST / path[1:]) if place is None else place
    if kind in _CREATED and not chosen.path.exists() and (own or chosen.path.is_relative_to(directory)):
        _create(chosen.path, is_file=kind == "FileOrCreate")
    check = _CHECKS.get(kind, Path.exists)
    if not check(chosen.path):
        raise ContainerStartError(
            "ContainerCreating", f"hostPath type check failed: {path} is not {_named(kind)}"
        )
    return chosen


def device_path(directory: Path, path: str) -> Path:
    """Returns the path on this machine for a device node of a CDI file.

    A device in the node's own directory `host` has precedence. Raises ContainerStartError if the device does
    not exist.
    """
    place = host_path(directory, path, "Existing").path if _exists(directory, path) else None
    if place is None:
        problem = f'failed to stat CDI host device "{path}": no such file or directory'
        raise ContainerStartError("CreateContainerError", f"failed to inject CDI devices: {problem}")
    return place


def _exists(directory: Path, path: str) -> bool:
    return (directory / HOST / canonical(path)[1:]).exists() or Path(path).exists()


def volume_path(directory: Path, source: Object) -> HostPath:
    """Returns the path on this machine for a volume's `hostPath`.

    Raises ContainerStartError if the path does not have the volume's type or cannot be created.
    """
    return host_path(directory, source["path"], source.get("type") or "")


def canonical(path: str) -> str:
    """Returns an absolute path without `..`, and with /run instead of /var/run."""
    path = posixpath.normpath(f"/{path}")
    path = path[1:] if path.startswith("//") else path
    return path.removeprefix("/var") if path == "/var/run" or path.startswith("/var/run/") else path


def is_below(path: str, parent: str) -> bool:
    return path == parent or path.startswith(f"{parent}/")


def _place(directory: Path, path: str) -> HostPath | None:
    if is_below(path, KUBELET):
        return HostPath(directory / path[len(KUBELET) :].lstrip("/"))
    for parent in CDI_DIRECTORIES:
        if is_below(path, parent):
            return HostPath(directory / NODE_DIRECTORY / path[len(parent) :].lstrip("/"))
    if (directory / HOST / path[1:]).exists():
        return None
    if any(is_below(path, parent) for parent in _KERNEL):
        return None if is_below(path, _DEV) and not Path(path).exists() else HostPath(Path(path))
    return HostPath(Path(path), read_only=True) if Path(path).exists() else None


def _create(path: Path, *, is_file: bool) -> None:
    try:
        (path.parent if is_file else path).mkdir(parents=True, exist_ok=True)
        if is_file:
            path.touch()
    except OSError as error:
        raise ContainerStartError("ContainerCreating", f"hostPath: {error}") from None


def _named(kind: str) -> str:
    names = {"CharDevice": "a character device", "BlockDevice": "a block device"}
    return names.get(kind, f"a {kind.lower()}" if kind in _CHECKS else "there")
