"""Defines the string formats of declarative validation, such as label keys, UUIDs and resource pool names.

Follows k8s.io/apimachinery `pkg/api/validate` (strfmt) and `pkg/api/validate/content`. A format is a function
that returns the errors of a string.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from fakeapi.machinery.field_errors import FieldError, invalid, too_long
from fakeapi.machinery.meta import names

Show: TypeAlias = Callable[[str], Any]
Format: TypeAlias = Callable[[str, str, Show], list[FieldError]]
"""A function that returns the errors of a string: `(text, path, show) -> errors`.

- `path`: the field path of the string.
- `show`: converts the string to the text that errors print.
"""

_POOL_NAME_MAX: Final = 253
_ATTRIBUTE_DOMAIN_MAX: Final = 63
_ATTRIBUTE_NAME_MAX: Final = 32
_LIMIT: Final = "may not be more than {} bytes"
_QUOTA_PREFIX: Final = "requests."
_NATIVE_DOMAIN: Final = "kubernetes.io/"
_UUID_PROBLEM: Final = "must be a lowercase UUID in 8-4-4-4-12 format"
_is_uuid = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch


def _of_messages(messages: Callable[[str], Iterable[str]]) -> Format:
    def errors(text: str, path: str, show: Show) -> list[FieldError]:
        return [invalid(path, show(text), message) for message in messages(text)]

    return errors


def _label_key(text: str) -> list[str]:
    return names.is_qualified_name(text, unit="bytes")


def _prefixed_label_key(text: str) -> list[str]:
    if messages := _label_key(text):
        return messages
    return [] if "/" in text else ["must include a prefix (e.g. 'example.com/key')"]


def _uuid(text: str, path: str, show: Show) -> list[FieldError]:
    return [] if _is_uuid(text) else [invalid(path, text, _UUID_PROBLEM)]


def _pool_name(text: str, path: str, show: Show) -> list[FieldError]:
    errors = [too_long(path, _POOL_NAME_MAX, _LIMIT)] if names.byte_length(text) > _POOL_NAME_MAX else []
    for number, part in enumerate(text.split("/")):
        if not part:
            errors.append(invalid(path, text, f"segment {number}: must not be empty"))
            continue
        messages = names.is_dns1123_subdomain(part, "bytes")
        errors += [invalid(path, part, f"segment {number}: {message}") for message in messages]
    return errors


def _extended_resource_name(text: str, path: str, show: Show) -> list[FieldError]:
    problems = []
    if "/" not in text:
        problems.append("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif _NATIVE_DOMAIN in text:
        problems.append(f'must not have "{_NATIVE_DOMAIN}" domain')
    if text.startswith(_QUOTA_PREFIX):
        problems.append(f'must not have "{_QUOTA_PREFIX}" prefix')
    problems += _label_key(_QUOTA_PREFIX + text)
    return [invalid(path, text, problem) for problem in problems]


def _identifier(text: str, path: str) -> list[FieldError]:
    errors = []
    if names.byte_length(text) > _ATTRIBUTE_NAME_MAX:
        errors.append(too_long(path, _ATTRIBUTE_NAME_MAX, _LIMIT))
    return [*errors, *(invalid(path, text, message) for message in names.is_c_identifier(text))]


def _attribute_domain(text: str, path: str) -> list[FieldError]:
    if not text:
        return [invalid(path, "", "prefix must not be empty")]
    errors = []
    if names.byte_length(text) > _ATTRIBUTE_DOMAIN_MAX:
        errors.append(too_long(path, _ATTRIBUTE_DOMAIN_MAX, _LIMIT))
    messages = names.is_dns1123_subdomain(text, "bytes")
    return [*errors, *(invalid(path, text, f"prefix: {message}") for message in messages)]


def _fully_qualified_name(text: str, path: str, show: Show) -> list[FieldError]:
    """Returns the errors of a name `domain/identifier`. As upstream, accepts names with more than one
    slash.
    """
    match text.split("/"):
        case [identifier]:
            problem = "a fully qualified name must be a domain and a name separated by a slash"
            return [*_identifier(identifier, path), invalid(path, text, problem)]
        case [domain, ""]:
            return [*_attribute_domain(domain, path), invalid(path, "", "name must not be empty")]
        case [domain, identifier]:
            return [*_attribute_domain(domain, path), *_identifier(identifier, path)]
    return []


FORMATS: Final[Mapping[str, Format]] = {
    "ExtendedResourceName": _extended_resource_name,
    "LabelKey": _of_messages(_label_key),
    "LabelValue": _of_messages(partial(names.is_valid_label_value, unit="bytes")),
    "LongName": _of_messages(partial(names.is_dns1123_subdomain, unit="bytes")),
    "LongNameCaseless": _of_messages(partial(names.is_dns1123_subdomain_of_any_case, unit="bytes")),
    "PathSegmentName": _of_messages(names.is_valid_path_segment_name),
    "PrefixedLabelKey": _of_messages(_prefixed_label_key),
    "ResourceFullyQualifiedName": _fully_qualified_name,
    "ResourcePoolName": _pool_name,
    "ShortName": _of_messages(partial(names.is_dns1123_label, unit="bytes")),
    "UUID": _uuid,
}
"""The string formats, by the name of the upstream function."""
