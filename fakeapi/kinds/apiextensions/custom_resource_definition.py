"""Defines the kind CustomResourceDefinition of apiextensions.k8s.io/v1.

Follows k8s.io/apiextensions-apiserver `pkg/registry/customresourcedefinition` and `pkg/apis/apiextensions`.
`fakeapi.registry.custom` serves the custom resources.
"""

from typing import TYPE_CHECKING, ClassVar

from fakeapi.kinds.apiextensions.validation.definition import (
    format_warnings,
    name_errors,
    unchecked_warnings,
    validate_definition,
    validate_definition_update,
    validate_status,
)
from fakeapi.kinds.apiextensions.validation.schemas import too_deep
from fakeapi.kinds.apiextensions.warnings import set_warnings
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.machinery import errors
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.schema import SchemaTooDeep
from fakeapi.registry.custom.conditions import (
    CLEANUP,
    DELETION_PENDING,
    ESTABLISHED,
    is_true,
    with_condition,
)
from fakeapi.registry.model.columns import CREATED_AT_COLUMN, Column, at
from fakeapi.registry.model.definition import AfterHooks, KindDefinition, Strategies, StrategyContext, Write
from fakeapi.registry.model.deletion_policies import DeletionRequest, delete_after_finalizers
from fakeapi.registry.model.object_meta import with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

if TYPE_CHECKING:
    from fakeapi.registry.server import Server


class DefinitionStrategy(RulesStrategy):
    """Strategy for creates and updates of CustomResourceDefinitions; ignores the client's status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    updates_unconditionally: ClassVar[bool] = False

    def default(self, obj: Object) -> Object:
        spec = obj["spec"]
        names = spec["names"]
        if not names.get("singular") and names["kind"]:
            names["singular"] = names["kind"].lower()
        if not names.get("listKind") and names["kind"]:
            names["listKind"] = f"{names['kind']}List"
        if spec.get("conversion") is None:
            spec["conversion"] = {"strategy": "None"}
        return obj

    def prepare_create(self, obj: Object) -> Object:
        obj["metadata"]["generation"] = 1
        obj["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": None,
        }
        return _with_stored_version(obj)

    def authorize_create(self, obj: Object) -> list[FieldError]:
        return name_errors(obj)

    def validate_create(self, obj: Object) -> list[FieldError]:
        try:
            return validate_definition(obj, self._rules)
        except SchemaTooDeep:
            return [too_deep()]

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return _with_stored_version(with_next_generation(new, old))

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        try:
            return validate_definition_update(new, old, metadata.of_change, self._rules)
        except SchemaTooDeep:
            return [too_deep()]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [*unchecked_warnings(obj), *self._schema_warnings(obj)]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        known = self._schema_warnings(old)
        return [*unchecked_warnings(new), *(text for text in self._schema_warnings(new) if text not in known)]

    def _schema_warnings(self, obj: Object) -> list[str]:
        return [*format_warnings(obj, self._rules), *set_warnings(obj, self._rules)]


class DefinitionStatusStrategy(SpecKeptStrategy):
    """Strategy for `/status` of CustomResourceDefinitions. Writes to `/status` may also change metadata."""

    updates_unconditionally: ClassVar[bool] = False

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *validate_status(new)]


def _with_stored_version(obj: Object) -> Object:
    """Returns the CustomResourceDefinition with its storage version added to `status.storedVersions`."""
    stored = list(obj["status"].get("storedVersions") or ())
    storage = next((version["name"] for version in obj["spec"]["versions"] or () if version["storage"]), None)
    if storage is None or storage in stored:
        return obj
    return {**obj, "status": {**obj["status"], "storedVersions": [*stored, storage]}}


def _delete(obj: Object, request: DeletionRequest) -> Object | None:
    """Marks a CustomResourceDefinition for deletion, with the finalizer that deletes its custom resources.

    If the CustomResourceDefinition is already marked and has no finalizers, deletes it. Returns the remaining
    object; None if the object is deleted. Raises ApiError 409 if a precondition of the delete fails.
    """
    meta = obj["metadata"]
    if meta.get("deletionTimestamp"):
        return delete_after_finalizers(obj, request)
    _check_preconditions(obj, request)
    finalizers = meta.get("finalizers") or []
    meta["deletionTimestamp"] = request.now
    if CLEANUP not in finalizers:
        meta["finalizers"] = [*finalizers, CLEANUP]
    return with_condition(obj, DELETION_PENDING, request.now)


def _check_preconditions(obj: Object, request: DeletionRequest) -> None:
    """Raises ApiError 409 if the object's UID or resourceVersion differs from the delete's preconditions."""
    meta, options = obj["metadata"], request.options
    for expected, actual, field in (
        (options.uid, meta["uid"], "UID"),
        (options.resource_version, meta["resourceVersion"], "ResourceVersion"),
    ):
        if expected is not None and expected != actual:
            failed = request.quirks.custom.precondition_failed
            why = f"{failed}: {field} in precondition: {expected}, {field} in object meta: {actual}"
            raise errors.conflict(request.qualified, meta["name"], why)


class DefinitionStatusWithoutMetadata(DefinitionStatusStrategy):
    """Strategy for `/status` in releases in which managedFields of status updates omit metadata."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))


class DefinitionHooks(AfterHooks):
    """Starts or stops serving custom resources before the response to a CustomResourceDefinition write."""

    async def after(self, server: "Server", write: Write) -> None:
        await server.custom.follow(write.target.name)


def _any_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    """Accepts every name, because `name_errors` validates the names of CustomResourceDefinitions."""
    return []


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    """Returns the columns of `kubectl get crd`. Releases up to 1.36 print only the creation time.

    Follows `pkg/registry/customresourcedefinition/tableconvertor`.
    """
    if not quirks.custom.prints_definitions:
        return (CREATED_AT_COLUMN,)
    return (
        Column("Scope", "Cluster/Namespaced", at("spec", "scope")),
        Column("Versions", "Served versions", _served_versions),
        CREATED_AT_COLUMN,
        Column("Group", "API group", at("spec", "group"), priority=1),
        Column("Kind", "CustomResource kind", at("spec", "names", "kind"), priority=1),
        Column("ShortNames", "Short names", _short_names, priority=1),
        Column(
            "Established",
            "Established status",
            lambda obj, now: is_true(obj, ESTABLISHED),
            type="boolean",
            priority=1,
        ),
    )


def _served_versions(obj: Object, now: float) -> str:
    served = (version for version in obj["spec"]["versions"] if version["served"])
    return ",".join(
        sorted(version["name"] + ("(storage)" if version["storage"] else "") for version in served)
    )


def _short_names(obj: Object, now: float) -> str:
    return ",".join(obj["spec"]["names"].get("shortNames") or ())


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    keeps = rules.quirks.custom.definition_status_keeps_metadata
    status = DefinitionStatusWithoutMetadata() if keeps else DefinitionStatusStrategy()
    return {"": DefinitionStrategy(rules), "status": status}


CUSTOM_RESOURCE_DEFINITION = KindDefinition(
    group="apiextensions.k8s.io",
    resource="customresourcedefinitions",
    strategies=_strategies,
    name_validator=_any_name,
    core_metadata=False,
    columns=_columns,
    shows_age=False,
    deletion=_delete,
    deletion_pins_uid=True,
    hooks=lambda kind, rules, context: DefinitionHooks(),
)
