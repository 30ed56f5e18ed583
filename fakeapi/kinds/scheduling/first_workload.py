"""Workload of scheduling.k8s.io/v1alpha1 in Kubernetes 1.35: a Workload contains its pod groups.

Follows k8s.io/kubernetes `pkg/registry/scheduling/workload` and `pkg/apis/scheduling/validation`.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.numbers import validate_positive
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required, too_many
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

GROUPS_MAX: Final = 8
_POLICIES: Final = ("basic", "gang")
_ONE_OF: Final = "exactly one of `basic`, `gang` is required"


class FirstWorkloadStrategy(RulesStrategy):
    """Strategy for Workloads of 1.35. Rejects changes of podGroups and of an existing controllerRef."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return list(self._validate_spec(obj["spec"]))

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change, *self.validate_create(new)]
        owner, before = new["spec"].get("controllerRef"), old["spec"].get("controllerRef")
        if before is not None:
            type_name = "scheduling/v1alpha1.TypedLocalObjectReference"
            errors += validate_immutable_struct(owner, before, "controllerRef", type_name, self._rules)
        groups, past = new["spec"]["podGroups"], old["spec"]["podGroups"]
        if semantically_equal(groups, past):
            return errors
        printed = printed_field(groups, "scheduling/v1alpha1.WorkloadSpec", "podGroups", self._rules)
        return [*errors, invalid("podGroups", printed, FIELD_IMMUTABLE)]

    def _validate_spec(self, spec: Object) -> Iterator[FieldError]:
        if (owner := spec.get("controllerRef")) is not None:
            yield from self._validate_owner(owner, "spec.controllerRef")
        groups, path = spec["podGroups"] or (), "spec.podGroups"
        if not groups:
            yield required(path, "must have at least one item")
        elif len(groups) > GROUPS_MAX:
            yield too_many(path, len(groups), GROUPS_MAX)
        else:
            known: set[str] = set()
            for index, group in enumerate(groups):
                yield from self._validate_group(group, f"{path}[{index}]", known)

    def _validate_owner(self, owner: Object, path: str) -> Iterator[FieldError]:
        if group := owner.get("apiGroup"):
            unit = self._rules.quirks.wording.length_unit
            for text in names.is_dns1123_subdomain(group, unit):
                yield invalid(f"{path}.apiGroup", group, text)
        for name in ("kind", "name"):
            if not owner[name]:
                yield required(f"{path}.{name}")
            for text in names.is_valid_path_segment_name(owner[name]):
                yield invalid(f"{path}.{name}", owner[name], text)

    @staticmethod
    def _validate_group(group: Object, path: str, known: set[str]) -> Iterator[FieldError]:
        name, policy = group["name"], group["policy"]
        for text in names.name_is_dns_label(name, False):
            yield invalid(f"{path}.name", name, text)
        if name in known:
            yield duplicate(f"{path}.name", name)
        known.add(name)
        policies = [kind for kind in _POLICIES if kind in policy]
        if not policies:
            yield required(f"{path}.policy", _ONE_OF)
        elif len(policies) > 1:
            listed = ", ".join(f"`{kind}`" for kind in policies)
            yield invalid(f"{path}.policy", f"{{{listed}}}", f"{_ONE_OF}, but multiple fields are set")
        elif "gang" in policy:
            yield from validate_positive(policy["gang"]["minCount"], f"{path}.policy.gang.minCount")


def _no_cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {}


FIRST_WORKLOAD = KindDefinition(
    group="scheduling.k8s.io",
    resource="workloads",
    versions=frozenset(("v1alpha1",)),
    strategies=of_rules(FirstWorkloadStrategy),
    cells=_no_cells,
)
