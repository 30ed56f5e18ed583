"""Table cells that workloads share.

Follows k8s.io/kubernetes `pkg/printers/internalversion`.
"""

from fakeapi.kinds.common.label_matching import InvalidSelector, compiled, formatted
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.object_paths import value_at
from fakeapi.registry.model.columns import Cell


def number_at(*path: str) -> Cell:
    """Returns a table cell function that prints the number at a path; 0 if the number is absent."""
    return lambda obj, now: value_at(obj, path) or 0


def ratio(of: Cell, to: Cell) -> Cell:
    """Returns a table cell function that prints the cells `of` and `to` with a slash, such as `1/3`."""
    return lambda obj, now: f"{of(obj, now)}/{to(obj, now)}"


def containers_at(*path: str) -> dict[str, Cell]:
    """Returns table cell functions for the names and images of containers.

    `path`: the path of the pod spec.
    """

    def joined(member: str) -> Cell:
        return lambda obj, now: ",".join(container.get(member, "") for container in _containers(obj, path))

    return {"Containers": joined("name"), "Images": joined("image")}


def selector_at(*path: str) -> Cell:
    """Returns a table cell function that prints the label selector at a path in kubectl's format."""
    return lambda obj, now: formatted(value_at(obj, path))


def selector_text(obj: Object, now: float) -> str:
    """Returns the table cell for a Deployment's label selector; `<invalid>` if the selector is invalid."""
    try:
        return str(compiled(obj["spec"].get("selector")) or "")
    except InvalidSelector:
        return "<invalid>"


def labels_at(*path: str) -> Cell:
    """Returns a table cell function that prints a map of labels on one line; `<none>` for an empty map."""

    def cell(obj: Object, now: float) -> str:
        labels = value_at(obj, path) or {}
        return ",".join(f"{key}={labels[key]}" for key in sorted(labels)) or "<none>"

    return cell


TEMPLATE = ("spec", "template", "spec")
"""The path of the pod spec in most workloads."""


def _containers(obj: Object, path: tuple[str, ...]) -> list[Object]:
    return (value_at(obj, path) or {}).get("containers") or []
