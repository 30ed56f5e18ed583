"""Parses the storage keys of objects, and finds the resources that have stored objects."""

from typing import NamedTuple

from fakeapi.registry.model.definition import CLASSIC
from fakeapi_storage import Storage

_CLASSIC = ["resource.k8s.io", CLASSIC]
"""The first two path segments of storage keys of resource.k8s.io/v1alpha2: API group, then `classic`."""

_CLASSIC_PREFIX = "/".join(["", *_CLASSIC, ""])
_LAST = "\U0010ffff"
"""A character that sorts after all characters in object names."""


class ObjectKey(NamedTuple):
    """The parts of the storage key of an object.

    `prefix`: the beginning of the keys of all objects of the resource. `group`: the API group; "" for the
    core group. `namespace`: "" for cluster-scoped objects.
    """

    prefix: str
    group: str
    resource: str
    namespace: str
    name: str

    @property
    def qualified(self) -> str:
        """The resource with its API group, such as resourceclaims.resource.k8s.io."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def is_classic(self) -> bool:
        """Whether the object belongs to resource.k8s.io/v1alpha2, whose storage keys begin differently."""
        return self.prefix.startswith(_CLASSIC_PREFIX)

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.qualified} {place}"


def parse_key(key: str) -> ObjectKey:
    """Parses a storage key: /GROUP[/classic]/RESOURCE[/NAMESPACE]/NAME.

    Raises ValueError if the text is not the key of an object.
    """
    first, *parts = key.split("/")
    depth = 3 if parts[:2] == _CLASSIC else 2
    place = parts[depth:]
    if first or not 1 <= len(place) <= 2 or not all(parts):
        raise ValueError(f"{key!r} is not the key of an object")
    group, resource = parts[0], parts[depth - 1]
    prefix = "/".join(["", *parts[:depth], ""])
    namespace = place[0] if len(place) > 1 else ""
    return ObjectKey(prefix, "" if group == "core" else group, resource, namespace, place[-1])


def first_keys(storage: Storage) -> list[ObjectKey]:
    """Returns the first storage key of each resource that has stored objects. Reads one key per resource.

    Raises ValueError if a key in the storage is not the key of an object.
    """
    keys: list[ObjectKey] = []
    after: str | None = None
    while entries := storage.list("", start_after=after, limit=1).entries:
        key = parse_key(entries[0].key)
        keys.append(key)
        after = f"{key.prefix}{_LAST}"
    return keys
