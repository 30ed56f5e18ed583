"""JSON that is read a value at a time, so that a long array needs the memory of one element."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakeapi.traces.formats import compression
from fakeapi.traces.model import TraceError

VALUE_MAX = 64 << 20
"""Characters of one value; a longer one is refused."""

_CHUNK = 1 << 16


class JsonText:
    """The JSON of a file, compressed as its name says; `line` is where the reader is.

    Raises TraceError for what is not JSON, not UTF-8 or cut short.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = compression.open_read(path)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._ended = False
        self.line = 1

    def close(self) -> None:
        self._file.close()

    def expect(self, mark: str) -> None:
        if self._peek() != mark:
            raise self._wrong(f"{mark!r} is expected")
        self._at += 1

    def names(self) -> Iterator[str]:
        """Of an object whose brace was read; the value of each is to be read before the next."""
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._wrong("a name in quotes is expected")
            self.expect(":")
            yield key
            if not self._another("}"):
                return

    def elements(self) -> Iterator[tuple[int, Any]]:
        """Of an array whose bracket was read, with the lines that they begin in."""
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            self._peek()
            line = self.line
            yield line, self.value()
            if not self._another("]"):
                return

    def value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                ahead = error.pos - self._at
                if not self._more():
                    raise self._malformed(error.msg, self._at + ahead) from error
                continue
            except RecursionError as error:
                raise self._wrong("is nested too deeply") from error
            if end < len(self._text) or not self._more():  # a number at the end may go on
                self._pass(end)
                return value

    def _another(self, close: str) -> bool:
        mark = self._peek()
        if mark not in {",", close}:
            raise self._wrong(f"',' or {close!r} is expected")
        self._at += 1
        return mark == ","

    def _peek(self) -> str:
        """The next character that is no blank."""
        while True:
            while self._at < len(self._text):
                mark = self._text[self._at]
                if mark not in " \t\r\n":
                    return mark
                self._pass(self._at + 1)
            if not self._more():
                raise self._wrong("ends in the middle of its JSON: the file was cut short")

    def _pass(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self) -> bool:
        """Reads on, twice as much as there is, so that a long value is not begun too often."""
        rest = self._text[self._at :]
        if self._ended:
            return False
        if len(rest) > VALUE_MAX:
            raise self._wrong(f"a value is longer than {VALUE_MAX >> 20} MiB")
        try:
            data = self._file.read(max(_CHUNK, len(rest)))
            self._ended = not data
            self._text = rest + self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise self._wrong(f"is not UTF-8: {error.reason}") from error
        except compression.UNREADABLE as error:
            raise compression.explain(self._path, self.line, error) from error
        self._at = 0
        return not self._ended

    def _malformed(self, message: str, place: int) -> TraceError:
        if place >= len(self._text.rstrip()) or message.startswith("Unterminated"):
            return self._wrong("ends in the middle of its JSON: the file was cut short")
        self._pass(place)
        return self._wrong(message)

    def _wrong(self, message: str) -> TraceError:
        return TraceError(str(self._path), self.line, "", message)
