"""Strategies for writes to pods, and to their `/status`, `/ephemeralcontainers` and `/resize`.

Follows k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`.
"""

from copy import deepcopy
from typing import ClassVar

from fakeapi.kinds.common.addresses import ip_warnings
from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.core.pod.app_armor import profile_warnings, sync_profiles
from fakeapi.kinds.core.pod.conditions import SCHEDULED, SCHEDULING_GATED, with_condition
from fakeapi.kinds.core.pod.default_resources import set_by_strategy
from fakeapi.kinds.core.pod.gated_fields import POD_FIELDS
from fakeapi.kinds.core.pod.label_keys import apply_label_keys
from fakeapi.kinds.core.pod.observed_generation import keep_observed_generations
from fakeapi.kinds.core.pod.qos import qos_class
from fakeapi.kinds.core.pod.resizing import mark_proposed, resized
from fakeapi.kinds.core.pod.validation.create import validate_pod_create
from fakeapi.kinds.core.pod.validation.resize import validate_pod_resize
from fakeapi.kinds.core.pod.validation.status import validate_pod_status_update
from fakeapi.kinds.core.pod.validation.update import (
    validate_ephemeral_containers_update,
    validate_pod_update,
)
from fakeapi.kinds.core.pod.validation.warnings import pod_warnings
from fakeapi.kinds.core.pod.wire_order import in_wire_order
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.definition import StrategyContext
from fakeapi.registry.model.object_meta import reset_for_status, with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

PENDING = "Pending"
_GATED_MESSAGE = "Scheduling is blocked due to non-empty scheduling gates"
_HOSTNAME_WARNING = (
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
    "a DNS label is recommended: "
)
_PRESERVED = ("resourceClaimStatuses", "extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses")


