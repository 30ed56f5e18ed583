"""Validates `selectableFields`, the fields that field selectors may use."""

from fakeapi.kinds.apiextensions.validation.schemas import SchemaChecks
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required, too_many
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.field_paths import FieldPathError, field_path
from fakeapi.registry.model.semantic_equality import semantically_equal

FIELDS_MAX = 8
_TYPES = ("string", "boolean", "integer")
_WRONG_TYPE = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats "
    "are allowed."
)


def validate_selectable(holder: Object, path: str, version: str, checks: SchemaChecks) -> list[FieldError]:
    """Validates `selectableFields` of a version, or of the fields that all versions share.

    - `holder`: the version, or `InternalSpec.shared`
    - `version`: the name of the version; "" if `holder` is `InternalSpec.shared`
    """
    at = f"{path}.selectableFields"
    fields = holder["selectableFields"]
    schema = checks.internal.schema_of(holder)
    if schema is None:
        return [invalid(at, "", _without_schema(checks, version))]
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, field in enumerate(fields):
        place, text = f"{at}[{index}].jsonPath", field.get("jsonPath", "")
        if not text:
            errors.append(required(place))
            continue
        try:
            canonical, leads_to = field_path(text, schema, allows_brackets=False)
        except FieldPathError as error:
            errors.append(invalid(place, text, f"is an invalid path: {error}"))
            continue
        if canonical.removeprefix(".").partition(".")[0] == "metadata":
            errors.append(invalid(place, text, "must not point to fields in metadata"))
        if leads_to.type not in _TYPES:
            errors.append(invalid(place, text, _WRONG_TYPE))
        if canonical in seen:
            errors.append(duplicate(place, text))
        seen.add(canonical)
    if len(seen) > FIELDS_MAX and not _may_stay(holder, version, checks):
        errors.append(too_many(at, len(seen), FIELDS_MAX))
    return errors


def _without_schema(checks: SchemaChecks, version: str) -> str:
    prefix = checks.rules.quirks.custom.selectable_prefix
    if not version:
        return f"{prefix}may only be set when validations.schema is included"
    name = "version.schema.openAPIV3Schema" if prefix else "`version.schema.openAPIV3Schema`"
    return f"{prefix}may only be set when {name} is not included"


def _may_stay(holder: Object, version: str, checks: SchemaChecks) -> bool:
    """Whether an update may keep more than FIELDS_MAX selectable fields of a version.

    True if the stored version already has the same selectable fields. Always false up to 1.34.

    - `holder`: the version, or `InternalSpec.shared`
    - `version`: the name of the version; "" if `holder` is `InternalSpec.shared`
    """
    old = checks.options.old_spec
    if old is None or not checks.rules.quirks.custom.many_selectable_fields_may_stay:
        return False
    holders = old.versions if version else (old.shared,)
    before = next((candidate for candidate in holders if not version or candidate["name"] == version), {})
    fields = before.get("selectableFields") or []
    return len(fields) > FIELDS_MAX and semantically_equal(fields, holder["selectableFields"])
