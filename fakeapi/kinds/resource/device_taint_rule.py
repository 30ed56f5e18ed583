"""DeviceTaintRule of resource.k8s.io, from Kubernetes 1.33.

Follows k8s.io/kubernetes `pkg/registry/resource/devicetaintrule` and `pkg/apis/resource/validation`.
"""

from typing import ClassVar

from msgspec.structs import replace

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.invalid_texts import validate_dns_label, validate_dns_subdomain
from fakeapi.kinds.common.status_strategies import StatusOnlyStrategy
from fakeapi.kinds.resource.validation.cel_selectors import (
    CelCheck,
    accept_any_cel,
    cel_warnings,
    device_compiler,
)
from fakeapi.kinds.resource.validation.claim_devices import (
    Checks,
    expressions_of,
    validate_selectors,
)
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name, validate_pool_name
from fakeapi.kinds.resource.validation.taints import Now, default_taint, validate_taint
from fakeapi.machinery.field_errors import FieldError, too_many
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, at, since
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

STABLE = "v1"
"""The first API version in which updates require a resourceVersion, and deletes return a Status."""


class DeviceTaintRuleStrategy(Strategy):
    """Strategy for DeviceTaintRules without a status (1.33 and 1.34). Every field may change."""

    def __init__(self, rules: ReleaseRules, now: Now, check_cel: CelCheck = accept_any_cel) -> None:
        self._rules = rules
        self._now = now
        self._checks = Checks(rules, check_cel)

    def default(self, obj: Object) -> Object:
        obj["spec"]["taint"] = default_taint(obj["spec"]["taint"], self._now)
        return obj

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj, None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = with_next_generation(new, old)
        taint, before = new["spec"]["taint"], old["spec"]["taint"]
        if self._rules.quirks.taint_time_follows_effect and (
            taint["effect"] != before["effect"] and taint.get("timeAdded") == before.get("timeAdded")
        ):
            new["spec"] = {**new["spec"], "taint": {**taint, "timeAdded": self._now()}}
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._validate(new, old)]

    def warnings_on_create(self, obj: Object) -> list[str]:
        selectors = obj["spec"].get("deviceSelector", {}).get("selectors")
        return cel_warnings(expressions_of(selectors), self._checks.check_cel)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate(self, obj: Object, old: Object | None) -> list[FieldError]:
        errors = self._validate_selector(obj, old)
        trusts = old is not None and self._rules.quirks.unchanged_taints_are_trusted
        before = old["spec"]["taint"] if old is not None and trusts else None
        return errors + validate_taint(obj["spec"]["taint"], "spec.taint", self._rules, before)

    def _validate_selector(self, obj: Object, old: Object | None) -> list[FieldError]:
        if "deviceSelector" not in obj["spec"]:
            return []
        selector, path, rules = obj["spec"]["deviceSelector"], "spec.deviceSelector", self._rules
        errors: list[FieldError] = []
        if "deviceClassName" in selector:
            errors += validate_dns_subdomain(selector["deviceClassName"], f"{path}.deviceClassName")
        if "driver" in selector:
            errors += validate_driver_name(selector["driver"], f"{path}.driver", rules)
        if "pool" in selector:
            errors += validate_pool_name(selector["pool"], f"{path}.pool", rules)
        if "device" in selector:
            errors += validate_dns_label(selector["device"], f"{path}.device")
        before = None if old is None else old["spec"].get("deviceSelector")
        selectors = selector.get("selectors")
        is_unchanged = before is not None and semantically_equal(selectors, before.get("selectors"))
        checks = replace(self._checks, stored=is_unchanged)
        return errors + validate_selectors(selectors, f"{path}.selectors", checks)


class ReportedTaintRuleStrategy(DeviceTaintRuleStrategy):
    """Strategy for DeviceTaintRules with a status (from 1.35 on).

    Ignores the status that the client sends.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {}
        return super().prepare_create(obj)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return super().prepare_update(new, old)


class TaintRuleStatusStrategy(StatusOnlyStrategy, DeviceTaintRuleStrategy):
    """Strategy for `/status` of DeviceTaintRules. The status contains only conditions."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        conditions, path = new["status"].get("conditions") or (), "status.conditions"
        errors = [*metadata.of_change, *validate_conditions(conditions, path, self._rules)]
        most = self._rules.limits.taint_rule_conditions
        if len(conditions) > most:
            errors.append(too_many(path, len(conditions), most))
        return errors

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return []


class StableTaintRuleStrategy(ReportedTaintRuleStrategy):
    """Strategy for DeviceTaintRules in v1: updates must contain a resourceVersion."""

    updates_unconditionally: ClassVar[bool] = False


class StableTaintRuleStatusStrategy(TaintRuleStatusStrategy):
    """Strategy for `/status` of DeviceTaintRules in v1: updates must contain a resourceVersion."""

    updates_unconditionally: ClassVar[bool] = False


KEY_TEXT = "The taint key to be applied to a device. Must be a label name."
VALUE_TEXT = "The taint value corresponding to the taint key. Must be a label value."
EFFECT_TEXT = (
    "The effect of the taint on claims that do not tolerate the taint and through such claims on the pods "
    "using them.{}PreferNoSchedule as used for nodes is not valid here."
)
TWO_EFFECTS_TEXT = EFFECT_TEXT.format(" Valid effects are NoSchedule and NoExecute. ")
THREE_EFFECTS_TEXT = (
    EFFECT_TEXT.format("\n\nValid effects are None, NoSchedule and NoExecute. ")
    + " More effects may get added in the future. Consumers must treat unknown effects like None."
)
ADDED_TEXT = (
    "TimeAdded represents the time at which the taint was added. Added automatically during create or "
    "update if not set."
)
ADDED_OR_MODIFIED_TEXT = (
    "TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) the effect "
    "was modified. Added automatically during create or update if not set.\n\nIn addition, in a "
    "DeviceTaintRule a value provided during an update gets replaced with the current time if the provided "
    "value is the same as the old one and the new effect is different. Changing the key and/or value while "
    "keeping the effect unchanged is possible and does not update the time stamp because the "
    "eviction which "
    "uses it is either already started (NoExecute) or not started yet (NoEffect, NoSchedule)."
)


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    check_cel = device_compiler(rules)
    if kind.subresource("status") is None:
        return {"": DeviceTaintRuleStrategy(rules, context.now, check_cel)}
    own, status = ReportedTaintRuleStrategy, TaintRuleStatusStrategy
    if kind.version == STABLE:
        own, status = StableTaintRuleStrategy, StableTaintRuleStatusStrategy
    return {"": own(rules, context.now, check_cel), "status": status(rules, context.now, check_cel)}


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    def added(obj: Object, now: float) -> str:
        stamp = obj["spec"]["taint"].get("timeAdded")
        return since(stamp, now) if stamp else ""

    effects = THREE_EFFECTS_TEXT if "None" in quirks.taint_effects else TWO_EFFECTS_TEXT
    times = ADDED_OR_MODIFIED_TEXT if quirks.taint_time_follows_effect else ADDED_TEXT
    return (
        Column("Key", KEY_TEXT, at("spec", "taint", "key")),
        Column("Value", VALUE_TEXT, at("spec", "taint", "value")),
        Column("Effect", effects, at("spec", "taint", "effect")),
        Column("TimeAdded", times, added),
    )


DEVICE_TAINT_RULE = KindDefinition(
    group="resource.k8s.io",
    resource="devicetaintrules",
    strategies=_strategies,
    columns=_columns,
    hides_deleted=frozenset((STABLE,)),
)
