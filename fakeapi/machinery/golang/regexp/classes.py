"""Sets of characters in regular expressions. Follows Go's `regexp/syntax` (perl_groups, unicodeTable)."""

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeAlias

import msgspec

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points: (first, last), both included."""

_KELVIN, _LONG_S, _ANGSTROM = "\u212a", "\u017f", "\u212b"
_FOLDS = {"k": _KELVIN, "s": _LONG_S, "\u00e5": _ANGSTROM}
"""Lower-case letters with a third case variant: for example, the Kelvin sign is a variant of `k`."""


def _ascii(*spans: str) -> Ranges:
    return tuple((ord(span[0]), ord(span[-1])) for span in spans)


PERL: dict[str, Ranges] = {
    "d": _ascii("09"),
    "s": _ascii("\t\n", "\f\r", "  "),
    "w": _ascii("09", "AZ", "__", "az"),
}

POSIX: dict[str, Ranges] = {
    "alnum": _ascii("09", "AZ", "az"),
    "alpha": _ascii("AZ", "az"),
    "ascii": _ascii("\x00\x7f"),
    "blank": _ascii("\t\t", "  "),
    "cntrl": _ascii("\x00\x1f", "\x7f\x7f"),
    "digit": _ascii("09"),
    "graph": _ascii("!~"),
    "lower": _ascii("az"),
    "print": _ascii(" ~"),
    "punct": _ascii("!/", ":@", "[`", "{~"),
    "space": _ascii("\t\r", "  "),
    "upper": _ascii("AZ"),
    "word": _ascii("09", "AZ", "__", "az"),
    "xdigit": _ascii("09", "AF", "af"),
}

_CATEGORIES = frozenset(
    [
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "Mc",
        "Me",
        "Mn",
        "Nd",
        "Nl",
        "No",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Zl",
        "Zp",
        "Zs",
    ]
)
_SCRIPTS = {
    name: (f"{name.upper()} ",)
    for name in [
        "Arabic",
        "Armenian",
        "Bengali",
        "Bopomofo",
        "Cherokee",
        "Coptic",
        "Cyrillic",
        "Devanagari",
        "Ethiopic",
        "Georgian",
        "Greek",
        "Gujarati",
        "Gurmukhi",
        "Hangul",
        "Hebrew",
        "Hiragana",
        "Kannada",
        "Katakana",
        "Khmer",
        "Lao",
        "Latin",
        "Malayalam",
        "Mongolian",
        "Myanmar",
        "Ogham",
        "Oriya",
        "Runic",
        "Sinhala",
        "Syriac",
        "Tamil",
        "Telugu",
        "Thaana",
        "Thai",
        "Tibetan",
    ]
} | {"Han": ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI RADICAL")}
"""Prefixes of character names by Unicode script. Approximate, because Python has no table of scripts."""


class Item(msgspec.Struct, frozen=True):
    """A part of a character class: code points in `ranges`, or the Unicode category or script `named`."""

    ranges: Ranges = ()
    named: str = ""
    negated: bool = False

    def has(self, variants: Iterable[str]) -> bool:
        test = unicode_test(self.named) if self.named else None
        return (
            any(test(variant) if test else _within(ord(variant), self.ranges) for variant in variants)
            != self.negated
        )


class CharacterSet(msgspec.Struct, frozen=True):
    """The characters that a class, a dot or a literal matches. If `folds` is True, case does not matter."""

    items: tuple[Item, ...]
    negated: bool = False
    folds: bool = False

    def has(self, character: str) -> bool:
        variants = _variants(character) if self.folds else (character,)
        return any(item.has(variants) for item in self.items) != self.negated


@cache
def unicode_test(name: str) -> Callable[[str], bool] | None:
    """Returns a function that tests for a Unicode category (`L`, `Lu`, `Any`) or script.

    Returns None for an unknown name.
    """
    if name == "Any":
        return lambda _: True
    if name in _CATEGORIES or name in {category[0] for category in _CATEGORIES}:
        return lambda character: unicodedata.category(character).startswith(name) and _is_assigned(character)
    prefixes = _SCRIPTS.get(name)
    if prefixes is None:
        return None
    return lambda character: unicodedata.name(character, "").startswith(prefixes)


def _is_assigned(character: str) -> bool:
    return unicodedata.category(character) != "Cn"


def _within(code: int, ranges: Ranges) -> bool:
    return any(first <= code <= last for first, last in ranges)


@cache
def _variants(character: str) -> tuple[str, ...]:
    lower = character.lower()
    if len(lower) != 1:
        return (character,)
    variants = {character, lower, character.upper(), lower.upper(), lower.upper().lower()}
    if lower in _FOLDS:
        variants.add(_FOLDS[lower])
    if character == _LONG_S:
        variants.add("s")
    return tuple(variant for variant in variants if len(variant) == 1)
