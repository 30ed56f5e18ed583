"""Presets: simulated drivers with the devices of well-known real drivers, as YAML files in this package."""

from functools import cache
from pathlib import Path
from typing import Any

from fakeapi.devices.model import DeviceError
from fakeapi.machinery.documents import document_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.suggestions import did_you_mean

_FOLDER = Path(__file__).parent / "preset_files"


@cache
def names() -> tuple[str, ...]:
    """Returns the names of the presets, sorted."""
    files = [file.name for file in _FOLDER.iterdir()] if _FOLDER.is_dir() else []
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def is_preset(name: str) -> bool:
    return name in names()


def text_of(name: str) -> str:
    """Returns the YAML file of a preset. Raises DeviceError for an unknown name."""
    if not is_preset(name):
        hint = did_you_mean(name, names()) or f"; there are {', '.join(names())}"
        raise DeviceError(f"no preset {name!r}{hint}")
    return (_FOLDER / f"{name}.yaml").read_text("utf-8")


def summary_of(name: str) -> str:
    """Returns the comment of a preset's YAML file as one line. Raises DeviceError for an unknown name."""
    lines = [line[1:].strip() for line in text_of(name).splitlines() if line.startswith("#")]
    return " ".join(lines)


def preset(name: str) -> Object:
    """Returns the description of a preset. Raises DeviceError for an unknown name."""
    description: Any = document_of(text_of(name))
    return dict(description)
