"""Defines the kind core/v1 Node.

Follows k8s.io/kubernetes `pkg/registry/core/node` and `pkg/apis/core/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from fakeapi.kinds.common.addresses import cidr_warnings
from fakeapi.kinds.common.gated_fields import REMOVED, GatedFields, drop_disabled_fields
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.kinds.core.connections import proxy_node
from fakeapi.kinds.core.node.taints import validate_node_annotations, validate_taints
from fakeapi.kinds.core.node.validation import (
    validate_declared_features,
    validate_node,
    validate_node_resources,
)
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.registry.declared.checks import NOTHING
from fakeapi.registry.model.columns import UNKNOWN, Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

ROLE_PREFIX: Final = "node-role.kubernetes.io/"
ROLE_LABEL: Final = "kubernetes.io/role"
UNSCHEDULABLE: Final = "spec.unschedulable"
NONE: Final = "<none>"

_CONFIG: Final = GatedFields(REMOVED, ("status.config",))
_HANDLERS: Final = ("status.runtimeHandlers",)
_READ_ONLY_MOUNTS: Final = "RecursiveReadOnlyMounts"
_PREEMPTION: Final = "InPlacePodVerticalScalingSchedulerPreemption"
_IN_USER_NAMESPACE: Final = "KubeletInUserNamespace"
_CIDRS_STAY: Final = 'node updates may not change podCIDR except from "" to valid'
_PROVIDER_STAYS: Final = 'node updates may not change providerID except from "" to valid'


NODE_FIELDS = (
    GatedFields("SupplementalGroupsPolicy", ("status.features",)),
    GatedFields("NodeDeclaredFeatures", ("status.declaredFeatures",)),
    GatedFields(_PREEMPTION, ("spec.podPreemptionPolicy",)),
    GatedFields(REMOVED, ("spec.configSource",)),
    _CONFIG,
    GatedFields(
        _READ_ONLY_MOUNTS, _HANDLERS, (), when=lambda quirks: not quirks.user_namespaces_have_handlers
    ),
    GatedFields(
        (_READ_ONLY_MOUNTS, "UserNamespacesSupport"),
        _HANDLERS,
        (),
        when=lambda quirks: quirks.user_namespaces_have_handlers,
    ),
)
"""Fields of a Node that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/core/node`.
"""

NODE_STATUS_FIELDS = (
    _CONFIG,
    GatedFields(_IN_USER_NAMESPACE, ("status.nodeInfo.runningInUserNamespace",)),
)
"""Fields of a Node's status that the server drops while their feature gate is off.

Follows the status strategy of k8s.io/kubernetes `pkg/registry/core/node`.
"""


class NodeStrategy(RulesStrategy):
    """Prepares and validates new and updated Nodes. New Nodes may have a status; updates keep the status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def prepare_create(self, obj: Object) -> Object:
        return drop_disabled_fields(obj, None, NODE_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return drop_disabled_fields(new, old, NODE_FIELDS, self._rules)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_node(obj, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_object,
            *validate_node(new, self._rules),
            *metadata.of_change,
            *self._validate_change(new, old),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        spec, warnings = obj["spec"], list[str]()
        if spec.get("configSource") is not None:
            warnings.append("spec.configSource: the feature is removed")
        if spec.get("externalID"):
            warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
        if self._rules.quirks.node_networks_are_warned_about:
            for index, network in enumerate(spec.get("podCIDRs") or ()):
                warnings += cidr_warnings(network, f"spec.podCIDRs[{index}]", self._rules)
        return warnings

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate_change(self, new: Object, old: Object) -> list[FieldError]:
        """Validates the change of a Node, by the rules that updates and writes to `/status` share."""
        annotations, rules = new["metadata"].get("annotations") or {}, self._rules
        errors = validate_node_annotations(annotations, rules)
        errors += validate_node_resources(new["status"], rules)
        if rules.quirks.nodes_declare_features:
            errors += validate_declared_features(new["status"].get("declaredFeatures") or ())
        known: list[Object] = []
        for index, address in enumerate(new["status"].get("addresses") or ()):
            if address in known:
                printed = printed_struct(address, "core/v1.NodeAddress", rules)
                errors.append(duplicate(f"status.addresses[{index}]", printed))
            known.append(address)
        errors += _validate_networks(new["spec"].get("podCIDRs") or [], old["spec"].get("podCIDRs") or [])
        errors += self._validate_provider(new["spec"].get("providerID"), old["spec"].get("providerID"))
        if new["spec"].get("taints"):
            errors += validate_taints(new["spec"]["taints"], "metadata.taints", rules)
        if new["spec"].get("externalID", "") != old["spec"].get("externalID", ""):
            errors.append(forbidden("spec.externalID", "may not be updated"))
        return errors

    def _validate_provider(self, new: str | None, old: str | None) -> list[FieldError]:
        if not old or old == new:
            return []
        if not self._rules.quirks.set_provider_is_invalid:
            return [forbidden("spec.providerID", _PROVIDER_STAYS)]
        done = "modified" if new else "cleared"
        return [invalid("spec.providerID", NOTHING, f"field cannot be {done} once set")]


class NodeStatusStrategy(SpecKeptStrategy, NodeStrategy):
    """Prepares and validates writes to `/status` of a Node, such as heartbeats.

    Such writes may change metadata too, but not the spec.
    """

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        return drop_disabled_fields(new, old, NODE_STATUS_FIELDS, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._validate_change(new, old)]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return []


def _validate_networks(new: list[str], old: list[str]) -> list[FieldError]:
    """Returns errors if an update changes the pod CIDRs of a Node that already has pod CIDRs."""
    if not old:
        return []
    if len(new) != len(old):
        return [forbidden("spec.podCIDRs", _CIDRS_STAY)]
    pairs = zip(new, old, strict=True)
    return [forbidden("spec.podCIDRs", _CIDRS_STAY) for network, before in pairs if network != before]


def _status(obj: Object, now: float) -> str:
    ready = [condition for condition in obj["status"].get("conditions") or () if condition["type"] == "Ready"]
    words = ["Ready" if ready[-1]["status"] == "True" else "NotReady"] if ready else ["Unknown"]
    if obj["spec"].get("unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(obj: Object, now: float) -> str:
    labels: Mapping[str, str] = obj["metadata"].get("labels") or {}
    roles = {key.removeprefix(ROLE_PREFIX) for key in labels if key.startswith(ROLE_PREFIX)}
    roles.add(labels.get(ROLE_LABEL, ""))
    return ",".join(sorted(roles - {""})) or NONE


def _address(kind: str) -> Cell:
    def cell(obj: Object, now: float) -> str:
        addresses = obj["status"].get("addresses") or ()
        return next((str(address["address"]) for address in addresses if address["type"] == kind), NONE)

    return cell


def _info(name: str) -> Cell:
    def cell(obj: Object, now: float) -> str:
        return (obj["status"].get("nodeInfo") or {}).get(name) or UNKNOWN

    return cell


def _kernel_and_architecture(obj: Object, now: float) -> str:
    info = obj["status"].get("nodeInfo") or {}
    kernel, architecture = info.get("kernelVersion") or UNKNOWN, info.get("architecture")
    return f"{kernel} ({architecture})" if architecture else kernel


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Status": _status,
        "Roles": _roles,
        "Version": at("status", "nodeInfo", "kubeletVersion"),
        "Internal-IP": _address("InternalIP"),
        "External-IP": _address("ExternalIP"),
        "OS-Image": _info("osImage"),
        "Kernel-Version": (
            _kernel_and_architecture if quirks.kernels_show_architecture else _info("kernelVersion")
        ),
        "Container-Runtime": _info("containerRuntimeVersion"),
    }


def _unschedulable(obj: dict[str, Any]) -> Mapping[str, str]:
    return {UNSCHEDULABLE: "true" if obj["spec"].get("unschedulable") else "false"}


NODE = KindDefinition(
    group="",
    resource="nodes",
    strategies=of_rules(NodeStrategy, NodeStatusStrategy),
    field_labels=lambda kind: FieldLabels((NAME, UNSCHEDULABLE), NOT_SUPPORTED, _unschedulable),
    cells=_cells,
    connections={"proxy": proxy_node},
    table_subresources=frozenset(("status",)),
)
