"""Differences between releases in kinds of the core group, except services and volumes."""

from fakeapi.releases.history import ReleaseValues, since

_PODS = "pkg/registry/core/pod"
_TABLES = "pkg/printers/internalversion"
_VALIDATION = "pkg/apis/core/validation"
_POD_UTIL = "pkg/api/pod"
_EVICTION = "pkg/registry/core/pod/storage"
_ACCOUNTS = "pkg/registry/core/serviceaccount"
_ACCOUNT_TOKENS = "pkg/registry/core/serviceaccount/storage"
_QUOTAS = "pkg/registry/core/resourcequota"
_NODES = "pkg/registry/core/node"
_RESIZE = "plugin/pkg/admission/podresize"
_FEATURES = "plugin/pkg/admission/nodedeclaredfeatures"

_SCOPE = (
    "must be '{}' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
    "ResourceQuotaScopeCrossNamespacePodAffinity"
)


class CoreQuirks(ReleaseValues):
    """Describes how one release treats pods, nodes, service accounts and quotas.

    Contains only the behaviour that differs between releases.
    """

    # Pods

    pods_have_generations: bool = since({27: False, 33: True}, _PODS)
    """Whether pods have a metadata.generation, and their conditions keep their observedGeneration."""

    gated_pods_have_transition_time: bool = since({27: False, 31: True}, _POD_UTIL)
    """Whether the PodScheduled condition of a pod with scheduling gates has a lastTransitionTime."""

    status_keeps_qos_class: bool = since({27: False, 32: True}, _PODS)
    """Whether a write to a pod's status without `qosClass` keeps the stored `qosClass`."""

    status_keeps_claim_statuses: bool = since({27: False, 37: True}, _PODS)
    """Whether a write to a pod's status without claim statuses keeps the stored claim statuses."""

    subresources_drop_metadata: bool = since({27: True, 33: False}, _PODS)
    """Whether writes to a pod's `/ephemeralcontainers` or `/resize` keep all stored metadata.

    If so, a write to `/resize` also sets `status.resize` to Proposed. In other releases, these writes can
    change the same metadata as a write to `/status`.
    """

    resize_follows_allocation: bool = since({27: True, 32: False}, _PODS)
    """Whether an update sets `status.resize` to Proposed if requests differ from the allocated resources."""

    app_armor_fields_are_annotated: bool = since({27: True, 34: False}, _PODS)
    """Whether AppArmor profiles in fields of a new pod are also written to its annotations."""

    grace_never_ends_in_the_past: bool = since({27: False, 33: True}, _PODS)
    """Whether a shortened grace period ends immediately if its new end is already in the past."""

    initialized_pods_forget_init_containers: bool = since({27: False, 28: True}, _TABLES)
    """Whether `kubectl get` tables use the condition Initialized to determine whether a pod is initialized.

    If so, the restart count of an initialized pod includes sidecars, but no other init containers.
    """

    finished_pods_are_not_terminating: bool = since({27: False, 31: True}, _TABLES)
    """Whether `kubectl get` tables never print Terminating for a pod that succeeded or failed."""

    failed_containers_hide_completed: bool = since({27: False, 35: True}, _TABLES)
    """Whether `kubectl get` tables never print Completed for a pod with a failed container."""

    resizes_are_held_to_the_node: bool = since({27: False, 36: True}, _RESIZE)
    """Whether a resize of a pod is rejected if its node has too little allocatable CPU or memory."""

    features_of_pod_changes: tuple[str, ...] = since(
        {
            27: (),
            35: ("GuaranteedQoSPodCPUResize", "InPlacePodLevelResourcesVerticalScaling"),
            36: ("InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"),
            37: (
                "InPlacePodLevelResourcesVerticalScaling",
                "InPlacePodVerticalScalingInitContainers",
                "InPlacePodVerticalScalingMemoryBackedVolumes",
            ),
        },
        _FEATURES,
    )
    """Features that an update of a pod may require in `status.declaredFeatures` of the pod's node."""

    pod_addresses_are_warned_of: bool = since({27: False, 33: True}, _PODS)
    """Whether a write to a pod's status returns warnings about IP addresses in non-standard form."""

    eviction_refusals_explain: bool = since({27: False, 35: True}, _EVICTION)
    """Whether the error for a rejected eviction includes the message of the PodDisruptionBudget's condition.

    The error never includes a condition that only repeats the numbers of pods.
    """

    forbidden_evictions_have_causes: bool = since({27: False, 37: True}, _EVICTION)
    """Whether the error for an eviction has a cause in its details if the budget's status is invalid.

    For example, the status has a negative `disruptionsAllowed`.
    """

    # Service accounts, tokens and quotas

    mountable_secrets_are_deprecated: bool = since({27: False, 32: True}, _ACCOUNTS)
    """Whether adding the annotation that limits mountable secrets to a service account causes a warning."""

    token_requests_have_uids: bool = since({27: False, 34: True}, _ACCOUNT_TOKENS)
    """Whether a TokenRequest has the uid of its service account.

    If so, a TokenRequest with another uid fails with 409. While the gate
    TokenRequestServiceAccountUIDValidation is off, the other uid only causes a warning.
    """

    quota_has_scope_of_volumes: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether a ResourceQuota may have the scope VolumeAttributesClass."""

    quota_requests_above_limits_are_warned_about: bool = since({27: False, 35: True}, _QUOTAS)
    """Whether a ResourceQuota with requests above its limits causes a warning."""

    quota_scopes_exist: str = since({27: _SCOPE.format("Exist"), 31: _SCOPE.format("Exists")}, _VALIDATION)
    """Detail of the error for a wrong operator of a ResourceQuota scope that only supports Exists."""

    # Nodes

    node_networks_are_warned_about: bool = since({27: False, 33: True}, _NODES)
    """Whether ambiguous podCIDRs of a node cause warnings.

    With the gate StrictIPCIDRValidation, ambiguous podCIDRs also cause errors. Other releases accept
    ambiguous podCIDRs without a warning.
    """

    node_network_errors_show_all: bool = since({27: True, 30: False}, _VALIDATION)
    """Whether the error for an invalid podCIDR of a node prints all podCIDRs, not only the invalid one."""

    node_networks_must_differ: bool = since({27: True, 33: False}, _VALIDATION)
    """Whether a repeated podCIDR of a node is an error (Duplicate value)."""

    nodes_declare_features: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether a node's `status.declaredFeatures` are validated."""

    set_provider_is_invalid: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether the error for a changed providerID of a node is Invalid, not Forbidden."""

    kernels_show_architecture: bool = since({27: False, 36: True}, _TABLES)
    """Whether `kubectl get nodes -o wide` prints the architecture after the kernel version."""

    user_namespaces_have_handlers: bool = since({27: False, 31: True}, _NODES)
    """Whether the gate UserNamespacesSupport is sufficient for a node to have `runtimeHandlers`.

    The gate RecursiveReadOnlyMounts is sufficient in all releases.
    """
