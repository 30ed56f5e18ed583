"""Cells of tables that workloads share.

Follows k8s.io/kubernetes `pkg/printers/internalversion`.
"""

from typing import Any

from fakeapi.kinds.common.label_matching import InvalidSelector, compiled, formatted
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell


def number_at(*path: str) -> Cell:
    """The number at a path; 0 where the object has none."""

    def cell(obj: Object, now: float) -> int:
        value: Any = obj
        for name in path:
            value = (value or {}).get(name)
        return value or 0

    return cell


def ratio(of: Cell, to: Cell) -> Cell:
    """Two numbers with a slash between them."""
    return lambda obj, now: f"{of(obj, now)}/{to(obj, now)}"


def containers_at(*path: str) -> dict[str, Cell]:
    """The names and the images of the containers of the pod spec at a path."""

    def joined(member: str) -> Cell:
        return lambda obj, now: ",".join(each.get(member, "") for each in _containers(obj, path))

    return {"Containers": joined("name"), "Images": joined("image")}


def selector_at(*path: str) -> Cell:
    """The label selector at a path as kubectl prints it."""
    return lambda obj, now: formatted(_at(obj, path))


def selector_text(obj: Object, now: float) -> str:
    """The selector of a deployment, which is printed in its own way."""
    try:
        return str(compiled(obj["spec"].get("selector")) or "")
    except InvalidSelector:
        return "<invalid>"


def labels_at(*path: str) -> Cell:
    """A map of labels on one line."""

    def cell(obj: Object, now: float) -> str:
        labels = _at(obj, path) or {}
        return ",".join(f"{key}={labels[key]}" for key in sorted(labels)) or "<none>"

    return cell


TEMPLATE = ("spec", "template", "spec")
"""Where most workloads have the pod of their template."""


def _at(obj: Object, path: tuple[str, ...]) -> Any:
    value: Any = obj
    for name in path:
        value = (value or {}).get(name)
    return value


def _containers(obj: Object, path: tuple[str, ...]) -> list[Object]:
    return (_at(obj, path) or {}).get("containers") or []
