"""CEL functions of named formats, such as `format.dns1123Label().validate('a')`.

Follows k8s.io/apiserver `pkg/cel/library/format.go`.
"""

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from fakeapi.machinery.cel.runtime.functions.times import parsed_timestamp
from fakeapi.machinery.cel.runtime.functions.urls import parse_request_uri
from fakeapi.machinery.cel.runtime.values import NONE, Items, Opaque, Optional
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta.names import (
    is_qualified_name,
    is_valid_label_value,
    name_is_dns1035_label,
    name_is_dns_label,
    name_is_dns_subdomain,
)

_Check = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class NamedFormat(Opaque):
    """A named format of CEL strings, such as `dns1123Label`.

    `check`: a function (text) -> error messages.
    `pattern_size`: the length of Kubernetes' regular expression, which determines the cost of a call.
    """

    type_name = "kubernetes.NamedFormat"

    name: str
    check: _Check
    pattern_size: int


def _uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except ValueError as error:
        return [str(error)]
    return []


_UUID = lazy_pattern(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")


def _uuid(text: str) -> list[str]:
    return [] if _UUID.fullmatch(text) else ["does not match the UUID format"]


def _byte(text: str) -> list[str]:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return ["invalid base64"]
    return []


def _date(text: str) -> list[str]:
    try:
        date.fromisoformat(text) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else int("")
    except ValueError:
        return ["invalid date"]
    return []


def _datetime(text: str) -> list[str]:
    try:
        parsed_timestamp(text.upper())
    except ValueError:
        return ["invalid datetime"]
    return []


def _of(name: str, check: _Check, pattern_size: int) -> NamedFormat:
    return NamedFormat(name, check, pattern_size)


FORMATS = {
    "dns1123Label": _of("DNS1123Label", lambda text: name_is_dns_label(text, False), 30),
    "dns1123Subdomain": _of("DNS1123Subdomain", lambda text: name_is_dns_subdomain(text, False), 60),
    "dns1035Label": _of("DNS1035Label", lambda text: name_is_dns1035_label(text, False), 30),
    "qualifiedName": _of("QualifiedName", is_qualified_name, 60),
    "dns1123LabelPrefix": _of("DNS1123LabelPrefix", lambda text: name_is_dns_label(text, True), 30),
    "dns1123SubdomainPrefix": _of(
        "DNS1123SubdomainPrefix", lambda text: name_is_dns_subdomain(text, True), 60
    ),
    "dns1035LabelPrefix": _of("DNS1035LabelPrefix", lambda text: name_is_dns1035_label(text, True), 30),
    "labelValue": _of("LabelValue", is_valid_label_value, 40),
    "uri": _of("URI", _uri, 1103),
    "uuid": _of("uuid", _uuid, 70),
    "byte": _of("byte", _byte, 84),
    "date": _of("date", _date, 71),
    "datetime": _of("datetime", _datetime, 71),
}


def _named(name: str) -> Optional:
    return Optional(FORMATS[name]) if name in FORMATS else NONE


def _validate(named: NamedFormat, text: str) -> Optional:
    errors = named.check(text)
    return Optional(Items(list(errors))) if errors else NONE


def _constant(named: NamedFormat) -> Callable[[], NamedFormat]:
    return lambda: named


OVERLOADS: dict[str, Callable[..., Any]] = {
    "format-validate": _validate,
    "format-named": _named,
    **{f"format-{name}": _constant(named) for name, named in FORMATS.items()},
}
