"""Go values in Go syntax, for error messages."""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.machinery.golang.strconv import quote


@dataclass(frozen=True, slots=True)
class Dump:
    """The text of a Go value that has no JSON form; field errors print the text unchanged."""

    text: str

    def __str__(self) -> str:
        return self.text


def strings(texts: Iterable[str]) -> Dump:
    return Dump("[]string{" + ", ".join(map(quote, texts)) + "}")
