"""Validates the smaller parts of a version: columns, subresources, its deprecation."""

from collections.abc import Sequence

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object

COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
WARNING_LENGTH_MAX = 256
_PRINTABLE = "must only contain printable UTF-8 characters; non-printable character found at index {}"


def validate_columns(columns: Sequence[Object] | None, path: str) -> list[FieldError]:
    """Errors of `additionalPrinterColumns`."""
    found: list[FieldError] = []
    for index, column in enumerate(columns or ()):
        found += _column_errors(column, f"{path}.additionalPrinterColumns[{index}]")
    return found


def _column_errors(column: Object, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    if not column.get("name"):
        found.append(required(f"{path}.name"))
    kind, form, text = column.get("type", ""), column.get("format", ""), column.get("jsonPath", "")
    types = f"must be one of {','.join(COLUMN_TYPES)}"
    if not kind:
        found.append(required(f"{path}.type", types))
    elif kind not in COLUMN_TYPES:
        found.append(invalid(f"{path}.type", kind, types))
    if form and form not in COLUMN_FORMATS:
        found.append(invalid(f"{path}.format", form, f"must be one of {','.join(COLUMN_FORMATS)}"))
    if not text:
        found.append(required(f"{path}.JSONPath"))
    else:
        found += _path_errors(text, f"{path}.JSONPath")
    return found


def validate_subresources(subresources: Object | None, path: str) -> list[FieldError]:
    """Errors of `subresources`."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return []
    found: list[FieldError] = []
    for name, below in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        at, text = f"{path}.scale.{name}", scale.get(name) or ""
        if not text:
            found.append(required(at))
        elif errors := _path_errors(text, at):
            found += errors
        elif not text.startswith(below):
            found.append(invalid(at, text, f"should be a json path under {below[:-1]}"))
    text = scale.get("labelSelectorPath")
    if text:
        at = f"{path}.scale.labelSelectorPath"
        errors = _path_errors(text, at)
        if not errors and not text.startswith((".spec.", ".status.")):
            errors = [invalid(at, text, "should be a json path under either .spec or .status")]
        found += errors
    return found


def _path_errors(text: str, path: str) -> list[FieldError]:
    """The error of a path that does not begin with a dot."""
    return [] if text.startswith(".") else [invalid(path, text, "must be a simple json path starting with .")]


def validate_deprecation(version: Object, path: str) -> list[FieldError]:
    """Errors of the text that clients are warned with."""
    text = version.get("deprecationWarning")
    if text is None:
        return []
    at = f"{path}.deprecationWarning"
    if not version.get("deprecated"):
        return [invalid(at, text, "can only be set for deprecated versions")]
    why: list[str] = []
    if len(text.encode()) > WARNING_LENGTH_MAX:
        why.append(f"must be <= {WARNING_LENGTH_MAX} characters long")
    if not text:
        why.append("must not be an empty string")
    for index, letter in enumerate(text):
        if not letter.isprintable():
            why.append(_PRINTABLE.format(len(text[:index].encode())))
            break
    return [invalid(at, text, each) for each in why]
