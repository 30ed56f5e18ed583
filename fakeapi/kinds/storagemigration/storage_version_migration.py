"""StorageVersionMigration of storagemigration.k8s.io, from Kubernetes 1.30.

Follows k8s.io/kubernetes `pkg/registry/storagemigration/storagemigration` and
`pkg/apis/storagemigration/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fakeapi.kinds.common.conditions import (
    MESSAGE_MAX_LENGTH,
    REASON_MAX_LENGTH,
    STATUSES,
    validate_condition_reason,
    validate_conditions,
)
from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.common.numbers import NEGATIVE
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy, StatusOnlyStrategy
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required, too_long
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

GROUP: Final = "storagemigration.k8s.io"
RUNNING, SUCCEEDED, FAILED = "Running", "Succeeded", "Failed"
_BOTH: Final = "Both success and failed conditions cannot be true at the same time"
_STILL_RUNNING: Final = "Running condition cannot be true when {} condition is true"
_ONCE: Final = "{} condition cannot be set to false once it is true"


class MigrationStrategy(StatusKeptStrategy):
    """Strategy for creates and updates of StorageVersionMigrations. Rejects changes of the spec.

    Ignores the status that the client sends.
    """

    updates_unconditionally: ClassVar[bool] = False

    def __init__(self, rules: ReleaseRules, kind: Kind) -> None:
        self._rules = rules
        self._kind = kind

    def validate_create(self, obj: Object) -> list[FieldError]:
        resource, path = obj["spec"]["resource"], "spec.resource"
        name, group = resource.get("resource", ""), resource.get("group", "")
        if not name:
            errors = [required(f"{path}.resource", "resource is required to be set")]
        else:
            errors = _joined(names.is_dns1035_label(name), name, f"{path}.resource")
        return errors + (_joined(names.is_dns1123_subdomain(group), group, f"{path}.group") if group else [])

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_object,
            *self.validate_create(new),
            *metadata.of_change,
            *validate_immutable_struct(new["spec"], old["spec"], "spec", self._type_of("Spec"), self._rules),
        ]

    def _type_of(self, part: str) -> str:
        """Returns the Go type of the spec or status of a migration. `part` is `Spec` or `Status`."""
        return f"storagemigration/{self._kind.version}.StorageVersionMigration{part}"


class OldMigrationStrategy(MigrationStrategy):
    """Strategy for StorageVersionMigrations of v1alpha1. Their `spec.resource` includes an API version."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        resource = obj["spec"]["resource"]
        return [
            required(f"spec.resource.{name}", f"{name} is required")
            for name in ("resource", "version")
            if not resource.get(name)
        ]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        resource, before = new["spec"]["resource"], old["spec"]["resource"]
        changed = [
            error
            for name in ("group", "version", "resource")
            for error in validate_immutable(resource.get(name, ""), before.get(name, ""), name)
        ]
        return [*metadata.of_object, *self.validate_create(new), *metadata.of_change, *changed]


