"""Cache of stored objects as another version shows them."""

from collections import OrderedDict

CONVERTED_BYTES_MAX = 16 * 1024 * 1024
"""Of the forms that are kept for one version of a resource; when there are more, the oldest go."""


class ConvertedValues:
    """The forms that stored values have in one version, which follow from the values alone.

    Bounded by the bytes of the forms: the first that was put in goes first, and one that is longer than the
    bound is not kept.
    """

    def __init__(self, bound: int = CONVERTED_BYTES_MAX) -> None:
        self._bound = bound
        self._size = 0
        # A dict looks for its first key past all that went before it.
        self._forms: OrderedDict[bytes, bytes] = OrderedDict()

    def __contains__(self, value: bytes) -> bool:
        return value in self._forms

    def __len__(self) -> int:
        return len(self._forms)

    @property
    def size(self) -> int:
        """Bytes of the forms."""
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
