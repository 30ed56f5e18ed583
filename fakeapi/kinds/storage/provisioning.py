"""Validation that StorageClass and VolumeAttributesClass share: the driver name and its parameters.

Follows `validateProvisioner` and `validateParameters` of k8s.io/kubernetes `pkg/apis/storage/validation`.
"""

from collections.abc import Mapping
from typing import Final

from fakeapi.kinds.common.invalid_texts import each_invalid, validate_qualified_name
from fakeapi.machinery.field_errors import FieldError, required, too_long
from fakeapi.machinery.meta.names import byte_length
from fakeapi.releases.rules import ReleaseRules

PARAMETERS_MAX: Final = 512
PARAMETERS_SIZE_MAX: Final = 256 * 1024
"""Maximum size of all parameter names and values together, in bytes."""


def validate_provisioner(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the name of a storage driver. The name may have uppercase letters."""
    if not name:
        return [required(path)]
    return validate_qualified_name(name.lower(), path, rules.quirks.wording)


def validate_parameters(
    parameters: Mapping[str, str] | None, path: str, rules: ReleaseRules, *, may_be_empty: bool
) -> list[FieldError]:
    parameters = parameters or {}
    if len(parameters) > PARAMETERS_MAX:
        return [too_long(path, PARAMETERS_MAX, rules.quirks.too_long)]
    errors = each_invalid(path, "", ["field can not be empty."] if "" in parameters else [])
    if size_of(parameters) > PARAMETERS_SIZE_MAX:
        errors.append(too_long(path, PARAMETERS_SIZE_MAX, rules.quirks.too_long))
    if not parameters and not may_be_empty:
        errors.append(required(path, "must contain at least one key/value pair"))
    return errors


def size_of(texts: Mapping[str, str]) -> int:
    """Returns the total size of a map in bytes: all names and values together."""
    return sum(byte_length(name) + byte_length(value) for name, value in texts.items())
