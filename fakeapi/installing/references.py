"""Finds references: the fields of an object that contain the name and uid of another object.

An exported manifest has no uids, because each server assigns its own uids. A reference to an exported object
loses its uid at the export. At the import, the reference gets the uid of the new object with this name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fakeapi.installing.sources import type_of
from fakeapi.machinery.json_types import Object

_REFERENCES: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "PersistentVolume"): ("spec.claimRef",),
    ("", "Endpoints"): ("subsets.addresses.targetRef", "subsets.notReadyAddresses.targetRef"),
    ("discovery.k8s.io", "EndpointSlice"): ("endpoints.targetRef",),
    ("", "Event"): ("involvedObject", "related"),
    ("events.k8s.io", "Event"): ("regarding", "related"),
    ("resource.k8s.io", "ResourceClaim"): ("status.reservedFor",),
}
_OWNERS = "metadata.ownerReferences"


@dataclass(frozen=True, slots=True)
class Place:
    """Identifies an object by group, kind, namespace and name, for example to find its uid.

    - `kind`: the kind, such as "Pod", or the resource, such as "pods".
    - `namespace`: "" for a cluster-scoped object.
    """

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference from one object to another.

    - `holder`: the JSON object with the name and uid, such as an item of `ownerReferences`.
    - `places`: the objects that the reference can mean: in a namespace, or cluster-scoped.
    - `is_owner`: whether the reference is in `ownerReferences`.
    """

    holder: dict[str, Any]
    places: tuple[Place, ...]
    is_owner: bool

    @property
    def uid(self) -> str:
        return str(self.holder.get("uid") or "")

    def __str__(self) -> str:
        return f"{self.places[0].kind} {self.places[0].name}"


def references_of(obj: Object, *, status: bool = True) -> Iterator[Reference]:
    """Yields the references in an object. `status`: whether to include references in the status."""
    namespace = str(obj["metadata"].get("namespace") or "")
    for path in (_OWNERS, *_REFERENCES.get(type_of(obj), ())):
        if path.startswith("status.") and not status:
            continue
        for holder in _holders(obj, path.split(".")):
            kind = holder.get("kind") or holder.get("resource")
            if isinstance(kind, str) and isinstance(holder.get("name"), str):
                yield Reference(holder, _places(holder, kind, namespace), path == _OWNERS)


def _holders(value: Any, path: list[str]) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _holders(item, path)
    elif isinstance(value, dict):
        if not path:
            yield value
        elif path[0] in value:
            yield from _holders(value[path[0]], path[1:])


def _places(holder: dict[str, Any], kind: str, namespace: str) -> tuple[Place, ...]:
    """Returns the objects that a reference can mean: one in a namespace, and one in cluster scope.

    - `holder`: the JSON object with the reference.
    - `kind`: the kind or resource of the referenced object.
    - `namespace`: the namespace of the referenced object if `holder` does not name one.
    """
    group = str(holder.get("apiGroup") or "") or str(holder.get("apiVersion") or "").rpartition("/")[0]
    inside = str(holder.get("namespace") or namespace)
    return tuple(
        Place(group, kind, place_namespace, holder["name"]) for place_namespace in dict.fromkeys((inside, ""))
    )


class Identities:
    """Maps each object (its Place) to its uid."""

    def __init__(self) -> None:
        self._uids: dict[Place, str] = {}

    def add(self, obj: Object, uid: str, *also: str) -> None:
        """Adds the uid of an object to the table; does nothing if the uid is "".

        `also`: other names that references may use for the kind of the object, such as its resource.
        """
        for place in places_of(obj, *also):
            if uid:
                self._uids[place] = uid

    def find(self, reference: Reference) -> str:
        """Returns the uid of the object that a reference names; "" if the table does not have it."""
        return next((self._uids[place] for place in reference.places if place in self._uids), "")


def places_of(obj: Object, *also: str) -> list[Place]:
    """Returns the Place of an object with its kind, and one more Place for each name in `also`."""
    group, kind = type_of(obj)
    metadata = obj["metadata"]
    namespace = str(metadata.get("namespace") or "")
    return [Place(group, name, namespace, metadata["name"]) for name in (kind, *also)]
