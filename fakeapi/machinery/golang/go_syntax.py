"""Go values that error messages print in Go syntax."""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.machinery.golang.strconv import quote


@dataclass(frozen=True, slots=True)
class Dump:
    """The text of a Go value without a JSON form, which a field error prints unchanged."""

    text: str

    def __str__(self) -> str:
        return self.text


def strings(texts: Iterable[str]) -> Dump:
    return Dump("[]string{" + ", ".join(map(quote, texts)) + "}")
