"""Differences between releases in kinds of the core group, except services and volumes.

The source is k8s.io/kubernetes `pkg/apis/core` and `pkg/registry/core`.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class CoreQuirks:
    """Describes how one release treats pods, nodes, service accounts and quotas.

    Contains only the behaviour that differs between releases.
    """

    # Pods

    pods_have_generations: bool
    """Whether pods have a metadata.generation, and their conditions keep their observedGeneration."""

    gated_pods_have_transition_time: bool
    """Whether the PodScheduled condition of a pod with scheduling gates has a lastTransitionTime."""

    status_keeps_qos_class: bool
    """Whether a write to a pod's status without `qosClass` keeps the stored `qosClass`."""

    status_keeps_claim_statuses: bool
    """Whether a write to a pod's status without claim statuses keeps the stored claim statuses."""

    subresources_drop_metadata: bool
    """Whether writes to a pod's `/ephemeralcontainers` or `/resize` keep all stored metadata.

    If so, a write to `/resize` also sets `status.resize` to Proposed. In other releases, these writes can
    change the same metadata as a write to `/status`.
    """

    resize_follows_allocation: bool
    """Whether an update sets `status.resize` to Proposed if requests differ from the allocated resources."""

    app_armor_fields_are_annotated: bool
    """Whether AppArmor profiles in fields of a new pod are also written to its annotations."""

    grace_never_ends_in_the_past: bool
    """Whether a shortened grace period ends immediately if its new end is already in the past."""

    initialized_pods_forget_init_containers: bool
    """Whether `kubectl get` tables use the condition Initialized to determine whether a pod is initialized.

    If so, the restart count of an initialized pod includes sidecars, but no other init containers.
    """

    finished_pods_are_not_terminating: bool
    """Whether `kubectl get` tables never print Terminating for a pod that succeeded or failed."""

    failed_containers_hide_completed: bool
    """Whether `kubectl get` tables never print Completed for a pod with a failed container."""

    resizes_are_held_to_the_node: bool
    """Whether a resize of a pod is rejected if its node has too little allocatable CPU or memory."""

    features_of_pod_changes: tuple[str, ...]
    """Features that an update of a pod may require in `status.declaredFeatures` of the pod's node."""

    pod_addresses_are_warned_of: bool
    """Whether a write to a pod's status returns warnings about IP addresses in non-standard form."""

    eviction_refusals_explain: bool
    """Whether the error for a rejected eviction includes the message of the PodDisruptionBudget's condition.

    The error never includes a condition that only repeats the numbers of pods.
    """

    forbidden_evictions_have_causes: bool
    """Whether the error for an eviction has a cause in its details if the budget's status is invalid.

    For example, the status has a negative `disruptionsAllowed`.
    """

    # Service accounts, tokens and quotas

    mountable_secrets_are_deprecated: bool
    """Whether adding the annotation that limits mountable secrets to a service account causes a warning."""

    token_requests_have_uids: bool
    """Whether a TokenRequest has the uid of its service account."""

    quota_has_scope_of_volumes: bool
    """Whether a ResourceQuota may have the scope VolumeAttributesClass."""

    quota_requests_above_limits_are_warned_about: bool
    """Whether a ResourceQuota with requests above its limits causes a warning."""

    quota_scopes_exist: str
    """Detail of the error for a wrong operator of a ResourceQuota scope that only supports Exists."""

    # Nodes

    node_networks_are_warned_about: bool
    """Whether ambiguous podCIDRs of a node cause warnings.

    With the gate StrictIPCIDRValidation, they also cause errors. Other releases accept them without a
    warning.
    """

    node_network_errors_show_all: bool
    """Whether the error for an invalid podCIDR of a node prints all podCIDRs, not only the invalid one."""

    node_networks_must_differ: bool
    """Whether a repeated podCIDR of a node is an error (Duplicate value)."""

    nodes_declare_features: bool
    """Whether a node's `status.declaredFeatures` are validated."""

    set_provider_is_invalid: bool
    """Whether the error for a changed providerID of a node is Invalid; in other releases it is Forbidden."""

    kernels_show_architecture: bool
    """Whether `kubectl get nodes -o wide` prints the architecture after the kernel version."""

    user_namespaces_have_handlers: bool
    """Whether the gate UserNamespacesSupport is sufficient for a node to have `runtimeHandlers`.

    The gate RecursiveReadOnlyMounts is sufficient in all releases.
    """


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
