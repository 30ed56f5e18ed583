"""Validates references to the scaled workload and to the objects that metrics describe."""

from dataclasses import dataclass

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_valid_path_segment_name


@dataclass(frozen=True, slots=True)
class ReferenceRules:
    """Rules for the `apiVersion` of an object reference.

    - `any_version`: whether every apiVersion is valid
    - `core`: whether an apiVersion without a group, such as `v1`, is valid
    """

    any_version: bool = False
    core: bool = False


def validate_reference(reference: Object, path: str, rules: ReferenceRules) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("kind", "name"):
        value = reference.get(name, "")
        if not value:
            errors.append(required(f"{path}.{name}"))
        errors += [
            invalid(f"{path}.{name}", value, message)
            for message in (is_valid_path_segment_name(value) if value else ())
        ]
    version = reference.get("apiVersion", "")
    problem = version_problem(version, rules)
    return [*errors, invalid(f"{path}.apiVersion", version, problem)] if problem else errors


def version_problem(version: str, rules: ReferenceRules) -> str:
    """Returns upstream's error text for an apiVersion; "" for a valid apiVersion."""
    if rules.any_version:
        return ""
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    group = version.rpartition("/")[0]
    return "" if group or rules.core else "apiVersion must specify API group"
