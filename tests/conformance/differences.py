"""Compares a response with the recorded response, except for values that differ between any two servers."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Self

from tests.conformance.identities import UID, Identities, is_list

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_POINTER = re.compile(r"\b0x[0-9a-f]{9,12}\b")
_VERSION_WORDS = re.compile(
    r"(resourceVersion(?:\\*\"?): ?(?:\\*\")?|in record \(|in the precondition \(|"
    r"ResourceVersion in (?:precondition|object meta): |"
    r"too old resource version: \d+ \(|Too large resource version: \d+, current: )\d+"
)
_RANDOM = "[bcdfghjklmnpqrstvwxz2456789]{5}"
_ABSENT = object()


class Difference(str):
    """A line of text that describes a difference.

    `is_wording`: whether only the text of a message differs.
    """

    __slots__ = ("is_wording",)
    is_wording: bool

    def __new__(cls, path: str, recorded: Any, actual: Any) -> Self:
        one, other = _shortened(recorded, actual)
        line = super().__new__(cls, f"{path}: recorded {one}, got {other}")
        line.is_wording = path.endswith(".message") and isinstance(recorded, str) and isinstance(actual, str)
        return line


class Comparison:
    """Compares the responses of one scenario with their recordings, in order.

    Before a comparison, replaces recorded uids, names and resourceVersions by the tested server's values.
    """

    age = re.compile(r"\d+s")
    """Matches a cell of a Table that shows the age of an object."""

    def __init__(self, identities: Identities, generated: list[str]) -> None:
        self._identities = identities
        self._generated = [(prefix, re.compile(re.escape(prefix) + _RANDOM)) for prefix in generated]

    def answer(self, recorded: dict[str, Any], actual: dict[str, Any]) -> list[Difference]:
        """Compares a response with its recording; returns the differences.

        Compares the status code, the headers, the body or the watch events, and whether a watch ended.
        """
        return [
            Difference(path, one, other)
            for path, one, other in self._walk(
                self._settled(self._translated(recorded), self._recorded), self._settled(actual, str), ""
            )
        ]

    def _translated(self, value: Any) -> Any:
        """Replaces recorded uids, names and versions in a JSON value by the tested server's values."""
        if isinstance(value, dict):
            return {self._identities.text(name): self._translated(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._translated(item) for item in value]
        return self._identities.text(value) if isinstance(value, str) else value

    def _recorded(self, version: str) -> str:
        return self._identities.versions.get(version, f"recorded {version}")

    def _settled(
        self, value: Any, version: Callable[[str], str], key: str = "", *, listed: bool = False
    ) -> Any:
        """Returns a JSON value with placeholders for values that differ between servers, such as times.

        - `version`: converts the resourceVersion of an object to a text to compare
        - `key`: the field name of the value
        - `listed`: whether the value is the metadata of a list, whose resourceVersion may differ
        """
        if isinstance(value, dict):
            if value.get("type") == "BOOKMARK":
                return {"type": "BOOKMARK", "object": self._bookmark(value["object"], version)}
            inside = is_list(value)
            return {
                self._text(name): self._settled(
                    item, version, name, listed=inside if name == "metadata" else listed
                )
                for name, item in value.items()
            }
        if isinstance(value, list):
            return [self._settled(item, version, key) for item in _sorted(value, key)]
        if not isinstance(value, str):
            return value
        if key == "resourceVersion" and value.isdigit():
            return "<version>" if listed else version(value)
        if key == "continue":
            return "<continue>" if value else value
        return "<age>" if key == "cells" and self.age.fullmatch(value) else self._text(value)

    def _bookmark(self, value: dict[str, Any], version: Callable[[str], str]) -> Any:
        meta = {key: item for key, item in value.get("metadata", {}).items() if key != "resourceVersion"}
        return self._settled({**value, "metadata": meta}, version)

    def _text(self, text: str) -> str:
        text = _TIME.sub(lambda match: "<time-us>" if match[1] else "<time>", text)
        text = _VERSION_WORDS.sub(r"\1<version>", text)
        text = UID.sub(lambda match: self._known(match[0]), text)
        for prefix, pattern in self._generated:
            text = pattern.sub(f"{prefix}<random>", text)
        return _POINTER.sub("<pointer>", text)

    def _known(self, uid: str) -> str:
        return uid if uid in self._identities.texts.values() else "<uid>"

    def _walk(self, one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
        if isinstance(one, dict) and isinstance(other, dict):
            for key in sorted(one.keys() | other.keys()):
                yield from self._walk(one.get(key, _ABSENT), other.get(key, _ABSENT), f"{path}.{key}")
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                yield f"{path}.length", len(one), len(other)
            for index, (left, right) in enumerate(zip(one, other, strict=False)):
                yield from self._walk(left, right, f"{path}[{index}]")
        elif (one != other or type(one) is not type(other)) and not self.match(one, other):
            yield path, one, other

    def match(self, recorded: Any, actual: Any) -> bool:
        """Whether to ignore the difference between two values.

        Always returns False; a subclass may ignore some differences.
        """
        return False


def _sorted(value: list[Any], key: str) -> list[Any]:
    """Returns a sorted copy of a list that has no fixed order; returns other lists unchanged.

    `key`: the field that contains the list. Managed fields and the causes of apply conflicts have no fixed
    order.
    """
    if key == "managedFields":
        names = ("operation", "manager", "apiVersion", "subresource")
        return sorted(value, key=lambda entry: [str(entry.get(name)) for name in names])
    if key == "causes" and any(cause.get("reason") == "FieldManagerConflict" for cause in value):
        return sorted(value, key=lambda cause: [str(cause.get("field")), str(cause.get("message"))])
    return value


_SHOWN_MAX = 300
_SHOWN_BEFORE = 60
"""Number of equal characters to show before the first difference of two long values."""


def _shortened(recorded: Any, actual: Any) -> tuple[str, str]:
    """Returns two values as text; long texts start shortly before their first difference."""
    texts = ["nothing" if value is _ABSENT else repr(value) for value in (recorded, actual)]
    same = next((index for index, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), 0)
    if max(map(len, texts)) <= _SHOWN_MAX or same <= _SHOWN_BEFORE:
        return texts[0][:_SHOWN_MAX], texts[1][:_SHOWN_MAX]
    start = same - _SHOWN_BEFORE
    one, other = (f"…{text[start : start + _SHOWN_MAX]}" for text in texts)
    return one, other
