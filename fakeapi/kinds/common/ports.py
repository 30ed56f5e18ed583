"""Validates port numbers and port names.

Follows `IsValidPortNum` and `IsValidPortName` of k8s.io/apimachinery `pkg/util/validation` and
`ValidatePortNumOrName` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import re

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.numbers import range_error
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.meta import names

PORT_MAX = 65535
PORT_NAME_MAX_LENGTH = 15
PROTOCOLS = ("SCTP", "TCP", "UDP")
"""Protocols of ports, in the order in which error messages list them."""

_has_valid_characters = re.compile("[-a-z0-9]+").fullmatch
_has_letter = re.compile("[a-z]").search


def is_port_number(port: int) -> list[str]:
    return [] if 1 <= port <= PORT_MAX else [range_error(1, PORT_MAX)]


def is_port_name(name: str) -> list[str]:
    """Returns messages if a port name is not a valid IANA service name."""
    errors = []
    if names.byte_length(name) > PORT_NAME_MAX_LENGTH:
        errors.append(names.max_length_error(PORT_NAME_MAX_LENGTH))
    if not _has_valid_characters(name):
        errors.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _has_letter(name):
        errors.append("must contain at least one letter (a-z)")
    if "--" in name:
        errors.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        errors.append("must not begin or end with a hyphen")
    return errors


def validate_port_number(port: int, path: str) -> list[FieldError]:
    return each_invalid(path, port, is_port_number(port))


def validate_port(port: int | str, path: str) -> list[FieldError]:
    """Validates a port: a number or a name."""
    if isinstance(port, str):
        return each_invalid(path, port, is_port_name(port))
    return validate_port_number(port, path)
