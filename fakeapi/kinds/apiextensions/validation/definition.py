"""Validates CustomResourceDefinitions on create and update."""

from collections.abc import Sequence

from fakeapi.kinds.apiextensions.internal_form import InternalSpec, internal_spec
from fakeapi.kinds.apiextensions.validation.conversion import REVIEW_VERSIONS
from fakeapi.kinds.apiextensions.validation.names import validate_names
from fakeapi.kinds.apiextensions.validation.options import Options
from fakeapi.kinds.apiextensions.validation.schemas import OBJECT_META
from fakeapi.kinds.apiextensions.validation.specification import validate_spec
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.machinery.cel.rules.definition import unchecked_warning
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_dns_subdomain
from fakeapi.machinery.structural.definition_validation import strictness_of_update, unrecognized_formats
from fakeapi.registry.custom.conditions import (
    APPROVED_ANNOTATION,
    ESTABLISHED,
    approval,
    is_protected,
    is_true,
)
from fakeapi.registry.model.semantic_equality import semantically_equal, validate_immutable
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.schema_rules import schema_rules_of

_UNKNOWN_FIELDS = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)


def name_errors(obj: Object) -> list[FieldError]:
    """Returns errors if a CustomResourceDefinition's name is not `PLURAL.GROUP` or not a DNS subdomain."""
    name, spec = obj["metadata"].get("name", ""), obj["spec"]
    if not name:
        return []
    texts = name_is_dns_subdomain(name, False)
    if name != f"{spec['names']['plural']}.{spec['group']}":
        texts = [*texts, 'must be spec.names.plural+"."+spec.group']
    return [invalid("metadata.name", name, text) for text in texts]


def validate_definition(obj: Object, rules: ReleaseRules) -> list[FieldError]:
    """Returns the errors of a new CustomResourceDefinition, except errors of its metadata.

    Raises SchemaTooDeep if a schema is nested too deeply.
    """
    errors = validate_spec(internal_spec(obj["spec"]), Options(), rules)
    return (
        errors + _status_errors(obj, rules) + _approval_errors(obj, None) + _unknown_field_errors(obj, None)
    )


def validate_definition_update(
    obj: Object, old: Object, metadata: Sequence[FieldError], rules: ReleaseRules
) -> list[FieldError]:
    """Returns the errors of an update of a CustomResourceDefinition.

    `metadata`: the errors of the metadata, which come first in the result. Raises SchemaTooDeep if a schema
    is nested too deeply.
    """
    old_spec = internal_spec(old["spec"])
    spec, before = obj["spec"], old["spec"]
    errors = [*metadata, *validate_spec(internal_spec(spec), _options(obj, old, old_spec, rules), rules)]
    if is_true(old, ESTABLISHED):
        errors += validate_immutable(spec["scope"], before["scope"], "spec.scope")
        errors += validate_immutable(spec["names"]["kind"], before["names"]["kind"], "spec.names.kind")
    errors += validate_immutable(spec["group"], before["group"], "spec.group")
    errors += validate_immutable(spec["names"]["plural"], before["names"]["plural"], "spec.names.plural")
    return errors + _status_errors(obj, rules) + _approval_errors(obj, old) + _unknown_field_errors(obj, old)


def validate_status(obj: Object) -> list[FieldError]:
    """Validates `status.acceptedNames` of a CustomResourceDefinition."""
    return validate_names(obj["status"]["acceptedNames"], "status.acceptedNames")


def unchecked_warnings(obj: Object) -> list[str]:
    """Returns a warning if the schemas of a CustomResourceDefinition have CEL rules that are not checked.

    fakeapi checks CEL rules only if its extra `cel` is installed. Returns [] if the extra is installed or the
    schemas have no CEL rules.
    """
    schemas = internal_spec(obj["spec"]).schemas
    warnings = dict.fromkeys(filter(None, map(unchecked_warning, schemas)))
    return list(warnings)


def format_warnings(obj: Object, rules: ReleaseRules) -> list[str]:
    """Returns a warning for each unrecognized `format` in the schemas of a CustomResourceDefinition."""
    schema_rules = schema_rules_of(rules.release)
    schemas = internal_spec(obj["spec"]).schemas
    formats = dict.fromkeys(name for schema in schemas for name in unrecognized_formats(schema, schema_rules))
    return [f"unrecognized format {quote(name)}" for name in formats]


def _options(obj: Object, old: Object, old_spec: InternalSpec, rules: ReleaseRules) -> Options:
    """Returns the options for an update, which may keep some invalid values of the stored object.

    `old`, `old_spec`: the stored CustomResourceDefinition, and its spec in the internal form
    """
    webhook = (old["spec"].get("conversion") or {}).get("webhook") or {}
    reviews = webhook.get("conversionReviewVersions") or []
    old_schemas = old_spec.schemas
    olds = {version["name"]: version for version in old["spec"]["versions"]}
    unchanged = frozenset(
        version["name"]
        for version in obj["spec"]["versions"] or ()
        if version["name"] in olds
        and semantically_equal(version.get("schema"), olds[version["name"]].get("schema"))
    )
    return Options(
        strictness=strictness_of_update(old_schemas, rules.schemas.struct(OBJECT_META)),
        requires_schemas=all(
            (version.get("schema") or {}).get("openAPIV3Schema") for version in olds.values()
        ),
        requires_known_review=not reviews or any(review in REVIEW_VERSIONS for review in reviews),
        unchanged=unchanged,
        old=old,
        old_spec=old_spec,
    )


def _status_errors(obj: Object, rules: ReleaseRules) -> list[FieldError]:
    return validate_status(obj) + _stored_version_errors(obj, rules)


def _stored_version_errors(obj: Object, rules: ReleaseRules) -> list[FieldError]:
    stored = obj["status"].get("storedVersions")
    path, quirks = "status.storedVersions", rules.quirks.custom
    bad_value = printed_strings(stored, rules.quirks.wording)
    if not stored:
        return [invalid(path, bad_value, "must have at least one stored version")]
    versions = obj["spec"]["versions"] or []
    errors = [
        invalid(path, bad_value, f"must have the storage version {version['name']}")
        for version in versions
        if version["storage"] and version["name"] not in stored
    ]
    names = {version["name"] for version in versions}
    places = {name: index for index, name in enumerate(stored)}
    for name in sorted(places.keys() - names):
        text = quirks.stored_version_missing.format(name)
        errors.append(invalid(f"{path}[{places[name]}]", name, text))
    return errors


def _approval_errors(obj: Object, old: Object | None) -> list[FieldError]:
    if not is_protected(obj["spec"]["group"]):
        return []
    state, reason = approval(obj)
    if old is not None and approval(old)[0] == state:
        return []
    path = f"metadata.annotations[{APPROVED_ANNOTATION}]"
    if state == "Missing":
        return [required(path, reason)]
    if state == "Invalid":
        return [invalid(path, obj["metadata"]["annotations"][APPROVED_ANNOTATION], reason)]
    return []


def _unknown_field_errors(obj: Object, old: Object | None) -> list[FieldError]:
    if old is not None and old["spec"].get("preserveUnknownFields"):
        return []
    if not obj["spec"].get("preserveUnknownFields"):
        return []
    return [invalid("spec.preserveUnknownFields", True, _UNKNOWN_FIELDS)]
