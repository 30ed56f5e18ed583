"""Validates that an update does not change a struct.

Follows `ValidateImmutableField` of k8s.io/apimachinery `pkg/api/validation`.
"""

from typing import Any

from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.machinery.field_errors import FieldError
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.releases.rules import ReleaseRules


def validate_immutable_struct(
    new: Any, old: Any, path: str, type_name: str, rules: ReleaseRules
) -> list[FieldError]:
    """Returns an error if an update changes a struct.

    `type_name`: the type of the struct, such as `storage/v1.CSINodeDriver`
    """
    return validate_immutable(new, old, path, lambda value: printed_struct(value, type_name, rules))
