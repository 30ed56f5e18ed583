"""Validates names: DNS labels and subdomains, qualified names, path segments.

Follows k8s.io/apimachinery `pkg/util/validation`, `pkg/api/validation` and `pkg/api/validation/path`, whose
rules are the same in all releases. Validators return error messages in upstream's order; an empty list if the
text is valid. Lengths are in bytes of UTF-8, like Go's `len`.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from fakeapi.machinery.field_errors import FieldError, invalid, required

NameValidator: TypeAlias = Callable[[str, bool], list[str]]
"""A function that validates names: (name, whether the name is a generateName prefix) -> error messages.

The function returns [] for a valid name.
"""

DNS1123_LABEL_MAX_LENGTH = 63
DNS1123_SUBDOMAIN_MAX_LENGTH = 253
DNS1035_LABEL_MAX_LENGTH = 63
QUALIFIED_NAME_MAX_LENGTH = 63
LABEL_VALUE_MAX_LENGTH = 63
_ALPHANUMERIC_ENDS = (
    "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_LABEL_PATTERN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_PATTERN = rf"{_LABEL_PATTERN}(\.{_LABEL_PATTERN})*"
_WILDCARD_SUBDOMAIN_PATTERN = rf"\*\.{_SUBDOMAIN_PATTERN}"
_DNS1035_PATTERN = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED_PATTERN = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE_PATTERN = f"({_QUALIFIED_PATTERN})?"
_C_IDENTIFIER_PATTERN = "[A-Za-z_][A-Za-z0-9_]*"
_CONFIG_MAP_KEY_PATTERN = "[-._a-zA-Z0-9]+"


def _matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(pattern.replace("(", "(?:")).fullmatch


_is_label = _matcher(_LABEL_PATTERN)
_is_subdomain = _matcher(_SUBDOMAIN_PATTERN)
_is_wildcard_subdomain = _matcher(_WILDCARD_SUBDOMAIN_PATTERN)
_is_dns1035_label = _matcher(_DNS1035_PATTERN)
_is_qualified = _matcher(_QUALIFIED_PATTERN)
_is_prefixed = _matcher(f"({_SUBDOMAIN_PATTERN}/)?{_QUALIFIED_PATTERN}")
_is_label_value = _matcher(_LABEL_VALUE_PATTERN)
_is_c_identifier = _matcher(_C_IDENTIFIER_PATTERN)
_is_config_map_key = _matcher(_CONFIG_MAP_KEY_PATTERN)


def regex_error(message: str, pattern: str, *examples: str) -> str:
    """Returns an error message with examples and the pattern.

    The form is `MESSAGE (e.g. 'a', regex used for validation is '…')`. Without examples, the message has only
    the pattern.
    """
    if not examples:
        return f"{message} (regex used for validation is '{pattern}')"
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {listed}regex used for validation is '{pattern}')"


def max_length_error(most: int, unit: str = "characters") -> str:
    return f"must be no more than {most} {unit}"


_LABEL_ERROR = regex_error(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _LABEL_PATTERN,
    "my-name",
    "123-abc",
)
_SUBDOMAIN_ERROR = regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN_PATTERN,
    "example.com",
)
_SUBDOMAIN_OF_ANY_CASE_ERROR = regex_error(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with "
    "an alphanumeric character",
    _SUBDOMAIN_PATTERN,
    "Example.com",
)
_WILDCARD_SUBDOMAIN_ERROR = regex_error(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must "
    "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    _WILDCARD_SUBDOMAIN_PATTERN,
    "*.example.com",
)
_DNS1035_ERROR = regex_error(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character",
    _DNS1035_PATTERN,
    "my-name",
    "abc-123",
)
_QUALIFIED_ERROR = regex_error(
    f"must consist of {_ALPHANUMERIC_ENDS}", _QUALIFIED_PATTERN, "MyName", "my.name", "123-abc"
)
_LABEL_VALUE_ERROR = regex_error(
    f"a valid label must be an empty string or consist of {_ALPHANUMERIC_ENDS}",
    _LABEL_VALUE_PATTERN,
    "MyValue",
    "my_value",
    "12345",
)
_C_IDENTIFIER_ERROR = regex_error(
    "a valid C identifier must start with alphabetic character or '_', "
    "followed by a string of alphanumeric characters or '_'",
    _C_IDENTIFIER_PATTERN,
    "my_name",
    "MY_NAME",
    "MyName",
)
_CONFIG_MAP_KEY_ERROR = regex_error(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    _CONFIG_MAP_KEY_PATTERN,
    "key.name",
    "KEY_NAME",
    "key-name",
)


def byte_length(text: str) -> int:
    """Returns the length of a text in UTF-8 bytes; counts a surrogate from `surrogateescape` as one byte."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def is_dns1123_label(value: str, unit: str = "characters") -> list[str]:
    """Validates a DNS-1123 label; returns error messages.

    `unit`: the length unit in error messages: "characters" or "bytes".
    """
    if len(value) <= DNS1123_LABEL_MAX_LENGTH and _is_label(value):
        return []
    errors = _length_errors(value, DNS1123_LABEL_MAX_LENGTH, unit)
    if not _is_label(value):
        errors.append("must not contain dots" if _is_subdomain(value) else _LABEL_ERROR)
    return errors


def is_dns1123_subdomain(value: str, unit: str = "characters") -> list[str]:
    """Validates a DNS-1123 subdomain; returns error messages.

    `unit`: the length unit in error messages: "characters" or "bytes".
    """
    if len(value) <= DNS1123_SUBDOMAIN_MAX_LENGTH and _is_subdomain(value):
        return []
    errors = _length_errors(value, DNS1123_SUBDOMAIN_MAX_LENGTH, unit)
    if not _is_subdomain(value):
        errors.append(_SUBDOMAIN_ERROR)
    return errors


