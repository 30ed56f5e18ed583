"""Validates the spec of a CustomResourceDefinition in upstream's internal form."""

from fakeapi.kinds.apiextensions.internal_form import InternalSpec
from fakeapi.kinds.apiextensions.validation.conversion import (
    enum_errors,
    validate_conversion,
)
from fakeapi.kinds.apiextensions.validation.names import label_errors, validate_names
from fakeapi.kinds.apiextensions.validation.options import Options
from fakeapi.kinds.apiextensions.validation.parts import (
    validate_columns,
    validate_deprecation,
    validate_subresources,
)
from fakeapi.kinds.apiextensions.validation.schemas import SchemaChecks, has_defaults
from fakeapi.kinds.apiextensions.validation.selectable import validate_selectable
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1035_label, is_dns1123_subdomain
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.internal_form import internal_json
from fakeapi.releases.rules import ReleaseRules

SCOPES = ("Cluster", "Namespaced")


def validate_spec(internal: InternalSpec, options: Options, rules: ReleaseRules) -> list[FieldError]:
    """Returns the errors of a CustomResourceDefinition's spec, in upstream's order.

    Raises SchemaTooDeep if a schema is nested too deeply.
    """
    spec = internal.spec
    checks = SchemaChecks(internal, options, rules)
    errors = _group_errors(spec["group"]) + enum_errors(spec.get("scope") or "", SCOPES, "spec.scope")
    errors += _missing_schema_errors(internal, options, rules)
    if spec.get("preserveUnknownFields") and any(has_defaults(schema) for schema in internal.schemas):
        text = "must be false in order to use defaults in the schema"
        errors.append(invalid("spec.preserveUnknownFields", True, text))
    for index, version in enumerate(internal.versions):
        errors += _version_errors(version, f"spec.versions[{index}]", checks)
    errors += _versions_errors(internal, rules)
    if internal.version:
        errors += label_errors(internal.version, "spec.version")
    for name in ("plural", "singular", "kind", "listKind"):
        if not spec["names"].get(name):
            errors.append(required(f"spec.names.{name}"))
    errors += validate_names(spec["names"], "spec.names")
    errors += _shared_errors(internal, checks)
    conversion = spec.get("conversion")
    strategy = (conversion or {}).get("strategy")
    if conversion is not None and strategy != "None" and spec.get("preserveUnknownFields"):
        text = "must be None if spec.preserveUnknownFields is true"
        errors.append(invalid("spec.conversion.strategy", strategy, text))
    return errors + validate_conversion(conversion, options, rules)


def _group_errors(group: str) -> list[FieldError]:
    if not group:
        return [required("spec.group")]
    why = is_dns1123_subdomain(group)
    if why:
        return [invalid("spec.group", group, ",".join(why))]
    if "." not in group:
        return [invalid("spec.group", group, "should be a domain with at least one dot")]
    return []


def _missing_schema_errors(internal: InternalSpec, options: Options, rules: ReleaseRules) -> list[FieldError]:
    if (internal.shared.get("schema") or {}).get("openAPIV3Schema") is not None:
        return []
    text = rules.quirks.custom.schemas_required if options.requires_schemas else _PRUNED
    if not options.requires_schemas and internal.spec.get("preserveUnknownFields"):
        return []
    return [
        required(f"spec.versions[{index}].schema.openAPIV3Schema", text)
        for index, version in enumerate(internal.versions)
        if (version.get("schema") or {}).get("openAPIV3Schema") is None
        and (options.requires_schemas or version["served"])
    ]


_PRUNED = "because otherwise all fields are pruned"


def _version_errors(version: Object, path: str, checks: SchemaChecks) -> list[FieldError]:
    why = is_dns1035_label(version["name"])
    errors = [invalid(f"{path}.name", version["name"], ",".join(why))] if why else []
    errors += validate_deprecation(version, path)
    errors += checks.schema_errors(version, f"{path}.schema", version["name"])
    errors += validate_subresources(version.get("subresources"), f"{path}.subresources")
    errors += validate_columns(version.get("additionalPrinterColumns"), path)
    if version.get("selectableFields"):
        errors += validate_selectable(version, path, version["name"], checks)
    return errors


def _shared_errors(internal: InternalSpec, checks: SchemaChecks) -> list[FieldError]:
    shared = internal.shared
    errors = checks.schema_errors(shared, "spec.validation", internal.version)
    errors += validate_subresources(shared.get("subresources"), "spec.subresources")
    errors += validate_columns(shared.get("additionalPrinterColumns"), "spec")
    if shared.get("selectableFields"):
        errors += validate_selectable(shared, "spec", "", checks)
    return errors


def _versions_errors(internal: InternalSpec, rules: ReleaseRules) -> list[FieldError]:
    """Validates the versions of a CustomResourceDefinition: unique names, and exactly one storage version."""
    names = [version["name"] for version in internal.versions]
    texts = []
    if len(set(names)) < len(names):
        texts.append("must contain unique version names")
    if sum(version["storage"] for version in internal.versions) != 1:
        texts.append("must have exactly one version marked as storage version")
    if not texts:
        return []
    bad_value = _printed_versions(internal, rules)
    return [invalid("spec.versions", bad_value, text) for text in texts]


def _printed_versions(internal: InternalSpec, rules: ReleaseRules) -> Dump:
    """Formats the versions. The schemas have the Go names of the internal version, which has no JSON tags."""
    versions = None if internal.spec.get("versions") is None else internal.versions
    printed = printed_field(versions, "apiextensions/v1.CustomResourceDefinitionSpec", "versions", rules)
    if versions is None or not rules.quirks.wording.json_values:
        return printed
    shown = codec.decode(printed.text)
    for version, members in zip(versions, shown, strict=True):
        if (schema := internal.schema_of(version)) is not None:
            text = codec.RawJson(internal_json(schema).encode(), None)
            members["Schema"]["OpenAPIV3Schema"] = text
    return Dump(go_encode(shown).decode())


def _version_type(rules: ReleaseRules) -> Struct:
    return rules.schemas.struct("apiextensions/v1.CustomResourceDefinitionVersion")
