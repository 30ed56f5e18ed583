"""Differences between releases in kinds of the core group, other than services and volumes.

The source is k8s.io/kubernetes `pkg/apis/core` and `pkg/registry/core`.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class CoreQuirks:
    """Differences in pods, nodes and small kinds of the core group."""

    # Pods

    pods_have_generations: bool
    """Pods have a metadata.generation, and their conditions keep the observedGeneration."""

    gated_pods_have_transition_time: bool
    """The PodScheduled condition of a pod with scheduling gates has a lastTransitionTime."""

    status_keeps_qos_class: bool
    """A write to a pod's status without `qosClass` keeps the stored one."""

    status_keeps_claim_statuses: bool
    """A write to a pod's status without claim statuses keeps the stored ones."""

    subresources_drop_metadata: bool
    """A write to `/ephemeralcontainers` or `/resize` of a pod keeps the stored metadata, managedFields
    included, and `/resize` sets `status.resize` to Proposed. Other releases treat metadata as a write to
    `/status` does.
    """

    resize_follows_allocation: bool
    """An update of a pod that requests other resources than are allocated sets `status.resize` to Proposed.
    """

    app_armor_fields_are_annotated: bool
    """AppArmor profiles in fields of a new pod are also written to its annotations."""

    grace_never_ends_in_the_past: bool
    """A shortened grace period ends now if it would have ended in the past."""

    initialized_pods_forget_init_containers: bool
    """Tables use the condition Initialized to tell whether a pod is initialized. The restarts of an
    initialized pod then count sidecars, but no other init containers.
    """

    finished_pods_are_not_terminating: bool
    """Tables never show a pod that succeeded or failed as Terminating."""

    failed_containers_hide_completed: bool
    """Tables do not show a pod as Completed if one of its containers failed."""

    resizes_are_held_to_the_node: bool
    """A resize of a pod is refused if its node has too little allocatable CPU or memory."""

    features_of_pod_changes: tuple[str, ...]
    """Node features that changes of a pod may require in the node's `status.declaredFeatures`."""

    pod_addresses_are_warned_of: bool
    """A write to a pod's status returns warnings about IP addresses in non-standard form."""

    eviction_refusals_explain: bool
    """An eviction that a budget refuses explains the budget's condition, if it says more than the counts."""

    forbidden_evictions_have_causes: bool
    """An eviction that is forbidden because of a broken budget status has a cause in its details."""

    # Service accounts, tokens and quotas

    mountable_secrets_are_deprecated: bool
    """A service account that limits mountable secrets returns a deprecation warning."""

    token_requests_have_uids: bool
    """A TokenRequest has the uid of its service account."""

    quota_has_scope_of_volumes: bool
    """A ResourceQuota may have the scope VolumeAttributesClass."""

    quota_requests_above_limits_are_warned_about: bool
    """A ResourceQuota with requests above its limits returns a warning."""

    quota_scopes_exist: str
    """Detail of the error for a scope that supports only the operator Exists."""

    # Nodes

    node_networks_are_warned_about: bool
    """A node's podCIDRs in ambiguous form return a warning or are refused."""

    node_network_errors_show_all: bool
    """The error for one invalid podCIDR of a node prints all of them."""

    node_networks_must_differ: bool
    """A repeated podCIDR of a node is an error (Duplicate value)."""

    nodes_declare_features: bool
    """A node's `status.declaredFeatures` are validated."""

    set_provider_is_invalid: bool
    """A change of a node's providerID is Invalid; in other releases it is Forbidden."""

    kernels_show_architecture: bool
    """Tables show a node's architecture after its kernel version."""

    user_namespaces_have_handlers: bool
    """A node's `runtimeHandlers` are also kept if the gate UserNamespacesSupport is on."""


_SCOPE = (
    "must be '{}' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
    "ResourceQuotaScopeCrossNamespacePodAffinity"
)

HISTORY: History = {
    "pods_have_generations": {27: False, 33: True},
    "gated_pods_have_transition_time": {27: False, 31: True},
    "status_keeps_qos_class": {27: False, 32: True},
    "status_keeps_claim_statuses": {27: False, 37: True},
    "subresources_drop_metadata": {27: True, 33: False},
    "resize_follows_allocation": {27: True, 32: False},
    "app_armor_fields_are_annotated": {27: True, 34: False},
    "grace_never_ends_in_the_past": {27: False, 33: True},
    "initialized_pods_forget_init_containers": {27: False, 28: True},
    "finished_pods_are_not_terminating": {27: False, 31: True},
    "failed_containers_hide_completed": {27: False, 35: True},
    "resizes_are_held_to_the_node": {27: False, 36: True},
    "features_of_pod_changes": {
        27: (),
        35: ("GuaranteedQoSPodCPUResize", "InPlacePodLevelResourcesVerticalScaling"),
        36: ("InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"),
        37: (
            "InPlacePodLevelResourcesVerticalScaling",
            "InPlacePodVerticalScalingInitContainers",
            "InPlacePodVerticalScalingMemoryBackedVolumes",
        ),
    },
    "pod_addresses_are_warned_of": {27: False, 33: True},
    "eviction_refusals_explain": {27: False, 35: True},
    "forbidden_evictions_have_causes": {27: False, 37: True},
    "mountable_secrets_are_deprecated": {27: False, 32: True},
    "token_requests_have_uids": {27: False, 34: True},
    "quota_has_scope_of_volumes": {27: False, 33: True},
    "quota_requests_above_limits_are_warned_about": {27: False, 35: True},
    "quota_scopes_exist": {27: _SCOPE.format("Exist"), 31: _SCOPE.format("Exists")},
    "node_networks_are_warned_about": {27: False, 33: True},
    "node_network_errors_show_all": {27: True, 30: False},
    "node_networks_must_differ": {27: True, 33: False},
    "nodes_declare_features": {27: False, 35: True},
    "set_provider_is_invalid": {27: False, 37: True},
    "kernels_show_architecture": {27: False, 36: True},
    "user_namespaces_have_handlers": {27: False, 31: True},
}
