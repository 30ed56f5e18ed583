"""CEL semantic versions: `semver('1.2.3')` and its methods.

Follows k8s.io/apiserver `pkg/cel/library/semverlib.go` and github.com/blang/semver/v4.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.cel.runtime.values import Err, Opaque
from fakeapi.machinery.golang.numbers import parse_uint
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

_DIGITS = lazy_pattern("[0-9]*")
_ALPHANUMERIC = lazy_pattern("[0-9A-Za-z-]*")


@dataclass(frozen=True, slots=True)
class Semver(Opaque):
    """A CEL value for a semantic version, without its build metadata.

    `numbers`: major, minor and patch.
    `pre`: the pre-release identifiers.
    """

    type_name = "kubernetes.Semver"

    numbers: tuple[int, int, int]
    pre: tuple[int | str, ...] = ()

    def compare(self, other: "Semver") -> int:
        if self.numbers != other.numbers:
            return 1 if self.numbers > other.numbers else -1
        if not self.pre or not other.pre:
            return (not self.pre) - (not other.pre)
        mine, theirs = (
            [_rank(identifier) for identifier in self.pre],
            [_rank(identifier) for identifier in other.pre],
        )
        return (mine > theirs) - (mine < theirs)


def _rank(identifier: int | str) -> tuple[bool, int, str]:
    """Returns the sort key of a pre-release identifier; numbers sort before strings."""
    return (False, identifier, "") if isinstance(identifier, int) else (True, 0, identifier)


def parse(text: str) -> Semver:
    """Parses a semantic version. Raises ValueError with the message of blang/semver if it is not valid."""
    if not text:
        raise ValueError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise ValueError("No Major.Minor.Patch elements found")
    major, minor = _number("Major", parts[0]), _number("Minor", parts[1])
    patch, plus, build = parts[2].partition("+")
    patch, dash, pre = patch.partition("-")
    numbers = (major, minor, _number("Patch", patch))
    identifiers = tuple(map(_identifier, pre.split("."))) if dash else ()
    for identifier in build.split(".") if plus else ():
        if not identifier:
            raise ValueError("Build meta data is empty")
        if not _ALPHANUMERIC.fullmatch(identifier):
            raise ValueError(f"Invalid character(s) found in build meta data {quote(identifier)}")
    return Semver(numbers, identifiers)


def _number(name: str, text: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"Invalid character(s) found in {name.lower()} number {quote(text)}")
    if len(text) > 1 and text.startswith("0"):
        raise ValueError(f"{name} number must not contain leading zeroes {quote(text)}")
    return parse_uint(text)


def _identifier(text: str) -> int | str:
    if not text:
        raise ValueError("Prerelease is empty")
    if _DIGITS.fullmatch(text):
        if len(text) > 1 and text.startswith("0"):
            raise ValueError(f"Numeric PreRelease version must not contain leading zeroes {quote(text)}")
        return parse_uint(text)
    if not _ALPHANUMERIC.fullmatch(text):
        raise ValueError(f"Invalid character(s) found in prerelease {quote(text)}")
    return text


def _normalized(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    for at, part in enumerate(parts):
        if len(part) > 1:
            kept = part.lstrip("0")
            parts[at] = kept if kept[:1].isascii() and kept[:1].isdigit() else f"0{kept}"
    if len(parts) < 3 and re.search(r"[+-]", parts[-1]):
        raise ValueError("short version cannot contain PreRelease/Build meta data")
    return ".".join([*parts, *["0"] * (3 - len(parts))])


def _semver(text: str, normalize: bool = False) -> Any:  # noqa: FBT001, FBT002 - CEL passes arguments by position
    try:
        return parse(_normalized(text) if normalize else text)
    except ValueError as error:
        return Err(str(error))


def _is_semver(text: str, normalize: bool = False) -> bool:  # noqa: FBT001, FBT002 - as in _semver
    return type(_semver(text, normalize)) is Semver


OVERLOADS: dict[str, Callable[..., Any]] = {
    "string_to_semver": _semver,
    "string_bool_to_semver": _semver,
    "is_semver_string": _is_semver,
    "is_semver_string_bool": _is_semver,
    "semver_is_greater_than": lambda one, other: one.compare(other) == 1,
    "semver_is_less_than": lambda one, other: one.compare(other) == -1,
    "semver_compare_to": lambda one, other: one.compare(other),
    "semver_major": lambda version: version.numbers[0],
    "semver_minor": lambda version: version.numbers[1],
    "semver_patch": lambda version: version.numbers[2],
}