class MigrationStatusStrategy(StatusOnlyStrategy, MigrationStrategy):
    """Strategy for `/status` of StorageVersionMigrations: the progress of a migration."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change, *self._validate_version(new["status"].get("resourceVersion", ""))]
        errors += self._validate_conditions(new["status"].get("conditions") or ())
        version, before = new["status"].get("resourceVersion", ""), old["status"].get("resourceVersion", "")
        if before and version != before:
            errors.append(invalid("status.resourceVersion", version, self._version_stays))
        return errors + self._validate_outcome(new, old)

    _version_stays: ClassVar[str] = FIELD_IMMUTABLE

    def _validate_version(self, version: str) -> list[FieldError]:
        if not version and not self._rules.quirks.migrations_need_version:
            return []
        if version.isascii() and version.isdigit() and version[0] != "0":
            return []
        problem = f"resource version is not well formed: {version}"
        return [invalid("status.resourceVersion", version, problem)]

    def _validate_conditions(self, conditions: Sequence[Object]) -> list[FieldError]:
        return validate_conditions(conditions, "status.conditions", self._rules)

    def _validate_outcome(self, new: Object, old: Object) -> list[FieldError]:
        """Validates the conditions of a StorageVersionMigration.

        Returns errors for contradictory conditions, and if a final condition is no longer True.
        """
        done, failed, problems = _is(new, SUCCEEDED), _is(new, FAILED), list[str]()
        if done and failed:
            problems.append(_BOTH)
        if self._rules.quirks.ended_migrations_do_not_run and _is(new, RUNNING):
            problems += [_STILL_RUNNING.format("success")] if done else []
            problems += [_STILL_RUNNING.format("failed")] if failed else []
        problems += [_ONCE.format("Success")] if _is(old, SUCCEEDED) and not done else []
        problems += [_ONCE.format("Failed")] if _is(old, FAILED) and not failed else []
        conditions = new["status"].get("conditions")
        bad_value = printed_field(conditions, self._type_of("Status"), "conditions", self._rules)
        return [invalid("status.conditions", bad_value, problem) for problem in problems]


class OldMigrationStatusStrategy(MigrationStatusStrategy):
    """Strategy for `/status` of v1alpha1 StorageVersionMigrations. Conditions have the fields of v1alpha1."""

    _version_stays: ClassVar[str] = "resourceVersion cannot be updated"

    def _validate_version(self, version: str) -> list[FieldError]:
        path = "status.resourceVersion"
        try:
            number = parse_int(version) if version else 0
        except ValueError as error:
            problem = f"failed to parse resource version {quote(version)}: {error}"
            return [invalid(path, version, problem)]
        return [invalid(path, number, NEGATIVE)] if number < 0 else []

    def _validate_conditions(self, conditions: Sequence[Object]) -> list[FieldError]:
        errors: list[FieldError] = []
        known: set[str] = set()
        for index, condition in enumerate(conditions):
            path = f"status.conditions[{index}]"
            if condition["type"] in known:
                errors.append(duplicate(f"{path}.type", condition["type"]))
            known.add(condition["type"])
            errors += self._validate_condition(condition, path)
        return errors

    def _validate_condition(self, condition: Object, path: str) -> list[FieldError]:
        quirks, reason = self._rules.quirks, condition.get("reason", "")
        errors = validate_qualified_name(condition["type"], f"{path}.type", quirks.wording)
        if condition["status"] not in STATUSES:
            errors.append(not_supported(f"{path}.status", condition["status"], STATUSES))
        detail = "must be set" if quirks.migration_conditions_have_details else ""
        if not condition.get("lastUpdateTime"):
            errors.append(required(f"{path}.lastTransitionTime", detail))
        if not reason:
            errors.append(required(f"{path}.reason", detail))
        else:
            errors += validate_condition_reason(reason, f"{path}.reason")
        if names.byte_length(reason) > REASON_MAX_LENGTH:
            errors.append(too_long(f"{path}.reason", REASON_MAX_LENGTH, quirks.too_long))
        if names.byte_length(condition.get("message", "")) > MESSAGE_MAX_LENGTH:
            errors.append(too_long(f"{path}.message", MESSAGE_MAX_LENGTH, quirks.too_long))
        return errors


def _joined(messages: Sequence[str], value: str, path: str) -> list[FieldError]:
    return [invalid(path, value, ",".join(messages))] if messages else []


def _is(obj: Object, kind: str) -> bool:
    """Whether the first condition of the type `kind` is True."""
    conditions = (
        condition for condition in obj["status"].get("conditions") or () if condition["type"] == kind
    )
    return next((condition["status"] == "True" for condition in conditions), False)


def _outcome(obj: Object, now: float) -> str:
    true = [
        condition["type"]
        for condition in obj["status"].get("conditions") or ()
        if condition["status"] == "True"
    ]
    return next((name for name in reversed(true) if name in (RUNNING, SUCCEEDED, FAILED)), "Unknown")


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Resource": _resource, "Status": _outcome}


def _resource(obj: Object, now: float) -> str:
    resource = obj["spec"]["resource"]
    name, group = resource.get("resource", ""), resource.get("group", "")
    if "version" in resource:
        return f"{name}.{resource['version']}.{group}"
    return f"{name}.{group}" if group else name


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": MigrationStrategy(rules, kind), "status": MigrationStatusStrategy(rules, kind)}


def _old_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": OldMigrationStrategy(rules, kind), "status": OldMigrationStatusStrategy(rules, kind)}


OLD_STORAGE_VERSION_MIGRATION = KindDefinition(
    group=GROUP,
    resource="storageversionmigrations",
    versions=frozenset(("v1alpha1",)),
    strategies=_old_strategies,
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
STORAGE_VERSION_MIGRATION = KindDefinition(
    group=GROUP,
    resource="storageversionmigrations",
    versions=frozenset(("v1beta1", "v1")),
    strategies=_strategies,
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
