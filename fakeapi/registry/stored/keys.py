"""Storage keys of objects: parses them, and finds the resources that have any."""

from typing import NamedTuple

from fakeapi.registry.model.definition import CLASSIC
from fakeapi_storage import Storage

_CLASSIC = ["resource.k8s.io", CLASSIC]
"""The group whose objects of v1alpha2 have a hub of their own, which stands in their keys."""

_CLASSIC_PREFIX = "/".join(["", *_CLASSIC, ""])
_LAST = "\U0010ffff"
"""Sorts after every character of a name."""


class ObjectKey(NamedTuple):
    """A storage key in parts. `group` is "" for core; all keys of the resource begin with `prefix`."""

    prefix: str
    group: str
    resource: str
    namespace: str
    name: str

    @property
    def qualified(self) -> str:
        """The resource with its group: resourceclaims.resource.k8s.io."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def is_classic(self) -> bool:
        """Whether the object is of v1alpha2, in the hub of that version."""
        return self.prefix.startswith(_CLASSIC_PREFIX)

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.qualified} {place}"


def parse_key(key: str) -> ObjectKey:
    """The parts of a key: /GROUP[/classic]/RESOURCE[/NAMESPACE]/NAME. Raises ValueError for another text."""
    first, *parts = key.split("/")
    depth = 3 if parts[:2] == _CLASSIC else 2
    place = parts[depth:]
    if first or not 1 <= len(place) <= 2 or not all(parts):
        raise ValueError(f"{key!r} is no key of an object")
    group, resource = parts[0], parts[depth - 1]
    prefix = "/".join(["", *parts[:depth], ""])
    namespace = place[0] if len(place) > 1 else ""
    return ObjectKey(prefix, "" if group == "core" else group, resource, namespace, place[-1])


def first_keys(storage: Storage) -> list[ObjectKey]:
    """The first key of each resource that has objects; each costs one look at the index.

    Raises ValueError for a key that is of no object.
    """
    found: list[ObjectKey] = []
    after: str | None = None
    while entries := storage.list("", start_after=after, limit=1).entries:
        key = parse_key(entries[0].key)
        found.append(key)
        after = f"{key.prefix}{_LAST}"
    return found
