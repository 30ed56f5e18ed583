"""ResourceSlice of resource.k8s.io/v1alpha3 and newer.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceslice` and `pkg/apis/resource/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.conversion.slices import SLICE_CONVERSIONS
from fakeapi.kinds.resource.empty_lists import restore_in_slice
from fakeapi.kinds.resource.gated_fields import RESOURCE_SLICE_FIELDS
from fakeapi.kinds.resource.layout import NESTED_PATHS, Layout, layout_of
from fakeapi.kinds.resource.validation.attributes import has_list_attribute
from fakeapi.kinds.resource.validation.collections import validate_set
from fakeapi.kinds.resource.validation.counters import (
    counters_of,
    validate_counter_sets,
    validate_number_of_counters,
)
from fakeapi.kinds.resource.validation.identifiers import (
    validate_driver_name,
    validate_pool_name,
)
from fakeapi.kinds.resource.validation.node_allocatable import default_mappings
from fakeapi.kinds.resource.validation.partition_types import validate_partition_type
from fakeapi.kinds.resource.validation.skipped_operations import (
    validate_skipped_operations,
)
from fakeapi.kinds.resource.validation.slice_devices import (
    Surroundings,
    validate_basic_device,
    validate_device,
)
from fakeapi.kinds.resource.validation.slice_nodes import validate_slice_nodes
from fakeapi.kinds.resource.validation.taints import Now, default_taint
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, at, fields_at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

_EITHER_OR = "only one of `sharedCounters` or `devices` is allowed"


class ResourceSliceStrategy(Strategy):
    """Strategy for ResourceSlices. Rejects changes of the driver, pool name and node name."""

    def __init__(self, rules: ReleaseRules, now: Now, *, layout: Layout = Layout.FLAT) -> None:
        """Creates the strategy for one API version of a release.

        - `now`: returns the current time, the default `timeAdded` of taints
        - `layout`: the layout of devices in request bodies
        """
        self._rules = rules
        self._layout = layout
        self._now = now
        self._partitions = gates.PARTITIONABLE_DEVICES in rules.gates

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        restore_in_slice(obj, sent, self._layout, self._rules)
        return obj

    def default(self, obj: Object) -> Object:
        """Sets the defaults of devices, from 1.33 on:

        - `timeAdded` of taints
        - an empty `basic` in the nested layout
        - from 1.36 on, the multipliers of node-allocatable resource mappings
        """
        if not self._partitions:
            return obj
        for device in obj["spec"].get("devices") or ():
            parts = device if self._layout is Layout.FLAT else device.setdefault("basic", {})
            default_mappings(parts)
            if "taints" in parts:
                parts["taints"] = [default_taint(taint, self._now) for taint in parts["taints"]]
        return obj

    def prepare_create(self, obj: Object) -> Object:
        return drop_disabled_fields(with_generation(obj, 1), None, RESOURCE_SLICE_FIELDS, self._rules)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj["spec"], None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        """Increments the generation if the spec changes, then drops disabled fields.

        Therefore a change of a disabled field also increments the generation.
        """
        return drop_disabled_fields(with_next_generation(new, old), old, RESOURCE_SLICE_FIELDS, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._validate(new["spec"], old["spec"])]

    def warnings_on_create(self, obj: Object) -> list[str]:
        driver = obj["spec"]["driver"]
        if not self._rules.quirks.drivers_should_be_lowercase or driver == driver.lower():
            return []
        problem = f"driver names should be lowercase; {quote(driver)} contains uppercase characters"
        return [f"spec.driver: {problem}"]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate(self, spec: Object, old: Object | None) -> list[FieldError]:
        rules = self._rules
        errors = validate_driver_name(spec["driver"], "spec.driver", rules)
        errors += _validate_pool(spec["pool"], "spec.pool", rules)
        if old is not None:
            errors += self._validate_unchanged(spec, old)
        errors += validate_slice_nodes(spec, rules, partitions=self._partitions)
        if not self._partitions:
            return [*errors, *self._validate_devices(spec, old)]
        stand_alone = rules.quirks.counter_sets_stand_alone
        if stand_alone and "sharedCounters" in spec and spec.get("devices") is not None:
            errors.append(invalid("spec", "", _EITHER_OR))
        return [
            *errors,
            *self._validate_devices(spec, old),
            *(() if stand_alone else validate_number_of_counters(spec, "spec", rules)),
            *validate_counter_sets(spec.get("sharedCounters"), "spec.sharedCounters", rules),
            *validate_partition_type(spec, "spec", rules),
            *validate_skipped_operations(spec.get("skipNodeOperations"), "spec.skipNodeOperations", rules),
        ]

    def _validate_unchanged(self, spec: Object, old: Object) -> list[FieldError]:
        absent = None if self._partitions else ""
        nodes = (spec.get("nodeName", absent), old.get("nodeName", absent))
        return [
            *validate_immutable(spec["pool"]["name"], old["pool"]["name"], "spec.pool.name"),
            *validate_immutable(spec["driver"], old["driver"], "spec.driver"),
            *validate_immutable(
                *nodes, "spec.nodeName", lambda name: printed_plain(name, self._rules.quirks.wording)
            ),
        ]

    def _validate_devices(self, spec: Object, old: Object | None) -> list[FieldError]:
        rules = self._rules
        before = [] if old is None else old.get("devices") or []
        surroundings = Surroundings(
            counters_of(spec.get("sharedCounters")),
            {device["name"]: device for device in reversed(before)},
            spec.get("perDeviceNodeSelection") is True,
        )

        def validate(device: Object, path: str) -> list[FieldError]:
            if not self._partitions:
                return validate_basic_device(device, path, rules)
            return validate_device(device, path, surroundings, rules)

        return validate_set(
            spec.get("devices"),
            "spec.devices",
            self._most_devices(spec.get("devices") or ()),
            validate,
            rules,
            key=_name_of,
            key_field="name",
        )

    def _most_devices(self, devices: Sequence[Object]) -> int:
        """Returns the maximum number of devices in a slice.

        From 1.35 on the limit is lower if any device has taints, consumes counters, or has a list attribute.
        """
        limits = self._rules.limits
        if not self._rules.quirks.counter_sets_stand_alone:
            return limits.slice_devices
        large = any(
            device.get("taints") or device.get("consumesCounters") or has_list_attribute(device)
            for device in devices
        )
        return limits.devices_with_taints_or_counters if large else limits.slice_devices


def _name_of(device: Object) -> str:
    name: str = device["name"]
    return name


def _validate_pool(pool: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = validate_pool_name(pool["name"], f"{path}.name", rules)
    count, generation = pool["resourceSliceCount"], pool["generation"]
    if count <= 0:
        errors.append(invalid(f"{path}.resourceSliceCount", count, "must be greater than zero"))
    if generation < 0:
        errors.append(invalid(f"{path}.generation", generation, "must be greater than or equal to zero"))
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
    "with a DNS domain owned by the vendor of the driver.{} This field is immutable."
)
POOL_TEXT = (
    "Name is used to identify the pool. For node-local devices, this is often the node name, but this is "
    "not required.{}\n\nIt must not be longer than 253 characters and must consist of one or more DNS "
    "sub-domains separated by slashes. This field is immutable."
)


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": ResourceSliceStrategy(rules, context.now, layout=layout_of(kind))}


def _field_labels(kind: Kind) -> FieldLabels:
    refusal = f"field label not supported for {kind.api_version}, Kind={kind.kind}: {{label}}"
    labels = (NAME, "spec.nodeName", "spec.driver")
    # The release that added this field also added the field label.
    if "skipNodeOperations" in fields_at(kind.schema, "spec"):
        return FieldLabels((*labels, "spec.pool.name"), refusal, _fields_and_pool, indexed="spec.nodeName")
    return FieldLabels(labels, refusal, _fields, indexed="spec.nodeName")


def _fields(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"spec.nodeName": obj["spec"].get("nodeName", ""), "spec.driver": obj["spec"]["driver"]}


def _fields_and_pool(obj: dict[str, Any]) -> Mapping[str, str]:
    return {**_fields(obj), "spec.pool.name": obj["spec"]["pool"]["name"]}


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    case = " It should use only lower case characters." if quirks.drivers_should_be_lowercase else ""
    selector = ""
    # The release that added this field also added the text.
    if "skipNodeOperations" in fields_at(schema, "spec"):
        selector = (
            " A field selector can be used to list only ResourceSlice objects belonging to a certain pool."
        )
    ways = "NodeName, NodeSelector and AllNodes"
    if "perDeviceNodeSelection" in fields_at(schema, "spec"):
        ways = "NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection"
    return (
        Column("Node", NODE_TEXT.format(ways), at("spec", "nodeName")),
        Column("Driver", DRIVER_TEXT.format(case), at("spec", "driver")),
        Column("Pool", POOL_TEXT.format(selector), at("spec", "pool", "name")),
    )


RESOURCE_SLICE = KindDefinition(
    group="resource.k8s.io",
    resource="resourceslices",
    strategies=_strategies,
    field_labels=_field_labels,
    columns=_columns,
    conversions=SLICE_CONVERSIONS,
    declared_paths=NESTED_PATHS,
)
