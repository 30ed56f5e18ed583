"""Reads the option `nodes`: the names, capacity, labels and taints of nodes with a simulated kubelet.

docs/devices.md explains the grammar.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from fakeapi.devices.model import DeviceError
from fakeapi.devices.reading import NODES_MAX, documents_of_file
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

Nodes: TypeAlias = "str | Path | Mapping[str, Any] | Iterable[Any]"
"""Value of the option `nodes`.

One of: text such as "gpu-{1..3},cpu=64", a file of Node manifests, a mapping of node names to settings, a
Node manifest, or several of these.
"""

_RANGE = lazy_pattern(r"\{([0-9]{1,6})\.\.([0-9]{1,6})\}")
_NAME = lazy_pattern(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_TAINT = lazy_pattern(r"([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)")
_RESOURCES = ("cpu", "memory", "pods", "ephemeral-storage")
_FORM = "NAME,…[,cpu=64][,memory=256Gi][,label=KEY=VALUE][,taint=KEY=VALUE:EFFECT][,version=1.33.4]"


class NodeSpec(msgspec.Struct, frozen=True):
    """A node with a simulated kubelet.

    - `capacity`: resources of the node, such as cpu; replaces the default of the same resource.
    - `version`: the version that the kubelet reports, such as v1.33.4; "" for the version of the server.
    """

    name: str
    capacity: Mapping[str, str] = msgspec.field(default_factory=dict)
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)
    taints: tuple[Object, ...] = ()
    version: str = ""


def node_specs(nodes: Nodes) -> list[NodeSpec]:
    """Returns the nodes that the option `nodes` describes, in order.

    Raises DeviceError if a description is invalid or cannot be read, if two nodes have the same name, or for
    more than NODES_MAX nodes.
    """
    specs: dict[str, NodeSpec] = {}
    for spec in _specs(nodes):
        if not _NAME.fullmatch(spec.name):
            raise DeviceError(f"nodes: {spec.name!r:.80} is not the name of a node")
        if spec.name in specs:
            raise DeviceError(f"nodes: two nodes have the name {spec.name}")
        specs[spec.name] = spec
        if len(specs) > NODES_MAX:
            raise DeviceError(f"nodes: more than {NODES_MAX} nodes")
    return list(specs.values())


def _specs(nodes: Nodes) -> Iterator[NodeSpec]:
    if isinstance(nodes, Path) or (isinstance(nodes, str) and nodes.endswith((".yaml", ".yml", ".json"))):
        yield from _of_manifests(documents_of_file(Path(nodes)))
    elif isinstance(nodes, str):
        yield from _of_text(nodes)
    elif isinstance(nodes, Mapping) and "kind" in nodes:
        yield from _of_manifests([nodes])
    elif isinstance(nodes, Mapping):
        for name, settings in nodes.items():
            yield _node_of_settings(str(name), settings)
    elif isinstance(nodes, Iterable):
        for each in nodes:
            yield from _specs(each)
    else:
        raise DeviceError(f"nodes: {nodes!r:.80} describes no nodes")


def _of_text(text: str) -> Iterator[NodeSpec]:
    for group in text.split(";"):
        parts = [part.strip() for part in group.split(",") if part.strip()]
        names = [part for part in parts if "=" not in part]
        if parts and not names:
            raise DeviceError(f"nodes: {group.strip()!r:.80} names no node; write {_FORM}")
        settings = NodeSpec("")
        for part in parts:
            if "=" in part:
                settings = _with_setting(settings, part)
        for name in names:
            yield from (replace(settings, name=each) for each in _names_in_range(name))


def _with_setting(spec: NodeSpec, setting: str) -> NodeSpec:
    key, _, value = setting.partition("=")
    if key == "label":
        name, _, text = value.partition("=")
        return replace(spec, labels={**spec.labels, name: text})
    if key == "taint":
        return replace(spec, taints=(*spec.taints, _taint(value)))
    if key == "version":
        return replace(spec, version=f"v{value.removeprefix('v')}")
    if key in _RESOURCES or "/" in key or key.startswith("hugepages-"):
        return replace(spec, capacity={**spec.capacity, key: value})
    raise DeviceError(f"nodes: no setting {key!r:.80}; write {_FORM}")


def _taint(text: str) -> Object:
    read = _TAINT.fullmatch(text)
    if read is None:
        raise DeviceError(f"nodes: taint={text:.80}: KEY[=VALUE]:EFFECT is expected")
    key, value, effect = read.groups()
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _names_in_range(name: str) -> Iterator[str]:
    """Yields the node names of a range such as gpu-{1..500}.

    Pads the numbers with zeros if the first number has leading zeros. Yields a name without a range
    unchanged. Raises DeviceError for a range of more than NODES_MAX names, and if the last number is below
    the first.
    """
    read = _RANGE.search(name)
    if read is None:
        yield name
        return
    first, last = read.groups()
    if not 0 <= int(last) - int(first) < NODES_MAX:
        raise DeviceError(f"nodes: {name:.80}: a range of at most {NODES_MAX} nodes is expected")
    width = len(first) if first.startswith("0") else 0
    for number in range(int(first), int(last) + 1):
        yield f"{name[: read.start()]}{number:0{width}d}{name[read.end() :]}"


def _node_of_settings(name: str, settings: Any) -> NodeSpec:
    """Returns the node of a name and its settings, such as `{cpu: "64", labels: {…}, taints: […]}`.

    Raises DeviceError if the settings are invalid.
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise DeviceError(f"nodes: {name:.80}: {settings!r:.80} is not a mapping such as {{'cpu': '64'}}")
    members = dict(settings or {})
    labels, taints = members.pop("labels", {}), members.pop("taints", ())
    spec = NodeSpec(name)
    for key, value in members.items():
        spec = _with_setting(spec, f"{key}={value}")
    if not isinstance(labels, Mapping):
        raise DeviceError(f"nodes: {name:.80}: labels: {labels!r:.80} is not a mapping")
    read = tuple(_taint_of_setting(name, each) for each in _list_of_taints(name, taints))
    return replace(spec, labels={str(key): str(value) for key, value in labels.items()}, taints=read)


