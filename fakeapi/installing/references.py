"""References by uid: which fields of an object name another one with its uid, and whom.

An exported manifest has no uids, for another server gives others. A reference to an object that exists loses
its uid, and gets the one of the object of that name back when it is imported.
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
    """An object by its group, its kind or resource, namespace ("" in the cluster's scope) and name."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Reference:
    """`holder` is the part of the object that has the `uid`; `places` are those that it can mean."""

    holder: dict[str, Any]
    places: tuple[Place, ...]
    is_owner: bool

    @property
    def uid(self) -> str:
        return str(self.holder.get("uid") or "")

    def __str__(self) -> str:
        return f"{self.places[0].kind} {self.places[0].name}"


def references_of(obj: Object, *, status: bool = True) -> Iterator[Reference]:
    """The references in an object; without those in its status, unless `status`."""
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
        for each in value:
            yield from _holders(each, path)
    elif isinstance(value, dict):
        if not path:
            yield value
        elif path[0] in value:
            yield from _holders(value[path[0]], path[1:])


def _places(holder: dict[str, Any], kind: str, namespace: str) -> tuple[Place, ...]:
    """In the object's own namespace, or of the cluster's scope."""
    group = str(holder.get("apiGroup") or "") or str(holder.get("apiVersion") or "").rpartition("/")[0]
    inside = str(holder.get("namespace") or namespace)
    return tuple(Place(group, kind, each, holder["name"]) for each in dict.fromkeys((inside, "")))


class Identities:
    """The uids of objects by place."""

    def __init__(self) -> None:
        self._uids: dict[Place, str] = {}

    def add(self, obj: Object, uid: str, *also: str) -> None:
        """Notes the uid of an object under its kind, and under the names of `also`, such as its resource."""
        for place in places_of(obj, *also):
            if uid:
                self._uids[place] = uid

    def find(self, reference: Reference) -> str:
        """The uid of the object that a reference names; "" where it is not known."""
        return next((self._uids[each] for each in reference.places if each in self._uids), "")


def places_of(obj: Object, *also: str) -> list[Place]:
    """The places of an object: by its kind, and by each name of `also`."""
    group, kind = type_of(obj)
    metadata = obj["metadata"]
    namespace = str(metadata.get("namespace") or "")
    return [Place(group, name, namespace, metadata["name"]) for name in (kind, *also)]
