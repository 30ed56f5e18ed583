"""Reads descriptions of simulated drivers from dicts, YAML text and YAML files into DriverSpecs.

docs/devices.md explains the members of a description.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from fakeapi.devices.from_slices import descriptions_of_slices
from fakeapi.devices.model import (
    DEVICES_MAX,
    DRIVERS_MAX,
    Behaviour,
    ClassSpec,
    DeviceError,
    DriverSpec,
)
from fakeapi.devices.presets import is_preset, names, preset
from fakeapi.devices.shortcuts import counter_set_of, device_of
from fakeapi.devices.templates import expand
from fakeapi.inputfile import UnreadableFile, read_text
from fakeapi.machinery.documents import DocumentError, documents_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.printable import printable_line
from fakeapi.machinery.suggestions import did_you_mean

FILE_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of a file of driver descriptions, in bytes; a larger file raises DeviceError."""

NODES_MAX = 10_000
"""Maximum number of nodes that one driver can name; more raise DeviceError."""

Drivers: TypeAlias = "str | Path | Mapping[str, Any] | Iterable[Drivers]"
"""Value of the option `drivers`.

One of: a dict, YAML text, the path of a file, "NAME=COUNT", the name of a preset, or several of these.
"""

_NAME = lazy_pattern(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_SLICES = ("ResourceSlice", "ResourceSliceList", "List")
_SHORT = lazy_pattern(r"([A-Za-z0-9.-]+)(?:=([0-9]{1,9}))?")
_MEMBERS = (
    *("name", "preset", "nodes", "count", "devices", "attributes", "capacity", "counters", "pool"),
    *("cdi", "classes", "environment", "status", "prepare", "unprepare", "bind"),
)


def specs_of(drivers: Drivers) -> list[DriverSpec]:
    """Returns the drivers of all descriptions, in order.

    Raises DeviceError if a description cannot be read or is invalid, if two drivers have the same name, or
    for more than DRIVERS_MAX drivers.
    """
    specs: list[DriverSpec] = []
    for description in descriptions_of(drivers):
        specs.append(spec_of(description))
        if len(specs) > DRIVERS_MAX:
            raise DeviceError(f"more than {DRIVERS_MAX} drivers")
    names = [spec.name for spec in specs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DeviceError(f"two drivers have the name {twice[0]}")
    return specs


def spec_of(description: Mapping[str, Any]) -> DriverSpec:
    """Returns the DriverSpec of one description. Raises DeviceError if the description is invalid."""
    unknown = sorted(str(name) for name in description if name not in _MEMBERS)
    if unknown:
        members = ", ".join(sorted(_MEMBERS))
        raise DeviceError(f"a driver has no member {', '.join(unknown):.200}; it has {members}")
    if "preset" in description:
        base = preset(_text(description, "preset"))
        spec = _read({**base, **{name: value for name, value in description.items() if name != "preset"}})
    else:
        spec = _read(description)
    try:
        _check_devices(spec)
    except DeviceError as error:
        raise DeviceError(f"{spec.name}: {error}") from None
    return spec


def _read(description: Mapping[str, Any]) -> DriverSpec:
    name = _text(description, "name")
    if not name or len(name) > 63 or not _NAME.fullmatch(name):
        raise DeviceError(
            f"{name!r} is not the name of a driver: it has at most 63 lower-case letters, digits, - and ., "
            "such as gpu.example.com"
        )
    try:
        return _of_members(name, description)
    except DeviceError as error:
        raise DeviceError(f"{name}: {error}") from None


def _of_members(name: str, description: Mapping[str, Any]) -> DriverSpec:
    label = name.partition(".")[0]
    shared = {key: description[key] for key in ("attributes", "capacity") if key in description}
    listed = description.get("devices")
    templates = [{"name": f"{label}-{{i}}"}] if listed is None else _list(listed, "devices")
    classes = description.get("classes")
    return DriverSpec(
        name,
        tuple(device_of(template, shared) for template in templates),
        count=_count(description.get("count", 1), "count"),
        counters=tuple(map(counter_set_of, _list(description.get("counters") or [], "counters"))),
        nodes=_nodes(description.get("nodes"), shared),
        pool=_text(description, "pool") or "{node}",
        cdi=_text(description, "cdi") or f"{name}/{label}",
        classes=_default_classes(name) if classes is None else _classes(classes),
        environment=_environment(description.get("environment") or {}, label),
        status=description.get("status"),
        behaviour={
            call: behaviour_of(description[call], call)
            for call in ("prepare", "unprepare", "bind")
            if call in description
        },
    )


def behaviour_of(value: Any, place: str) -> Behaviour:
    """Returns the Behaviour of a mapping such as `{error: out of memory, times: 1}`.

    `place`: the start of error messages, such as "prepare". Raises DeviceError if the mapping is invalid.
    """
    kinds: dict[str, tuple[str, type | tuple[type, ...]]] = {
        "delay": ("delay", (int, float)),
        "error": ("error", str),
        "hangs": ("hangs", bool),
        "wrongClaim": ("wrong_claim", bool),
        "times": ("times", int),
        "node": ("node", str),
    }
    if not isinstance(value, Mapping):
        raise DeviceError(f"{place}: a mapping such as {{delay: 2}} is expected, not {value!r:.80}")
    members: dict[str, Any] = {}
    for name, given in value.items():
        if name not in kinds:
            raise DeviceError(f"{place}: no member {name!r:.80}; there are {', '.join(kinds)}")
        member, kind = kinds[name]
        if not isinstance(given, kind) or (isinstance(given, bool) and kind is not bool):
            raise DeviceError(f"{place}: {name}: {given!r:.80} has the wrong type")
        members[member] = given
    if not 0 <= members.get("delay", 0) <= 86400:
        raise DeviceError(f"{place}: delay: a number of seconds from 0 to 86400 is expected")
    if members.get("times") is not None and members["times"] < 1:
        raise DeviceError(f"{place}: times: a number from 1 is expected")
    return Behaviour(**members)


def descriptions_of(drivers: Drivers) -> list[Mapping[str, Any]]:
    """Returns the descriptions of drivers without validating them.

    Raises DeviceError if a description cannot be read.
    """
    if isinstance(drivers, Path):
        return _of_file(drivers)
    if isinstance(drivers, str):
        return _of_string(drivers)
    if isinstance(drivers, Mapping):
        return _of_mapping(drivers)
    if isinstance(drivers, Iterable):
        return [description for each in drivers for description in descriptions_of(each)]
    raise DeviceError(f"{drivers!r:.80} describes no driver")


def _of_string(text: str) -> list[Mapping[str, Any]]:
    """Returns the descriptions of "NAME", "NAME=COUNT", "PRESET", "PRESET=COUNT", YAML text, or a file's
    path.

    Raises DeviceError if a name is unknown, and if the text or file cannot be read.
    """
    if "\n" in text or ": " in text:
        return _of_text(text, "drivers")
    short = _SHORT.fullmatch(text)
    name, equals, count = text.rpartition("=")
    if short is None and equals and _SHORT.fullmatch(name) and not Path(text).exists():
        raise DeviceError(
            f"{text!r}: {count!r} is not a number of devices, and {text!r} is not a file; "
            f"write NAME=COUNT, such as {name}=8"
        )
    if short is None or (short[2] is None and Path(text).suffix in {".yaml", ".yml", ".json"}):
        return _of_file(Path(text))
    name = short[1]
    members = {} if short[2] is None else {"count": int(short[2])}
    if "." not in name and not is_preset(name):
        raise DeviceError(
            f"{name!r} is neither a preset nor the name of a driver such as gpu.example.com"
            f"{did_you_mean(name, names())}; "
            "`fakeapi devices list` prints the presets"
        )
    return [{"preset" if is_preset(name) else "name": name, **members}]


def documents_of_file(path: Path) -> list[Any]:
    """Returns the documents of a YAML or JSON file. Raises DeviceError if the file cannot be read."""
    try:
        text = read_text(path.expanduser(), FILE_BYTES_MAX)
    except UnreadableFile as error:
        raise DeviceError(printable_line(error)) from None
    return _documents(text, str(path))


def _documents(text: str, place: str) -> list[Any]:
    try:
        return documents_of(text)
    except DocumentError as error:
        raise DeviceError(printable_line(f"{place}: {error}")) from None


def _of_file(path: Path) -> list[Mapping[str, Any]]:
    return _of_documents(documents_of_file(path), str(path))


def _of_text(text: str, place: str) -> list[Mapping[str, Any]]:
    return _of_documents(_documents(text, place), place)


def _of_documents(documents: list[Any], place: str) -> list[Mapping[str, Any]]:
    if any(isinstance(each, Mapping) and each.get("kind") in _SLICES for each in documents):
        return [dict(each) for each in descriptions_of_slices(documents)]
    descriptions: list[Mapping[str, Any]] = []
    for document in documents:
        for each in document if isinstance(document, list) else [document]:
            if not isinstance(each, Mapping):
                raise DeviceError(printable_line(f"{place}: a driver is expected, not {each!r:.80}"))
            descriptions.extend(_of_mapping(each))
    return descriptions


def _of_mapping(drivers: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the descriptions in a mapping: one description, `drivers: […]`, or names with counts or
    descriptions.

    Raises DeviceError if a description cannot be read.
    """
    if "drivers" in drivers:
        return [each for item in _list(drivers["drivers"], "drivers") for each in descriptions_of(item)]
    if not all(isinstance(name, str) for name in drivers):
        raise DeviceError("the names of the members must be texts")
    if "name" in drivers or "preset" in drivers:
        return [drivers]
    return [_named(name, value) for name, value in drivers.items()]


def _named(name: str, value: Any) -> Mapping[str, Any]:
    which = "preset" if is_preset(name) else "name"
    if isinstance(value, Mapping):
        return {which: name, **value}
    return {which: name, "count": value}


def _check_devices(spec: DriverSpec) -> None:
    """Raises DeviceError if the templates of a driver are invalid or make too many devices for a node.

    Checks only the first node that the description names.
    """
    for node, count in list(spec.nodes.items())[:1] or [("node", None)]:
        expand(spec.devices, count if isinstance(count, int) else spec.count, node)
        expand(spec.counters, count if isinstance(count, int) else spec.count, node)


def _nodes(value: Any, shared: Object) -> Mapping[str, int | tuple[Object, ...] | None]:
    if value is None:
        return {}
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list | tuple):
        value = dict.fromkeys(value)
    if not isinstance(value, Mapping) or not all(isinstance(name, str) and name for name in value):
        raise DeviceError(f"nodes: {value!r:.80} is not a list of names, nor a mapping of names to numbers")
    if len(value) > NODES_MAX:
        raise DeviceError(f"nodes: more than {NODES_MAX} nodes")
    nodes: dict[str, int | tuple[Object, ...] | None] = {}
    for name, devices in value.items():
        if devices is None:
            nodes[name] = None
        elif isinstance(devices, list | tuple):
            nodes[name] = tuple(device_of(device, shared) for device in devices)
        else:
            nodes[name] = _count(devices, f"nodes: {name}")
    return nodes


def _count(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= DEVICES_MAX:
        raise DeviceError(f"{place}: {value!r:.80} is not a number from 0 to {DEVICES_MAX}")
    return value


def _text(description: Mapping[str, Any], name: str) -> str:
    value = description.get(name, "")
    if not isinstance(value, str):
        raise DeviceError(f"{name}: {value!r:.80} is not a text")
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise DeviceError(f"{place}: {value!r:.80} is not a list")
    return list(value)


def _default_classes(driver: str) -> tuple[ClassSpec, ...]:
    return (ClassSpec(driver, _selecting(f'device.driver == "{driver}"')),)


def _selecting(expression: str) -> Object:
    return {"selectors": [{"cel": {"expression": expression}}]}


def _classes(value: Any) -> tuple[ClassSpec, ...]:
    classes = []
    for each in _list(value, "classes"):
        if not isinstance(each, Mapping) or not isinstance(each.get("name"), str):
            raise DeviceError(f"classes: {each!r:.80} has no name")
        spec = {name: member for name, member in each.items() if name not in {"name", "expression"}}
        if "expression" in each:
            spec = {**_selecting(str(each["expression"])), **spec}
        classes.append(ClassSpec(each["name"], spec))
    return tuple(classes)


def _environment(value: Any, label: str) -> Mapping[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(name, str) and isinstance(text, str) for name, text in value.items()
    ):
        raise DeviceError("environment: a mapping of names to texts is expected")
    return dict(value) or {f"{re.sub('[^A-Z0-9]', '_', label.upper())}_DEVICE_{{n}}": "{device}"}
