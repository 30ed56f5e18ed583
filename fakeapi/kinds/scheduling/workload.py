"""Defines the kinds Workload, PodGroup and CompositePodGroup of scheduling.k8s.io.

Serves Workload and PodGroup from Kubernetes 1.36, and CompositePodGroup from 1.37. `first_workload` defines
the Workload of 1.35.

Follows k8s.io/kubernetes `pkg/registry/scheduling/{workload,podgroup,compositepodgroup}` and
`pkg/apis/scheduling/validation`. Declarative validation (`fakeapi.registry.declared`) checks most rules.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, ClassVar, Final

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.kinds.common.status_strategies import StatusOnlyStrategy
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.declared.checks import NOTHING
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

GROUP: Final = "scheduling.k8s.io"
MAX_DEPTH: Final = 4
PODS, COMPOSITES = "podGroupTemplates", "compositePodGroupTemplates"
_DIFFERENT: Final = "detected multiple priority configurations"
_DIFFERENT_BELOW: Final = (
    "all priority and priorityClassName values must be identical, detected multiple values"
)
_CHILDLESS: Final = "must have at least one child PodGroupTemplate or CompositePodGroupTemplate"


class DeclaredStrategy(Strategy):
    """Base strategy for kinds with declarative validation. Also drops fields whose feature gate is off."""

    updates_unconditionally: ClassVar[bool] = False

    def __init__(self, rules: ReleaseRules, kind: Kind) -> None:
        self._rules = rules
        self._kind = kind

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [*self._validate_by_hand(obj)]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._validate_change_by_hand(new, old)]

    def _validate_by_hand(self, obj: Object) -> Sequence[FieldError]:
        return ()

    def _validate_change_by_hand(self, new: Object, old: Object) -> Sequence[FieldError]:
        return ()

    def _drop(self, new: Object, old: Object | None, short_type: str) -> Object:
        """Returns `new` without the fields whose feature gates are off; keeps fields that `old` uses.

        `short_type`: the Go type of `new`, without its package. The `+featureGate` markers in this type name
        the gates.
        """
        entry = self._rules.schemas.entry(f"scheduling/{self._kind.version}.{short_type}")
        assert isinstance(entry, dict), "these types are structs"
        return drop_disabled_fields(new, old, _marked_fields(entry["fields"]), self._rules)


class WorkloadStrategy(DeclaredStrategy):
    """Strategy for Workloads of v1alpha3 and v1beta1. Pod group templates can be nested."""

    def prepare_create(self, obj: Object) -> Object:
        return self.prepare_update(obj, {"spec": {}})

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["spec"] = self._drop_with_templates(new["spec"], old["spec"], "WorkloadSpec")
        return new

    def _drop_with_templates(self, new: Object, old: Object, short_type: str) -> Object:
        """Drops the disabled fields of `new` and of its templates, except fields that `old` uses.

        Pairs pod group templates of `new` and `old` by position, and composite templates by name.

        `short_type`: the Go type of `new`, without its package
        """
        new = self._drop(new, old, short_type)
        if groups := new.get(PODS):
            before = chain(old.get(PODS) or (), repeat(None))
            pairs = zip(groups, before, strict=False)
            new[PODS] = [self._drop(template, past, "PodGroupTemplate") for template, past in pairs]
        if composites := new.get(COMPOSITES):
            named = {template["name"]: template for template in old.get(COMPOSITES) or ()}
            new[COMPOSITES] = [
                self._drop_with_templates(
                    template, named.get(template["name"], {}), "CompositePodGroupTemplate"
                )
                for template in composites
            ]
        return new

    def _validate_by_hand(self, obj: Object) -> Sequence[FieldError]:
        spec = obj["spec"]
        composites = [
            (template, f"spec.{COMPOSITES}[{index}]")
            for index, template in enumerate(spec.get(COMPOSITES) or ())
        ]
        holder = f"scheduling/{self._kind.version}.CompositePodGroupTemplate"
        taken = {template["name"] for template in spec.get(PODS) or ()}
        return [
            *_validate_names(spec, "spec", taken),
            *(
                invalid(
                    path,
                    printed_field(template.get(COMPOSITES), holder, COMPOSITES, self._rules),
                    f"maximum template hierarchy depth is {MAX_DEPTH}",
                )
                for template, path in composites
                if _depth(template) >= MAX_DEPTH
            ),
            *_validate_priorities(spec),
            *(error for template, path in composites for error in _validate_children(template, path)),
        ]

    def _validate_change_by_hand(self, new: Object, old: Object) -> Sequence[FieldError]:
        return self._validate_by_hand(new)


class FlatWorkloadStrategy(WorkloadStrategy):
    """Strategy for Workloads of v1alpha2. Pod group templates cannot be nested."""

    updates_unconditionally: ClassVar[bool] = True

    def _validate_by_hand(self, obj: Object) -> Sequence[FieldError]:
        return ()


class PodGroupStrategy(DeclaredStrategy):
    """Strategy for PodGroups: pods that are scheduled together. Ignores the status that the client sends."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {}
        obj["spec"] = self._drop(obj["spec"], None, f"{self._kind.kind}Spec")
        return obj

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        new["spec"] = self._drop(new["spec"], old["spec"], f"{self._kind.kind}Spec")
        return new

    def _validate_by_hand(self, obj: Object) -> Sequence[FieldError]:
        spec = obj["spec"]
        if self._kind.kind != "PodGroup" or not spec.get("parentCompositePodGroupName"):
            return ()
        if "workloadRef" in spec:
            return ()
        return [required("spec.workloadRef", "must be set when parentCompositePodGroupName is set")]