class PodStrategy(Strategy):
    """Prepares and validates new and updated pods. Updates keep the status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def __init__(self, kind: Kind, rules: ReleaseRules, context: StrategyContext) -> None:
        self._kind = kind
        self._rules = rules
        self._now = context.now

    def prepare_create(self, obj: Object) -> Object:
        """Sets the phase Pending, the QoS class and other fields of a new pod."""
        if self._rules.quirks.pods_have_generations:
            obj["metadata"]["generation"] = 1
        pod = drop_disabled_fields({**obj, "status": {"phase": PENDING}}, None, POD_FIELDS, self._rules)
        if self._completes_resources:
            set_by_strategy(pod["spec"])
        pod["status"]["qosClass"] = qos_class(pod["spec"], self._rules.gates)
        if pod["spec"].get("schedulingGates"):
            pod["status"] = self._gated(pod["status"])
        apply_label_keys(pod, self._rules.gates)
        sync_profiles(pod, self._rules)
        return in_wire_order(pod, self._kind.schema)

    @property
    def _completes_resources(self) -> bool:
        """Whether this strategy sets the defaults of pod-level resources.

        The gates PodLevelResources and PodLevelResourcesFixDefaulting must be on.
        """
        gates = self._rules.gates
        return gates.enabled("PodLevelResources") and gates.enabled("PodLevelResourcesFixDefaulting")

    def _gated(self, status: Object) -> Object:
        now = self._now() if self._rules.quirks.gated_pods_have_transition_time else None
        return with_condition(
            status, SCHEDULED, "False", now, reason=SCHEDULING_GATED, message=_GATED_MESSAGE
        )

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = {**new, "status": old["status"]}
        if self._rules.gates.enabled("PodLevelResourcesFixDefaulting"):
            new = _with_old_resources(new, old)
        if self._rules.quirks.resize_follows_allocation and self._rules.gates.enabled(
            "InPlacePodVerticalScaling"
        ):
            new = mark_proposed(new, old, self._rules)
        return self._counted(drop_disabled_fields(new, old, POD_FIELDS, self._rules), old)

    def _counted(self, new: Object, old: Object) -> Object:
        """Returns the pod `new` with its fields in the order of the Go type, and with its next generation.

        Sets the generation only in releases in which pods have generations.
        """
        new = in_wire_order(new, self._kind.schema)
        return with_next_generation(new, old) if self._rules.quirks.pods_have_generations else new

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_pod_create(obj, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return validate_pod_update(new, old, self._rules, metadata)

    def warnings_before_create(self, obj: Object) -> list[str]:
        return profile_warnings(obj, self._rules)

    def warnings_on_create(self, obj: Object) -> list[str]:
        problems = names.is_dns1123_label(obj["metadata"].get("name", ""))
        warnings = [f"{_HOSTNAME_WARNING}[{' '.join(problems)}]"] if problems else []
        return [*warnings, *pod_warnings(obj, self._rules)]


class PodStatusStrategy(PodStrategy):
    """Prepares and validates writes to `/status` of a pod. Such writes keep spec and owner references."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("spec",),
        ("metadata", "deletionTimestamp"),
        ("metadata", "ownerReferences"),
    )

    def prepare_update(self, new: Object, old: Object) -> Object:
        dropped = ("ownerReferences", "deletionTimestamp")
        metadata = {name: value for name, value in new["metadata"].items() if name not in dropped}
        if "ownerReferences" in old["metadata"]:
            metadata["ownerReferences"] = old["metadata"]["ownerReferences"]
        status = dict(new["status"])
        quirks = self._rules.quirks
        if quirks.status_keeps_qos_class and not status.get("qosClass") and "qosClass" in old["status"]:
            status["qosClass"] = old["status"]["qosClass"]
        if quirks.status_keeps_claim_statuses:
            kept = (name for name in _PRESERVED if status.get(name) is None and name in old["status"])
            status |= {name: old["status"][name] for name in kept}
        new = {**new, "metadata": metadata, "spec": old["spec"], "status": status}
        if quirks.pods_have_generations:
            new = {**new, "status": keep_observed_generations(status, old["status"])}
            new = drop_disabled_fields(new, old, POD_FIELDS, self._rules)
        return in_wire_order(new, self._kind.schema)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return validate_pod_status_update(new, old, self._rules, metadata)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Returns warnings about pod and host IP addresses that are not in canonical form.

        Releases before 1.33 return no warnings.
        """
        if not self._rules.quirks.pod_addresses_are_warned_of:
            return []
        return [
            text
            for name in ("podIPs", "hostIPs")
            for index, address in enumerate(new["status"].get(name) or ())
            for text in ip_warnings(address.get("ip", ""), f"status.{name}[{index}].ip", self._rules)
        ]


class PodEphemeralContainersStrategy(PodStrategy):
    """Prepares and validates writes to `/ephemeralcontainers`.

    Such writes can only add ephemeral containers.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()

    def prepare_update(self, new: Object, old: Object) -> Object:
        spec = {name: value for name, value in old["spec"].items() if name != "ephemeralContainers"}
        if "ephemeralContainers" in new["spec"]:
            spec["ephemeralContainers"] = new["spec"]["ephemeralContainers"]
        changed = {**old, "metadata": self._metadata(new, old), "spec": spec}
        return self._counted(drop_disabled_fields(changed, old, POD_FIELDS, self._rules), old)

    def _metadata(self, new: Object, old: Object) -> Object:
        """Returns the metadata after a write to `/ephemeralcontainers`.

        Up to 1.32, these writes do not change any metadata, not even managedFields.
        """
        if self._rules.quirks.subresources_drop_metadata:
            return dict(old["metadata"])
        return reset_for_status(new["metadata"], old["metadata"])

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return validate_ephemeral_containers_update(new, old, self._rules, metadata)


class PodResizeStrategy(PodStrategy):
    """Prepares and validates writes to `/resize`.

    Such writes change resources of a pod and its containers.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()

    def prepare_update(self, new: Object, old: Object) -> Object:
        if self._rules.gates.enabled("PodLevelResourcesFixDefaulting"):
            new = _with_old_resources(new, old)
        changed = {**resized(new, old, self._rules)}
        changed["metadata"] = dict(changed["metadata"])
        if self._completes_resources and changed["spec"].get("resources") is not None:
            changed["spec"] = {**changed["spec"], "resources": deepcopy(changed["spec"]["resources"])}
            set_by_strategy(changed["spec"])
        if self._rules.quirks.subresources_drop_metadata:
            changed = mark_proposed(changed, old, self._rules)
        return self._counted(drop_disabled_fields(changed, old, POD_FIELDS, self._rules), old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return validate_pod_resize(new, old, self._rules, metadata)


def _with_old_resources(new: Object, old: Object) -> Object:
    """Returns `new` with the pod-level resources of `old` if the client did not send pod-level resources.

    Old clients do not know the field `spec.resources` of pods, and omit this field.
    """
    if new["spec"].get("resources") is not None or old["spec"].get("resources") is None:
        return new
    return {**new, "spec": {**new["spec"], "resources": deepcopy(old["spec"]["resources"])}}
