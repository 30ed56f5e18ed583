"""Validates the printer columns, the subresources and the deprecation warning of a CRD version."""

from collections.abc import Sequence

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object

COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
WARNING_LENGTH_MAX = 256
_PRINTABLE = "must only contain printable UTF-8 characters; non-printable character found at index {}"


def validate_columns(columns: Sequence[Object] | None, path: str) -> list[FieldError]:
    """Validates `additionalPrinterColumns`. `path`: the path of the version or spec that has the columns."""
    errors: list[FieldError] = []
    for index, column in enumerate(columns or ()):
        errors += _column_errors(column, f"{path}.additionalPrinterColumns[{index}]")
    return errors


def _column_errors(column: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not column.get("name"):
        errors.append(required(f"{path}.name"))
    kind, form, text = column.get("type", ""), column.get("format", ""), column.get("jsonPath", "")
    types = f"must be one of {','.join(COLUMN_TYPES)}"
    if not kind:
        errors.append(required(f"{path}.type", types))
    elif kind not in COLUMN_TYPES:
        errors.append(invalid(f"{path}.type", kind, types))
    if form and form not in COLUMN_FORMATS:
        errors.append(invalid(f"{path}.format", form, f"must be one of {','.join(COLUMN_FORMATS)}"))
    if not text:
        errors.append(required(f"{path}.JSONPath"))
    else:
        errors += _path_errors(text, f"{path}.JSONPath")
    return errors


def validate_subresources(subresources: Object | None, path: str) -> list[FieldError]:
    """Validates `subresources`. Only `scale` has validation rules."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return []
    errors: list[FieldError] = []
    for name, below in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        at, text = f"{path}.scale.{name}", scale.get(name) or ""
        if not text:
            errors.append(required(at))
        elif problems := _path_errors(text, at):
            errors += problems
        elif not text.startswith(below):
            errors.append(invalid(at, text, f"should be a json path under {below[:-1]}"))
    text = scale.get("labelSelectorPath")
    if text:
        at = f"{path}.scale.labelSelectorPath"
        problems = _path_errors(text, at)
        if not problems and not text.startswith((".spec.", ".status.")):
            problems = [invalid(at, text, "should be a json path under either .spec or .status")]
        errors += problems
    return errors


def _path_errors(text: str, path: str) -> list[FieldError]:
    """Returns an error if a JSON path does not begin with a dot."""
    return [] if text.startswith(".") else [invalid(path, text, "must be a simple json path starting with .")]


def validate_deprecation(version: Object, path: str) -> list[FieldError]:
    """Validates `deprecationWarning`, the warning that clients of a deprecated version receive."""
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
    return [invalid(at, text, problem) for problem in why]
