"""Go values in Go syntax, for error messages."""

from collections.abc import Iterable

import msgspec

from fakeapi.machinery.golang.strconv import quote


class Dump(msgspec.Struct, frozen=True):
    """The Go syntax of a value that has no JSON form. Field errors print this text unchanged."""

    text: str

    def __str__(self) -> str:
        return self.text


def strings(texts: Iterable[str]) -> Dump:
    return Dump("[]string{" + ", ".join(map(quote, texts)) + "}")
