"""SelectableFields: caches the fields of stored objects that field selectors compare.

A list or watch with a field selector then decodes each stored object once, not for each request. Stored bytes
never change, so cached fields are never out of date.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.machinery import codec
from fakeapi.registry.stored import form as stored_form

FIELDS_KEPT_BYTES_MAX = 32 * 1024 * 1024
"""Maximum size in bytes of the objects of a resource whose fields are cached.

The cache keeps the bytes of each object as its key. A full cache drops the objects that it read first.
"""


class SelectableFields:
    """The selectable fields of the stored objects of one resource, with `metadata.name` and
    `metadata.namespace`.

    - `fields_of`: returns the other selectable fields of a decoded object. The result must depend only on the
      object.
    - `bound`: the maximum size in bytes of the objects whose fields are cached.
    """

    def __init__(
        self, fields_of: Callable[[dict[str, Any]], Mapping[str, str]], bound: int = FIELDS_KEPT_BYTES_MAX
    ) -> None:
        self._fields_of = fields_of
        self.bound = bound
        self._known: OrderedDict[bytes, Mapping[str, str]] = OrderedDict()
        self.size = 0
        """The size in bytes of all objects whose fields are cached."""

    def __contains__(self, value: bytes) -> bool:
        """Whether the fields of an object are cached. `value`: the stored bytes of the object."""
        return value in self._known

    def of(self, value: bytes) -> Mapping[str, str]:
        """Returns the fields of an object by name. `value`: the stored bytes of the object."""
        fields = self._known.get(value)
        return self._read(value) if fields is None else fields

    def _read(self, value: bytes) -> Mapping[str, str]:
        obj = codec.decode(stored_form.json_of(value))
        meta = obj["metadata"]
        fields = {"metadata.name": meta["name"], "metadata.namespace": meta.get("namespace", "")}
        fields |= self._fields_of(obj)
        if len(value) <= self.bound:
            self._known[value] = fields
            self.size += len(value)
            while self.size > self.bound:
                self.size -= len(self._known.popitem(last=False)[0])
        return fields
