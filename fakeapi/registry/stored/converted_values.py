"""ConvertedValues: a cache of stored objects that are converted to one API version."""

from collections import OrderedDict

CONVERTED_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size in bytes of the cached objects of each API version of a resource.

A full cache drops its oldest objects.
"""


class ConvertedValues:
    """A cache that maps the stored bytes of objects to their bytes in one API version.

    `bound`: the maximum size in bytes of all converted objects. A full cache drops its oldest objects. An
    object larger than the bound is not cached.
    """

    def __init__(self, bound: int = CONVERTED_BYTES_MAX) -> None:
        self._bound = bound
        self._size = 0
        # This is an OrderedDict, because finding the first key of a dict takes linear time after many
        # deletions.
        self._forms: OrderedDict[bytes, bytes] = OrderedDict()

    def __contains__(self, value: bytes) -> bool:
        return value in self._forms

    def __len__(self) -> int:
        return len(self._forms)

    @property
    def size(self) -> int:
        """The size in bytes of all converted objects in the cache."""
        return self._size

    def get(self, value: bytes) -> bytes | None:
        return self._forms.get(value)

    def put(self, value: bytes, form: bytes) -> None:
        if len(form) > self._bound:
            return
        self._size += len(form) - len(self._forms.pop(value, b""))
        self._forms[value] = form
        while self._size > self._bound:
            self._size -= len(self._forms.popitem(last=False)[1])

    def clear(self) -> None:
        self._forms.clear()
        self._size = 0
