"""Go values that errors print as they stand."""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.machinery.golang.strconv import quote


@dataclass(frozen=True, slots=True)
class Dump:
    """Text that a field error prints as its value: a Go value that has no JSON form."""

    text: str

    def __str__(self) -> str:
        return self.text


def strings(texts: Iterable[str]) -> Dump:
    return Dump("[]string{" + ", ".join(map(quote, texts)) + "}")