def is_dns1123_subdomain_of_any_case(value: str, unit: str = "characters") -> list[str]:
    """Validates a DNS-1123 subdomain that may have capital letters; returns error messages.

    `unit`: the length unit in error messages: "characters" or "bytes".
    """
    errors = _length_errors(value, DNS1123_SUBDOMAIN_MAX_LENGTH, unit)
    if not (value.isascii() and _is_subdomain(value.lower())):
        errors.append(_SUBDOMAIN_OF_ANY_CASE_ERROR)
    return errors


def is_dns1035_label(value: str) -> list[str]:
    errors = _length_errors(value, DNS1035_LABEL_MAX_LENGTH)
    if not _is_dns1035_label(value):
        errors.append(_DNS1035_ERROR)
    return errors


def is_wildcard_dns1123_subdomain(value: str) -> list[str]:
    """Validates a wildcard DNS subdomain such as `*.example.com`; returns error messages."""
    errors = _length_errors(value, DNS1123_SUBDOMAIN_MAX_LENGTH)
    if not _is_wildcard_subdomain(value):
        errors.append(_WILDCARD_SUBDOMAIN_ERROR)
    return errors


def is_qualified_name(value: str, unit: str = "characters") -> list[str]:
    """Validates a qualified name, such as a label key; returns error messages.

    The name has up to 63 bytes. A prefix is optional: a DNS subdomain and a slash.

    `unit`: the length unit in error messages: "characters" up to 1.34, "bytes" from 1.35 on.
    With "bytes", the message about several slashes also says `label key` instead of `qualified name`.
    """
    if len(value) <= QUALIFIED_NAME_MAX_LENGTH and _is_prefixed(value):
        return []
    parts = value.split("/")
    if len(parts) > 2:
        shape = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        called = "a qualified name" if unit == "characters" else "a valid label key"
        return [f"{called} {_QUALIFIED_ERROR} {shape}"]
    name = parts[-1]
    errors = _prefix_errors(parts[0], unit) if len(parts) == 2 else []
    if not name:
        errors.append("name part must be non-empty")
    elif byte_length(name) > QUALIFIED_NAME_MAX_LENGTH:
        errors.append(f"name part {max_length_error(QUALIFIED_NAME_MAX_LENGTH, unit)}")
    if not _is_qualified(name):
        errors.append(f"name part {_QUALIFIED_ERROR}")
    return errors


def is_valid_label_value(value: str, unit: str = "characters") -> list[str]:
    """Validates a label value; returns error messages.

    `unit`: the length unit in error messages: "characters" or "bytes".
    """
    if len(value) <= LABEL_VALUE_MAX_LENGTH and _is_label_value(value):
        return []
    errors = _length_errors(value, LABEL_VALUE_MAX_LENGTH, unit)
    if not _is_label_value(value):
        errors.append(_LABEL_VALUE_ERROR)
    return errors


def is_c_identifier(value: str) -> list[str]:
    return [] if _is_c_identifier(value) else [_C_IDENTIFIER_ERROR]


def is_config_map_key(value: str) -> list[str]:
    """Validates a key of a ConfigMap; returns error messages.

    `.`, `..` and keys that begin with `..` are invalid.
    """
    errors = _length_errors(value, DNS1123_SUBDOMAIN_MAX_LENGTH)
    if not _is_config_map_key(value):
        errors.append(_CONFIG_MAP_KEY_ERROR)
    if value in (".", ".."):
        errors.append(f"must not be '{value}'")
    elif value.startswith(".."):
        errors.append("must not start with '..'")
    return errors


def validate_fully_qualified_name(name: str, path: str) -> list[FieldError]:
    """Validates that a name is a DNS subdomain with at least three segments; returns at most one error."""
    if not name:
        return [required(path)]
    if messages := is_dns1123_subdomain(name):
        return [invalid(path, name, ",".join(messages))]
    if name.count(".") < 2:
        shape = "should be a domain with at least three segments separated by dots"
        return [invalid(path, name, shape)]
    return []


def is_valid_path_segment_name(name: str) -> list[str]:
    """Validates that a name can be one segment of a URL path; returns error messages.

    All object names must pass this check.
    """
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return is_valid_path_segment_prefix(name)


def is_valid_path_segment_prefix(name: str) -> list[str]:
    return [f"may not contain '{illegal}'" for illegal in "/%" if illegal in name]


def name_is_path_segment(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    return is_valid_path_segment_prefix(name) if prefix else is_valid_path_segment_name(name)


def name_is_dns_subdomain(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    return is_dns1123_subdomain(_mask_trailing_dash(name) if prefix else name)


def name_is_dns_label(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    return is_dns1123_label(_mask_trailing_dash(name) if prefix else name)


def name_is_dns1035_label(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    return is_dns1035_label(_mask_trailing_dash(name) if prefix else name)


def _length_errors(value: str, most: int, unit: str = "characters") -> list[str]:
    return [max_length_error(most, unit)] if byte_length(value) > most else []


def _prefix_errors(prefix: str, unit: str) -> list[str]:
    if not prefix:
        return ["prefix part must be non-empty"]
    return [f"prefix part {message}" for message in is_dns1123_subdomain(prefix, unit)]


def _mask_trailing_dash(name: str) -> str:
    """Replaces a final dash and the byte before the dash with `a`: generateName prefixes may end with a dash.

    Follows maskTrailingDash. As in upstream, the prefix `x_-` is valid, although all names generated from it
    are invalid.
    """
    if len(name) < 2 or not name.endswith("-"):
        return name
    if name[-2].isascii():
        return name[:-2] + "a"
    return (name.encode("utf-8", "surrogateescape")[:-2] + b"a").decode("utf-8", "surrogateescape")
