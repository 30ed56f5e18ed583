"""CDIFiles: the files of the Container Device Interface that a simulated driver writes."""

import re
from contextlib import suppress
from pathlib import Path

import msgspec

from fakeapi.atomic_file import make_directory, write_atomically
from fakeapi.controllers.kubelet.containers.cdi import NODE_DIRECTORY
from fakeapi.devices.model import DriverSpec
from fakeapi.machinery.lazy_pattern import lazy_pattern

_VERSION = "0.6.0"
_NUMBER = lazy_pattern(r"[0-9]+$")


class CDIFiles:
    """The CDI files of a driver on one node: one file for each prepared claim."""

    def __init__(self, directory: Path, node: str, spec: DriverSpec) -> None:
        """Prepares the files. `directory`: the directory of the node; the files are in the subdirectory
        `cdi`.
        """
        self._directory = directory / NODE_DIRECTORY
        self._node = node
        self._spec = spec

    def device_id(self, device: str) -> str:
        """Returns the fully qualified name of a device, such as gpu.example.com/gpu=gpu-0."""
        return f"{self._spec.cdi}={device}"

    def write(self, claim: str, devices: list[str]) -> None:
        """Writes the CDI file of a claim. `claim`: the uid of the claim.

        Raises OSError if the file cannot be written.
        """
        content = {
            "cdiVersion": _VERSION,
            "kind": self._spec.cdi,
            "devices": [
                {"name": device, "containerEdits": {"env": self.environment(device)}} for device in devices
            ],
        }
        make_directory(self._directory, 0o750)
        write_atomically(self._path(claim), msgspec.json.encode(content))

    def delete(self, claim: str) -> None:
        """Deletes the CDI file of a claim. Ignores a missing file and other errors."""
        with suppress(OSError):
            self._path(claim).unlink(missing_ok=True)

    def environment(self, device: str) -> list[str]:
        """Returns the variables that a device adds to its containers, as NAME=VALUE."""
        number = _NUMBER.search(device)
        placeholders = {
            "{device}": device,
            "{node}": self._node,
            "{n}": number[0] if number else re.sub(r"[^A-Z0-9]", "_", device.upper()),
        }
        return [
            f"{_replaced(name, placeholders)}={_replaced(value, placeholders)}"
            for name, value in self._spec.environment.items()
        ]

    def _path(self, claim: str) -> Path:
        return self._directory / f"{self._spec.name}-{claim}.json"


def _replaced(text: str, placeholders: dict[str, str]) -> str:
    for placeholder, value in placeholders.items():
        text = text.replace(placeholder, value)
    return text
