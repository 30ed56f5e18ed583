"""Defines the strategies of custom objects, which prepare and validate objects before a write.

Follows k8s.io/apiextensions-apiserver `pkg/registry/customresource` (strategy.go, status_strategy.go,
validator.go).
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath import dotted
from fakeapi.machinery.meta.names import is_qualified_name
from fakeapi.machinery.meta.object_meta import STANDARD_FINALIZERS
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.custom.scale import AccessorError, nested_int, nested_text
from fakeapi.registry.custom.validation import ObjectValidator
from fakeapi.registry.model.definition import Strategies, StrategyContext
from fakeapi.registry.model.object_meta import in_order, without_metadata
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.custom_quirks import CustomQuirks
from fakeapi.releases.rules import ReleaseRules

INT32_MAX = (1 << 31) - 1


def strategies_of(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    """Returns the strategies of a custom kind by subresource; the key "" stands for the object itself."""
    assert isinstance(kind, CustomKind), f"{kind.kind} has a type"
    validator, quirks = ObjectValidator(kind, rules), rules.quirks.custom
    if not kind.version_specification.has_status:
        return {"": CustomStrategy(kind, validator, quirks)}
    resets = quirks.object_status_resets_metadata
    status = CustomStatusWithoutMetadata if resets else CustomStatusStrategy
    return {
        "": CustomWithStatusStrategy(kind, validator, quirks),
        "status": status(kind, validator, quirks),
    }


class CustomStrategy(Strategy):
    """The strategy of custom objects without the subresource status."""

    updates_unconditionally: ClassVar[bool] = False

    def __init__(self, kind: CustomKind, validator: ObjectValidator, quirks: CustomQuirks) -> None:
        self.kind = kind
        self.validator = validator
        self.quirks = quirks

    def prepare_create(self, obj: Object) -> Object:
        obj["metadata"]["generation"] = 1
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors = self.type_errors(obj)
        if not errors:
            errors = self.validator.schema_errors(obj)
            errors += self.scale_spec_errors(obj) + self.scale_status_errors(obj)
        return self.validator.with_rules(errors + self.validator.create_errors(obj), obj, None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        if not _is_same(without_metadata(new), without_metadata(old)):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self.type_errors(new)
        if not errors:
            errors = [*metadata.of_change, *self.validator.schema_errors(new, old)]
            errors += self.scale_spec_errors(new) + self.scale_status_errors(new)
        return self.validator.with_rules(errors + self.validator.update_errors(new, old), new, old)

    def warnings_on_create(self, obj: Object) -> list[str]:
        return self._finalizer_warnings(obj, None)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return [*self.validator.kept_errors(new), *self._finalizer_warnings(new, old)]

    def _finalizer_warnings(self, new: Object, old: Object | None) -> list[str]:
        if not self.quirks.warns_of_finalizers:
            return []
        before = (old or {}).get("metadata", {}).get("finalizers") or ()
        added = set(new["metadata"].get("finalizers") or ()).difference(before)
        return _finalizer_warnings(sorted(added), asks_paths=self.quirks.warns_of_finalizer_paths)

    def type_errors(self, obj: Object) -> list[FieldError]:
        """Returns errors if an object does not have the kind and apiVersion of the resource."""
        errors, kind = [], self.kind
        if obj.get("kind", "") != kind.kind:
            errors.append(invalid("kind", obj.get("kind", ""), f"must be {kind.kind}"))
        if obj.get("apiVersion", "") != kind.api_version:
            errors.append(invalid("apiVersion", obj.get("apiVersion", ""), f"must be {kind.api_version}"))
        return errors

    def scale_spec_errors(self, obj: Object) -> list[FieldError]:
        """Returns the errors of the replicas in the spec, if the kind has the subresource scale."""
        scale = self.kind.version_specification.scale
        return [] if scale is None else _replicas_errors(obj, scale.replicas)

    def scale_status_errors(self, obj: Object) -> list[FieldError]:
        """Returns the errors of the status fields that the Scale shows, if the kind has the subresource
        scale.
        """
        scale = self.kind.version_specification.scale
        if scale is None:
            return []
        errors = _replicas_errors(obj, scale.status_replicas)
        if scale.selector:
            try:
                nested_text(obj, dotted(scale.selector))
            except AccessorError as error:
                errors.append(invalid(scale.selector, "", str(error)))
        return errors


class CustomWithStatusStrategy(CustomStrategy):
    """The strategy for writes to an object itself, if its kind has the subresource status.

    Such writes keep the old status.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def prepare_create(self, obj: Object) -> Object:
        obj.pop("status", None)
        return super().prepare_create(obj)

    def prepare_update(self, new: Object, old: Object) -> Object:
        if "status" in old:
            new["status"] = old["status"]
        else:
            new.pop("status", None)
        return super().prepare_update(new, old)


class CustomStatusStrategy(CustomStrategy):
    """The strategy for writes to `/status`. Such writes change only the status and managedFields."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def prepare_update(self, new: Object, old: Object) -> Object:
        metadata = {name: value for name, value in old["metadata"].items() if name != "managedFields"}
        managed = new["metadata"].get("managedFields")
        if managed:
            metadata["managedFields"] = managed
        rest = {name: value for name, value in old.items() if name != "status"}
        status = {"status": new["status"]} if "status" in new else {}
        return {**rest, "metadata": in_order(metadata), **status}

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self.type_errors(new)
        if not errors:
            errors = [*metadata.of_change, *self.validator.status_errors(new, old)]
            errors += self.scale_status_errors(new)
        return self.validator.with_rules(errors + self.validator.list_errors(new, old), new, old)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.validator.kept_errors(new)


class CustomStatusWithoutMetadata(CustomStatusStrategy):
    """The strategy for writes to `/status` in releases whose managedFields omit metadata after such
    writes.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",), ("metadata",))


def _is_same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; 1 equals 1.0 but not true."""
    return codec.encode(rewritten(one)) == codec.encode(rewritten(other))


def _replicas_errors(obj: Object, path: str) -> list[FieldError]:
    try:
        replicas = nested_int(obj, dotted(path)).value
    except AccessorError as error:
        return [invalid(path, 0, str(error))]
    if replicas < 0:
        return [invalid(path, replicas, "should be a non-negative integer")]
    if replicas > INT32_MAX:
        return [invalid(path, replicas, f"should be less than or equal to {INT32_MAX}")]
    return []


def _finalizer_warnings(names: Sequence[str], *, asks_paths: bool) -> list[str]:
    warnings = []
    for name in names:
        about = f"metadata.finalizers: {quote(name)}: "
        warnings += [about + text for text in is_qualified_name(name)]
        if "/" in name or name in STANDARD_FINALIZERS:
            continue
        including = " including a path (/)" if asks_paths and "." in name else ""
        warnings.append(
            f"{about}prefer a domain-qualified finalizer name{including} to avoid accidental conflicts with "
            "other finalizer writers"
        )
    return warnings