def _list_of_taints(name: str, taints: Any) -> Iterable[Any]:
    if isinstance(taints, list | tuple):
        return taints
    raise DeviceError(f"nodes: {name:.80}: taints: {taints!r:.80} is not a list")


def _taint_of_setting(name: str, taint: Any) -> Object:
    if isinstance(taint, str):
        return _taint(taint)
    if isinstance(taint, Mapping):
        return dict(taint)
    raise DeviceError(f"nodes: {name:.80}: taints: {taint!r:.80} is neither a text nor a mapping")


def _of_manifests(documents: Iterable[Any]) -> Iterator[NodeSpec]:
    for document in documents:
        items = document.get("items") if isinstance(document, Mapping) else None
        if isinstance(items, list):
            yield from _of_manifests(items)
            continue
        if not isinstance(document, Mapping) or document.get("kind") != "Node":
            raise DeviceError(f"nodes: a manifest of a Node is expected, not {document!r:.80}")
        try:
            yield _of_manifest(document)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DeviceError(f"nodes: a manifest of a Node is not valid: {error!r:.80}") from None


def _of_manifest(node: Mapping[str, Any]) -> NodeSpec:
    metadata, status = node["metadata"], node.get("status") or {}
    return NodeSpec(
        metadata["name"],
        {str(name): str(value) for name, value in (status.get("capacity") or {}).items()},
        {str(name): str(value) for name, value in (metadata.get("labels") or {}).items()},
        {str(name): str(value) for name, value in (metadata.get("annotations") or {}).items()},
        tuple(dict(taint) for taint in (node.get("spec") or {}).get("taints") or ()),
        (status.get("nodeInfo") or {}).get("kubeletVersion") or "",
    )
