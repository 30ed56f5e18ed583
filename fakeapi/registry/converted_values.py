"""Cache of stored objects as another version shows them."""

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
        self._forms: dict[bytes, bytes] = {}

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
            self._size -= len(self._forms.pop(next(iter(self._forms))))

    def clear(self) -> None:
        self._forms.clear()
        self._size = 0
