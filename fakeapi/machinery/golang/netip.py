"""Validates IP addresses and prefixes, with the errors of Go's `netip.ParseAddr` and `netip.ParsePrefix`.

Follows Go's standard library, `net/netip`.
"""

import re
from typing import Final

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

_GROUPS: Final = 8
_HEXADECIMAL = lazy_pattern("[0-9a-fA-F]*")


def addr_error(text: str) -> str | None:
    """Returns the error message of Go's netip.ParseAddr; None for a valid IP address."""
    first = next((character for character in text if character in ".:%"), "")
    match first:
        case ".":
            error = _ipv4(text)
        case ":":
            error = _ipv6(text)
        case "%":
            error = ("missing IPv6 address", "")
        case _:
            error = ("unable to parse IP", "")
    if error is None:
        return None
    message, at = error
    return f"ParseAddr({quote(text)}): {message}" + (f" (at {quote(at)})" if at else "")


def prefix_error(text: str) -> str | None:
    """Returns the error message of Go's netip.ParsePrefix; None for a valid CIDR value."""
    address, slash, length = text.rpartition("/")
    problem = None
    if not slash:
        problem = "no '/'"
    elif (error := addr_error(address)) is not None:
        problem = error
    elif "%" in address:
        problem = "IPv6 zones cannot be present in a prefix"
    elif not re.fullmatch("0|[1-9][0-9]*", length):
        problem = f"bad bits after slash: {quote(length)}"
    elif len(length) > 3 or int(length) > (128 if ":" in address else 32):
        problem = "prefix length out of range"
    return None if problem is None else f"netip.ParsePrefix({quote(text)}): {problem}"


def _ipv4(text: str) -> tuple[str, str] | None:
    """Returns the error of an IPv4 address; None if the address is valid.

    The error is (message, text that Go's message quotes). The text may be "".
    """
    dots, digits = 0, ""
    for index, character in enumerate(text):
        if character.isascii() and character.isdigit():
            if digits == "0":
                return "IPv4 field has octet with leading zero", ""
            digits += character
            if int(digits) > 0xFF:
                return "IPv4 field has value >255", ""
        elif character == ".":
            if not digits or index == len(text) - 1:
                return "IPv4 field must have at least one digit", text[index:]
            if dots == 3:
                return "IPv4 address too long", ""
            dots, digits = dots + 1, ""
        else:
            return "unexpected character", text[index:]
    return None if dots == 3 else ("IPv4 address too short", "")


def _ipv6(text: str) -> tuple[str, str] | None:
    """Returns the error of an IPv6 address; None if the address is valid.

    The error is (message, text that Go's message quotes). The text may be "".
    """
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        return "zone must be a non-empty string", ""
    ellipsis = rest.startswith("::")
    if ellipsis:
        rest = rest[2:]
        if not rest:
            return None
    groups = 0
    while groups < _GROUPS:
        match = _HEXADECIMAL.match(rest)
        digits = match[0] if match else ""
        if problem := _group(digits, rest):
            return problem
        if rest[len(digits) :].startswith("."):
            if problem := _embedded(rest, groups, ellipsis=ellipsis):
                return problem
            groups, rest = groups + 2, ""
            break
        groups, rest = groups + 1, rest[len(digits) :]
        if not rest:
            break
        if not rest.startswith(":"):
            return "unexpected character, want colon", rest
        if rest == ":":
            return "colon must be followed by more characters", rest
        rest = rest[1:]
        if rest.startswith(":"):
            if ellipsis:
                return "multiple :: in address", rest
            ellipsis, rest = True, rest[1:]
            if not rest:
                break
    if rest:
        return "trailing garbage after address", rest
    if groups < _GROUPS:
        return None if ellipsis else ("address string too short", "")
    return ("the :: must expand to at least one field of zeros", "") if ellipsis else None


def _group(digits: str, rest: str) -> tuple[str, str] | None:
    if len(digits) > 4:
        return "each group must have 4 or less digits", rest
    return None if digits else ("each colon-separated field must have at least one digit", rest)


def _embedded(rest: str, groups: int, *, ellipsis: bool) -> tuple[str, str] | None:
    if not ellipsis and groups != _GROUPS - 2:
        return "embedded IPv4 address must replace the final 2 fields of the address", rest
    if groups + 2 > _GROUPS:
        return "too many hex fields to fit an embedded IPv4 at the end of the address", rest
    return _ipv4(rest)
