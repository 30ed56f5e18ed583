"""ResourceSlice of resource.k8s.io/v1alpha3 and newer: Kubernetes 1.31 to 1.33.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceslice` and `pkg/apis/resource/validation`.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang import go_syntax
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.columns import Column, at, fields_at
from fakeapi.registry.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.field_labels import NAME, FieldLabels
from fakeapi.registry.groups.resource_k8s_io import gates
from fakeapi.registry.groups.resource_k8s_io.conversion.slices import SLICE_CONVERSIONS
from fakeapi.registry.groups.resource_k8s_io.layout import Layout, layout_of
from fakeapi.registry.groups.resource_k8s_io.validation.collections import validate_set
from fakeapi.registry.groups.resource_k8s_io.validation.counters import (
    counters_of,
    validate_counter_sets,
    validate_number_of_counters,
)
from fakeapi.registry.groups.resource_k8s_io.validation.identifiers import (
    validate_driver_name,
    validate_pool_name,
)
from fakeapi.registry.groups.resource_k8s_io.validation.nodes import validate_node_name, validate_nodes
from fakeapi.registry.groups.resource_k8s_io.validation.slice_devices import (
    validate_basic_device,
    validate_device,
)
from fakeapi.registry.groups.resource_k8s_io.validation.taints import Now, default_taint
from fakeapi.registry.object_meta import with_generation, with_next_generation
from fakeapi.registry.semantic_equality import validate_immutable
from fakeapi.registry.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

_PARTITIONING = ("consumesCounters", "nodeName", "nodeSelector", "allNodes")
"""The fields of a device that are behind the gate DRAPartitionableDevices."""

_ONE_CHOICE = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"
_ONE_OF_FOUR = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"


class ResourceSliceStrategy(Strategy):
    """A slice stays with its driver, its pool and its node."""

    def __init__(self, rules: ReleaseRules, now: Now, *, layout: Layout = Layout.FLAT) -> None:
        """`layout`: that of the version of the bodies."""
        self._rules = rules
        self._layout = layout
        self._now = now
        self._partitions = gates.PARTITIONABLE_DEVICES in rules.gates
        self._drops_taints = rules.drops(gates.DEVICE_TAINTS)
        self._drops_partitions = rules.drops(gates.PARTITIONABLE_DEVICES)

    def default(self, obj: Object) -> Object:
        """1.33 and newer: sets timeAdded of taints; adds an empty `basic` to devices without one."""
        if not self._partitions:
            return obj
        for device in obj["spec"]["devices"] or ():
            parts = device if self._layout is Layout.FLAT else device.setdefault("basic", {})
            if "taints" in parts:
                parts["taints"] = [default_taint(taint, self._now) for taint in parts["taints"]]
        return obj

    def prepare_create(self, obj: Object) -> Object:
        return self._with_enabled_fields(with_generation(obj, 1), None)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj["spec"], None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        """Fields that are about to be dropped make a new generation all the same."""
        return self._with_enabled_fields(with_next_generation(new, old), old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._validate(new["spec"], old["spec"])]

    def _with_enabled_fields(self, obj: Object, old: Object | None) -> Object:
        """The slice without fields behind a gate that is off, unless `old` had such a field."""
        before = None if old is None else old["spec"]
        dropped: list[str] = []
        if self._drops_taints and not (before and _has_taints(before)):
            dropped.append("taints")
        spec = obj["spec"]
        if self._drops_partitions and not (before and _has_partitions(before)):
            dropped += _PARTITIONING
            spec = _without(spec, ("sharedCounters", "perDeviceNodeSelection"))
        if dropped and spec["devices"]:
            spec = {**spec, "devices": [_without(device, dropped) for device in spec["devices"]]}
        obj["spec"] = spec
        return obj

    def _validate(self, spec: Object, old: Object | None) -> list[FieldError]:
        rules = self._rules
        errors = validate_driver_name(spec["driver"], "spec.driver", rules)
        errors += _validate_pool(spec["pool"], "spec.pool", rules)
        if old is not None:
            errors += self._validate_unchanged(spec, old)
        if not self._partitions:
            return [*errors, *_validate_choice(spec, rules), *self._validate_devices(spec)]
        return [
            *errors,
            *_validate_choice_of_four(spec, rules),
            *self._validate_devices(spec),
            *validate_number_of_counters(spec, "spec", rules),
            *validate_counter_sets(spec.get("sharedCounters"), "spec.sharedCounters", rules),
        ]

    def _validate_unchanged(self, spec: Object, old: Object) -> list[FieldError]:
        absent = None if self._partitions else ""
        return [
            *validate_immutable(spec["pool"]["name"], old["pool"]["name"], "spec.pool.name"),
            *validate_immutable(spec["driver"], old["driver"], "spec.driver"),
            *validate_immutable(spec.get("nodeName", absent), old.get("nodeName", absent), "spec.nodeName"),
        ]

    def _validate_devices(self, spec: Object) -> list[FieldError]:
        rules = self._rules
        if self._partitions:
            counters = counters_of(spec.get("sharedCounters"))
            chooses = spec.get("perDeviceNodeSelection", False)

            def validate(device: Object, path: str) -> list[FieldError]:
                return validate_device(device, path, counters, rules, chooses_nodes=chooses)
        else:

            def validate(device: Object, path: str) -> list[FieldError]:
                return validate_basic_device(device, path, rules)

        return validate_set(
            spec["devices"],
            "spec.devices",
            rules.limits.slice_devices,
            validate,
            rules,
            key=_name_of,
            key_field="name",
        )


def _name_of(device: Object) -> str:
    name: str = device["name"]
    return name


def _without(part: Object, names: tuple[str, ...] | list[str]) -> Object:
    return {name: value for name, value in part.items() if name not in names}


def _has_taints(spec: Object) -> bool:
    return any("taints" in device for device in spec["devices"] or ())


def _has_partitions(spec: Object) -> bool:
    if "sharedCounters" in spec or "perDeviceNodeSelection" in spec:
        return True
    devices = spec["devices"] or ()
    return any(name in device for device in devices for name in _PARTITIONING)


def _validate_pool(pool: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = validate_pool_name(pool["name"], f"{path}.name", rules)
    count, generation = pool["resourceSliceCount"], pool["generation"]
    if count <= 0:
        errors.append(invalid(f"{path}.resourceSliceCount", count, "must be greater than zero"))
    if generation < 0:
        errors.append(invalid(f"{path}.generation", generation, "must be greater than or equal to zero"))
    return errors


def _validate_selector(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    path = "spec.nodeSelector"
    errors = validate_nodes(spec, "nodeSelector", path, rules)
    terms = spec["nodeSelector"]["nodeSelectorTerms"]
    if len(terms or ()) != 1:
        problem = f"must have exactly one {rules.quirks.node_selector_term}"
        errors.append(invalid(f"{path}.nodeSelectorTerms", go_syntax.node_selector_terms(terms), problem))
    return errors


def _validate_choice(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    """Errors of where a slice's devices can be used, in releases without partitionable devices."""
    errors = validate_node_name(spec["nodeName"], "spec.nodeName") if "nodeName" in spec else []
    if "nodeSelector" in spec:
        errors += _validate_selector(spec, rules)
    made = sum(name in spec for name in ("nodeName", "nodeSelector", "allNodes"))
    if made == 0:
        errors.append(required("spec", _ONE_CHOICE))
    elif made > 1:
        shown = None
        if rules.quirks.invalid_slice_error_dumps_value:
            shown = go_syntax.resource_slice_spec(
                SLICE_CONVERSIONS["v1alpha3"].from_hub({"spec": spec})["spec"]
            )
        errors.append(invalid("spec", shown, _ONE_CHOICE))
    return errors


