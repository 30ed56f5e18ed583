"""Validates strings by the `format` of a schema.

Follows k8s.io/kube-openapi `pkg/validation/strfmt` and its copy of govalidator.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable
from typing import TypeAlias

from fakeapi.machinery.golang.duration import duration_error
from fakeapi.machinery.golang.ip_addresses import parse_cidr, parse_ip
from fakeapi.machinery.golang.mail_address import is_address
from fakeapi.machinery.golang.request_uri import is_request_uri
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.machinery.structural.schema import Schema

FormatCheck: TypeAlias = Callable[[str], bool]

_INT_MAX = (1 << 63) - 1
_HOSTNAME_BYTES, _LABEL_BYTES = 255, 63
_SHORT_NAME = lazy_pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_SHORT_NAME_BYTES, _LONG_NAME_BYTES = 63, 253


def format_check(name: str, rules: SchemaRules) -> FormatCheck | None:
    """Returns a function that validates strings by a format; None if the format is unknown.

    Ignores dashes in the name: date-time is the same as datetime.
    """
    plain = name.replace("-", "")
    if plain == "mac" and rules.knows_bare_mac:
        return _is_mac_or_bare
    if plain in _NAME_FORMATS:
        return _NAME_FORMATS[plain] if rules.knows_name_formats else None
    return _FORMATS.get(plain)


NUMBER_FORMATS = {"integer": ("int32", "int64"), "number": ("float", "double")}
"""Names of number formats by schema type."""


def knows_format(schema: Schema, types: tuple[str, ...], rules: SchemaRules) -> bool:
    """Whether the server validates values by the format of a schema; `types` are the allowed JSON types."""
    only = types[0] if len(types) == 1 else ""
    if rules.formats_follow_types and only not in ("", "string"):
        return schema.format in NUMBER_FORMATS.get(only, ())
    return format_check(schema.format, rules) is not None


def _is_object_id(text: str) -> bool:
    return re.fullmatch(r"[0-9a-fA-F]{24}", text) is not None


def _is_hostname(text: str) -> bool:
    if len(text.encode()) > _HOSTNAME_BYTES:
        return False
    *labels, top = text.split(".")
    if any(len(label.encode()) > _LABEL_BYTES for label in (*labels, top)):
        return False
    if not labels:
        return _is_single_label(top)
    letters = all(_is_letter(character) for character in top)
    return letters and 2 <= len(top) <= _LABEL_BYTES and all(map(_is_label, labels))


def _is_single_label(label: str) -> bool:
    """Whether a host name without dots is valid.

    Allows letters, digits and some symbols. A dash is allowed only as the second character.
    """
    rest = label[1:].removeprefix("-")
    return label != "" and all(map(_is_host_character, label[0] + rest))


def _is_label(label: str) -> bool:
    if not label or "-" in (label[0], label[-1]):
        return False
    return all(character == "-" or _is_host_character(character) for character in label)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] == "L"


def _is_host_character(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in "$+<=>^`|~"
    return unicodedata.category(character)[0] in "LS"


def _is_ipv4(text: str) -> bool:
    return "." in text and parse_ip(text) is not None


def _is_ipv6(text: str) -> bool:
    address = parse_ip(text)
    return ":" in text and address is not None and not address.leading_zeros


def _is_cidr(text: str) -> bool:
    return parse_cidr(text) is not None


_MAC_BYTES = (6, 8, 20)


def _is_mac(text: str) -> bool:
    if re.fullmatch(r"[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+", text):
        return (text.count(".") + 1) * 2 in _MAC_BYTES
    separator = text[2:3]
    if separator not in (":", "-"):
        return False
    pairs = text.split(separator)
    return len(pairs) in _MAC_BYTES and all(re.fullmatch(r"[0-9a-fA-F]{2}", pair) for pair in pairs)


def _is_mac_or_bare(text: str) -> bool:
    return _is_mac(text) or (
        len(text) // 2 in _MAC_BYTES and re.fullmatch(r"(?:[0-9a-fA-F]{2})+", text) is not None
    )


def _uuid(third: str, fourth: str) -> FormatCheck:
    """Returns a function that validates UUIDs of one version.

    `third`, `fourth`: regular expressions of the third and fourth group of digits.

    Dashes between groups are optional.
    """
    groups = ("[0-9a-f]{8}", "[0-9a-f]{4}", third, fourth, "[0-9a-f]{12}")
    return _matches("-?".join(groups), re.IGNORECASE | re.ASCII)


def _matches(pattern: str, flags: re.RegexFlag = re.ASCII) -> FormatCheck:
    compiled = re.compile(pattern, flags)
    return lambda text: compiled.fullmatch(text) is not None


def _is_base64(text: str) -> bool:
    """Whether a non-empty text is base64 with padding."""
    return len(text) % 4 == 0 and re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text) is not None


def _is_isbn(text: str) -> bool:
    return _is_isbn10(text) or _is_isbn13(text)


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(place * value for place, value in enumerate(values, 1)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits[:12]))
    return int(digits[12]) == (10 - total % 10) % 10


_CARD = lazy_pattern(
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)


def _is_credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not _CARD.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_ssn(text: str) -> bool:
    return len(text) == 11 and re.fullmatch(r"[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}", text) is not None


_CHANNEL = r"(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])"


def _is_date(text: str) -> bool:
    match = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    if not match:
        return False
    year, month, day = map(int, match.groups())
    # Python has no year 0. The year 0 is a leap year, like 2000.
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or 2000, month)[1]


_CLOCK = lazy_pattern(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})")


def _is_date_time(text: str) -> bool:
    parts = text.lower().split("t", 2)
    if len(text.encode()) < 4 or len(parts) < 2 or not _is_date(parts[0]):
        return False
    match = _CLOCK.fullmatch(parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


_UNITS = {"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"}
_UNIT_BEGINNINGS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")


def _is_duration(text: str) -> bool:
    """Whether a text is a Go duration, or contains a number and a unit such as "minutes"."""
    if not duration_error(text):
        return True
    known = False
    for digits in re.finditer(r"[0-9]+", text):
        unit = re.compile(r"[\t\n\f\r ]*([A-Za-zµ]+)").match(text, digits.end())
        if unit is None:
            continue
        if len(digits.group().lstrip("0")) > 19 or int(digits.group()[-20:]) > _INT_MAX:
            return False
        word = unit[1].lower().replace("\u03bc", "µ")
        known = known or word in _UNITS or word.startswith(_UNIT_BEGINNINGS)
    return known


def _is_short_name(text: str) -> bool:
    return len(text) <= _SHORT_NAME_BYTES and _SHORT_NAME.fullmatch(text) is not None


def _is_long_name(text: str) -> bool:
    return len(text) <= _LONG_NAME_BYTES and all(_SHORT_NAME.fullmatch(part) for part in text.split("."))


_HEX4 = "[0-9a-f]{4}"
_FORMATS: dict[str, FormatCheck] = {
    "bsonobjectid": _is_object_id,
    "uri": is_request_uri,
    "email": is_address,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "cidr": _is_cidr,
    "mac": _is_mac,
    "uuid": _uuid(_HEX4, _HEX4),
    "uuid3": _uuid("3[0-9a-f]{3}", _HEX4),
    "uuid4": _uuid("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "uuid5": _uuid("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "isbn": _is_isbn,
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": _is_ssn,
    "hexcolor": _matches(r"#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(
        rf"rgb\([\t\n\f\r ]*{_CHANNEL}[\t\n\f\r ]*,[\t\n\f\r ]*{_CHANNEL}[\t\n\f\r ]*,"
        rf"[\t\n\f\r ]*{_CHANNEL}[\t\n\f\r ]*\)"
    ),
    "byte": _is_base64,
    "password": lambda text: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
}
_NAME_FORMATS: dict[str, FormatCheck] = {"k8sshortname": _is_short_name, "k8slongname": _is_long_name}