class PodGroupStatusStrategy(StatusOnlyStrategy, PodGroupStrategy):
    """Strategy for `/status` of PodGroups: conditions, and the ResourceClaims created for the group."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        if not old["spec"].get("resourceClaims"):
            new["status"] = self._drop(new["status"], None, f"{self._kind.kind}Status")
        return new

    def _validate_change_by_hand(self, new: Object, old: Object) -> Sequence[FieldError]:
        status = new["status"]
        named = {claim["name"] for claim in new["spec"].get("resourceClaims") or ()}
        unknown = "must match the name of an entry in `spec.resourceClaims`"
        return [
            *validate_conditions(status.get("conditions") or (), "status.conditions", self._rules),
            *(
                invalid(f"status.resourceClaimStatuses[{index}].name", claim_status["name"], unknown)
                for index, claim_status in enumerate(status.get("resourceClaimStatuses") or ())
                if claim_status["name"] not in named
            ),
        ]


class FlatPodGroupStrategy(PodGroupStrategy):
    """Strategy for PodGroups of v1alpha2. Updates may omit the resourceVersion."""

    updates_unconditionally: ClassVar[bool] = True


class FlatPodGroupStatusStrategy(PodGroupStatusStrategy):
    """Strategy for `/status` of PodGroups in v1alpha2. Updates may omit the resourceVersion."""

    updates_unconditionally: ClassVar[bool] = True


def _marked_fields(fields: Iterable[Mapping[str, Any]]) -> list[GatedFields]:
    """Returns the gated fields of a Go type, from the `+featureGate` markers of its fields.

    While a gate is off, the server drops its fields with `omitempty`. Its fields without `omitempty` become
    null, because Kubernetes always prints them.
    """
    return [
        GatedFields(gate, (field["name"],), becomes_null=not field.get("omitempty"))
        for field in fields
        for gate in field.get("gates", ())
    ]


def _validate_names(holder: Object, path: str, taken: set[str]) -> Iterator[FieldError]:
    """Yields errors for pod group template names that also occur in another list of templates.

    Ignores duplicate names within one list, because declarative validation rejects them.

    - `holder`: the spec of a Workload, or a composite template
    - `taken`: the names in the lists that were already checked; the function adds names to this set
    """
    composites = holder.get(COMPOSITES) or ()
    places = [f"{path}.{COMPOSITES}[{index}]" for index in range(len(composites))]
    for template, place in zip(composites, places, strict=True):
        if template["name"] in taken:
            yield duplicate(f"{place}.name", template["name"])
    taken |= {template["name"] for template in composites}
    for template, place in zip(composites, places, strict=True):
        groups = template.get(PODS) or ()
        for index, group in enumerate(groups):
            if group["name"] in taken:
                yield duplicate(f"{place}.{PODS}[{index}].name", group["name"])
        taken |= {group["name"] for group in groups}
        yield from _validate_names(template, place, taken)


def _depth(template: Object) -> int:
    return 1 + max(map(_depth, template.get(COMPOSITES) or ()), default=0)


def _validate_priorities(spec: Object) -> list[FieldError]:
    """Returns an error if the pod group templates of a Workload, at any depth, have different priorities."""
    of_groups = {_priority(template) for template in spec.get(PODS) or ()}
    if len(of_groups) > 1:
        return [invalid("spec", NOTHING, _DIFFERENT)]
    of_all = of_groups | {
        priority for template in spec.get(COMPOSITES) or () for priority in _priorities(template)
    }
    return [invalid("spec", NOTHING, _DIFFERENT_BELOW)] if len(of_all) > 1 else []


def _priority(template: Object) -> tuple[Any, Any]:
    return template.get("priorityClassName", ""), template.get("priority")


def _priorities(template: Object) -> Iterator[tuple[Any, Any]]:
    yield _priority(template)
    yield from map(_priority, template.get(PODS) or ())
    for child in template.get(COMPOSITES) or ():
        yield from _priorities(child)


def _validate_children(template: Object, path: str) -> Iterator[FieldError]:
    children = template.get(COMPOSITES) or ()
    if not children and not template.get(PODS):
        yield invalid(path, template["name"], _CHILDLESS)
    for index, child in enumerate(children):
        yield from _validate_children(child, f"{path}.{COMPOSITES}[{index}]")


def _policy(obj: Object, now: float) -> str:
    return "Gang" if "gang" in obj["spec"]["schedulingPolicy"] else "Basic"


def _workload(obj: Object, now: float) -> str:
    spec = obj["spec"]
    old = (spec.get("podGroupTemplateRef") or {}).get("workload")
    reference = spec.get("workloadRef") or old
    return reference["workloadName"] if reference else "<none>"


def _status(condition: str) -> Cell:
    """Returns a table cell function for the scheduling status of a PodGroup or CompositePodGroup.

    `condition`: the type of the condition that is True once the group is scheduled
    """

    def cell(obj: Object, now: float) -> str:
        conditions = {entry["type"]: entry for entry in obj["status"].get("conditions") or ()}
        if disrupted := conditions.get("DisruptionTarget"):
            return str(disrupted["reason"])
        if condition not in conditions:
            return "Pending"
        return "Scheduled" if conditions[condition]["status"] == "True" else "Unschedulable"

    return cell


def _no_cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {}


def _composite_cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Policy": _policy, "Workload": _workload}


def _group_cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {**_composite_cells(quirks), "Status": _status("PodGroupInitiallyScheduled")}


def _flat_group_cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {**_composite_cells(quirks), "Status": _status("PodGroupScheduled")}


def _workload_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": WorkloadStrategy(rules, kind)}


def _flat_workload_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": FlatWorkloadStrategy(rules, kind)}


def _group_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": PodGroupStrategy(rules, kind), "status": PodGroupStatusStrategy(rules, kind)}


def _flat_group_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": FlatPodGroupStrategy(rules, kind), "status": FlatPodGroupStatusStrategy(rules, kind)}


_FLAT = frozenset(("v1alpha2",))
_TREES = frozenset(("v1alpha3", "v1beta1"))

FLAT_WORKLOAD = KindDefinition(
    group=GROUP,
    is_declared=True,
    resource="workloads",
    versions=_FLAT,
    strategies=_flat_workload_strategies,
    cells=_no_cells,
)
WORKLOAD = KindDefinition(
    group=GROUP,
    is_declared=True,
    resource="workloads",
    versions=_TREES,
    strategies=_workload_strategies,
    cells=_no_cells,
)
FLAT_POD_GROUP = KindDefinition(
    group=GROUP,
    is_declared=True,
    resource="podgroups",
    versions=_FLAT,
    strategies=_flat_group_strategies,
    cells=_flat_group_cells,
)
POD_GROUP = KindDefinition(
    group=GROUP,
    is_declared=True,
    resource="podgroups",
    versions=_TREES,
    strategies=_group_strategies,
    cells=_group_cells,
)
COMPOSITE_POD_GROUP = KindDefinition(
    group=GROUP,
    is_declared=True,
    resource="compositepodgroups",
    strategies=_group_strategies,
    cells=_composite_cells,
)
