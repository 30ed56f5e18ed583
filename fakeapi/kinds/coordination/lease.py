"""Defines the kind Lease of coordination.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/coordination/lease` and `pkg/apis/coordination/validation`.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

OLDEST_EMULATION_VERSION: Final = "OldestEmulationVersion"
COORDINATED_ELECTION: Final = "CoordinatedLeaderElection"
GATED_FIELDS: Final = (
    GatedFields(COORDINATED_ELECTION, ("spec.strategy",)),
    GatedFields(COORDINATED_ELECTION, ("spec.preferredHolder",)),
)
"""Fields of a Lease that the server drops while their feature gate is off.

Follows `PrepareForCreate` of k8s.io/kubernetes `pkg/registry/coordination/lease`.
"""


class LeaseStrategy(RulesStrategy):
    """Strategy for Leases. Every field may change, and a PUT creates a missing Lease."""

    creates_on_update: ClassVar[bool] = True
    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        return drop_disabled_fields(obj, None, GATED_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return drop_disabled_fields(new, old, GATED_FIELDS, self._rules)

    def validate_create(self, obj: Object) -> list[FieldError]:
        spec, errors = obj["spec"], list[FieldError]()
        seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if seconds is not None and seconds <= 0:
            errors.append(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
        if transitions is not None and transitions < 0:
            rule = "must be greater than or equal to 0"
            errors.append(invalid("spec.leaseTransitions", transitions, rule))
        if spec.get("strategy") is not None:
            errors += validate_election_strategy(spec["strategy"], "spec.strategy", self._rules)
        if spec.get("preferredHolder") and not spec.get("strategy"):
            rule = "may only be specified if `strategy` is defined"
            errors.append(forbidden("spec.preferredHolder", rule))
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self.validate_create(new)]


def validate_election_strategy(strategy: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates an election strategy: OldestEmulationVersion, or a name with a domain.

    Like upstream, repeats `strategy` in the paths of errors.
    """
    here = f"{path}.strategy"
    if "/" in strategy:
        return validate_qualified_name(strategy, here, rules.quirks.wording)
    if strategy == OLDEST_EMULATION_VERSION:
        return []
    return [not_supported(here, strategy, [OLDEST_EMULATION_VERSION])]


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Holder": at("spec", "holderIdentity")}


LEASE = KindDefinition(
    group="coordination.k8s.io",
    resource="leases",
    strategies=of_rules(LeaseStrategy),
    cells=_cells,
    core_metadata=False,
)
