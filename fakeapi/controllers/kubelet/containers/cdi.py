"""CDI files: the environment, device nodes and mounts that CDI devices add to a container.

Follows the Container Device Interface, version 1.0 (`pkg/cdi` and `specs-go` of
tags.cncf.io/container-device-interface).
"""

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fakeapi.controllers.kubelet.containers.runtime import DeviceNode, Mount
from fakeapi.inputfile import UnreadableFile, read_text
from fakeapi.machinery.documents import DocumentError, document_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

DIRECTORIES = (Path("/etc/cdi"), Path("/var/run/cdi"))
"""The directories in which DRA drivers create CDI files by default."""
NODE_DIRECTORY = "cdi"
"""Subdirectory of the node's directory with CDI files.

The files in this directory take precedence over the files of DIRECTORIES.
"""
FILES_MAX = 4096
"""Maximum number of files that the kubelet reads from a CDI directory. The kubelet ignores further files."""
FILE_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of a CDI file in bytes. The kubelet ignores a larger file with a warning."""


class Edits(msgspec.Struct, frozen=True):
    """The changes that CDI devices make to a container."""

    env: dict[str, str] = msgspec.field(default_factory=dict)
    devices: tuple[DeviceNode, ...] = ()
    mounts: tuple[Mount, ...] = ()

    def __or__(self, other: "Edits") -> "Edits":
        return Edits(self.env | other.env, self.devices + other.devices, self.mounts + other.mounts)


def edits_of(devices: Sequence[str], directories: Iterable[Path]) -> Edits:
    """Returns the edits of CDI devices, such as "vendor.com/gpu=gpu-0".

    Ignores devices that no file describes. `directories`: later directories take precedence over earlier
    directories.
    """
    return edits_in(read_specs(directories), devices) if devices else Edits()


def read_specs(directories: Iterable[Path]) -> list[Object]:
    """Returns the contents of the CDI files in `directories`, in this order.

    Later specs take precedence over earlier specs.
    """
    return [spec for directory in directories for spec in _specs(directory)]


def edits_in(specs: Sequence[Object], devices: Iterable[str]) -> Edits:
    """Returns the edits of CDI devices, looked up in `specs`, the result of `read_specs`.

    Ignores unknown devices.
    """
    edits = Edits()
    seen: list[int] = []
    for name in devices:
        kind, _, device = name.partition("=")
        for number, spec in reversed(list(enumerate(specs))):
            if spec.get("kind") != kind:
                continue
            chosen = next((each for each in _dicts(spec.get("devices")) if each.get("name") == device), None)
            if chosen is None:
                continue
            if number not in seen:
                seen.append(number)
                edits |= _edits(spec.get("containerEdits"))
            edits |= _edits(chosen.get("containerEdits"))
            break
    return edits


def _specs(directory: Path) -> list[Object]:
    try:
        names = sorted(entry.name for entry in os.scandir(directory))
    except OSError:
        return []
    specs = []
    for name in [name for name in names if name.endswith((".json", ".yaml"))][:FILES_MAX]:
        try:
            spec = document_of(read_text(directory / name, FILE_BYTES_MAX))
        except (UnreadableFile, DocumentError) as problem:
            log.warning("CDI file %s is ignored: %s", directory / name, printable_line(problem))
            continue
        if isinstance(spec, dict):
            specs.append(spec)
    return specs


def _edits(edits: Any) -> Edits:
    if not isinstance(edits, dict):
        return Edits()
    env = dict(
        entry.split("=", 1) for entry in _items(edits.get("env")) if isinstance(entry, str) and "=" in entry
    )
    devices = tuple(
        DeviceNode(
            str(node["path"]),
            str(node.get("hostPath") or node["path"]),
            str(node.get("type", "")),
            str(node.get("permissions") or "rwm"),
        )
        for node in _dicts(edits.get("deviceNodes"))
        if "path" in node
    )
    mounts = tuple(
        Mount(
            str(mount["containerPath"]),
            source=str(mount.get("hostPath", "")),
            read_only="ro" in _items(mount.get("options")),
        )
        for mount in _dicts(edits.get("mounts"))
        if "containerPath" in mount
    )
    return Edits(env, devices, mounts)


def _items(values: Any) -> list[Any]:
    """Returns the items of a list; [] for any other value."""
    return values if isinstance(values, list) else []


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [value for value in _items(values) if isinstance(value, dict)]
