"""NetworkPolicy of networking.k8s.io/v1: the traffic that pods may receive and send.

Follows k8s.io/kubernetes `pkg/registry/networking/networkpolicy` and `pkg/apis/networking/validation`.
"""

from collections.abc import Mapping
from typing import ClassVar

from fakeapi.kinds.common.label_matching import formatted
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.kinds.networking.validation.network_policies import (
    PolicyChecks,
    cidrs_of,
    policy_warnings,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules


class NetworkPolicyStrategy(RulesStrategy):
    """Strategy for NetworkPolicies. A change of the spec increments the generation."""

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return PolicyChecks(self._rules).validate_spec(obj["spec"], "spec")

    def prepare_update(self, new: Object, old: Object) -> Object:
        return with_next_generation(new, old, empty_lists_differ=True)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update of a NetworkPolicy.

        Up to 1.35, validates the new spec twice: by the rules for creates and by the rules for updates.
        """
        wording = self._rules.quirks.wording
        checks_values = not validate_label_selector(old["spec"].get("podSelector"), "", wording)
        kept = cidrs_of(old["spec"])
        checks = PolicyChecks(self._rules, checks_values=checks_values, valid_before=kept)
        of_change = [*metadata.of_change, *checks.validate_spec(new["spec"], "spec")]
        if not self._rules.quirks.network_policies_are_checked_twice:
            return of_change
        anew = PolicyChecks(self._rules, checks_values=checks_values)
        return [*metadata.of_object, *anew.validate_spec(new["spec"], "spec"), *of_change]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return policy_warnings(obj["spec"], self._rules)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return policy_warnings(new["spec"], self._rules)


class NetworkPolicyWithStatusStrategy(NetworkPolicyStrategy):
    """Strategy for NetworkPolicies of 1.27, which have a status. Later releases do not have this status.

    While the gate NetworkPolicyStatus is off, creates keep the client's status. Therefore `status` is not a
    gated field, because the server drops gated fields.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def prepare_create(self, obj: Object) -> Object:
        if self._rules.gates.enabled("NetworkPolicyStatus"):
            obj["status"] = {}
        return super().prepare_create(obj)

    def prepare_update(self, new: Object, old: Object) -> Object:
        kept = old.get("status") or {}
        if self._rules.gates.enabled("NetworkPolicyStatus") or kept.get("conditions"):
            new["status"] = kept
        return super().prepare_update(new, old)


class NetworkPolicyStatusStrategy(SpecKeptStrategy, NetworkPolicyStrategy):
    """Strategy for `/status` of NetworkPolicies in 1.27. Later releases do not have this subresource.

    While the gate NetworkPolicyStatus is off, the stored status replaces a status with conditions. Therefore
    `conditions` is not a gated field, because the server drops gated fields.
    """

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        if not self._rules.gates.enabled("NetworkPolicyStatus"):
            conditions = (new.get("status") or {}).get("conditions")
            new["status"] = old.get("status", {}) if conditions else {}
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return []


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    if kind.subresource("status") is None:
        return {"": NetworkPolicyStrategy(rules)}
    return {"": NetworkPolicyWithStatusStrategy(rules), "status": NetworkPolicyStatusStrategy(rules)}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Pod-Selector": lambda obj, now: formatted(obj["spec"].get("podSelector"))}


NETWORK_POLICY = KindDefinition(
    group="networking.k8s.io", resource="networkpolicies", strategies=_strategies, cells=_cells
)