def _validate_choice_of_four(spec: Object, rules: ReleaseRules) -> list[FieldError]:
    """The same in releases with partitionable devices, where devices may choose for themselves."""
    chosen: list[str] = []
    errors: list[FieldError] = []
    if spec.get("nodeName"):
        chosen.append("`nodeName`")
        errors += validate_node_name(spec["nodeName"], "spec.nodeName")
    elif "nodeName" in spec:
        errors.append(invalid("spec.nodeName", "", "must be either unset or set to a non-empty string"))
    if "nodeSelector" in spec:
        chosen.append("`nodeSelector`")
        errors += _validate_selector(spec, rules)
    for name in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(name):
            chosen.append(f"`{name}`")
        elif name in spec:
            errors.append(invalid(f"spec.{name}", value=False, detail="must be either unset or set to true"))
    if not chosen:
        errors.append(required("spec", _ONE_OF_FOUR))
    elif len(chosen) > 1:
        problem = f"{_ONE_OF_FOUR}, but multiple fields are set"
        errors.append(invalid("spec", f"{{{', '.join(chosen)}}}", problem))
    return errors


NODE_TEXT = (
    "NodeName identifies the node which provides the resources in this pool. A field selector can be used "
    "to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit "
    "access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that "
    "adding new nodes of the same type as some old node might also make new resources "
    "available.\n\nExactly one of {} must be set. This field is immutable."
)
DRIVER_TEXT = (
    "Driver identifies the DRA driver providing the capacity information. A field selector can be used to "
    "list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end "
    "with a DNS domain owned by the vendor of the driver. This field is immutable."
)
POOL_TEXT = (
    "Name is used to identify the pool. For node-local devices, this is often the node name, but this is "
    "not required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS "
    "sub-domains separated by slashes. This field is immutable."
)


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": ResourceSliceStrategy(rules, context.now, layout=layout_of(kind))}


def _field_labels(kind: Kind) -> FieldLabels:
    refusal = f"field label not supported for {kind.api_version}, Kind={kind.kind}: {{label}}"
    return FieldLabels((NAME, "spec.nodeName", "spec.driver"), refusal, _fields, indexed="spec.nodeName")


def _fields(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"spec.nodeName": obj["spec"].get("nodeName", ""), "spec.driver": obj["spec"]["driver"]}


def _columns(schema: Struct) -> tuple[Column, ...]:
    ways = "NodeName, NodeSelector and AllNodes"
    if "perDeviceNodeSelection" in fields_at(schema, "spec"):
        ways = "NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection"
    return (
        Column("Node", NODE_TEXT.format(ways), at("spec", "nodeName")),
        Column("Driver", DRIVER_TEXT, at("spec", "driver")),
        Column("Pool", POOL_TEXT, at("spec", "pool", "name")),
    )


RESOURCE_SLICE = KindDefinition(
    group="resource.k8s.io",
    resource="resourceslices",
    strategies=_strategies,
    field_labels=_field_labels,
    columns=_columns,
    conversions=SLICE_CONVERSIONS,
)
