"""Differences between releases in the validation, updates and warnings of pods.

`fakeapi.releases.quirks.Quirks.pods` has the values of a release. The sources are the packages named below at
each release's last patch.
"""

from fakeapi.releases.history import ReleaseValues, since

_VALIDATION = "pkg/apis/core/validation"
_POD_UTIL = "pkg/api/pod"
_STRATEGY = "pkg/registry/core/pod"
_TAINTS = "pkg/scheduler/framework/plugins/tainttoleration"

_ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"
_ZERO_SLEEP_HINT = ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."


class PodQuirks(ReleaseValues):
    """Describes how one release treats pods, where releases differ: booleans, and parts of error messages."""

    lost_nominations_retry_pods: bool = since({27: False, 33: True}, _TAINTS)
    """Whether kube-scheduler retries pods of at most the priority of a pod that lost its nomination."""

    scheduler_names_taints: bool = since({27: True, 34: False}, _TAINTS)
    """Whether the scheduler's message names the taint that a pod does not tolerate."""

    # Containers

    host_ips_can_be_read: bool = since({27: False, 28: True}, _VALIDATION)
    """Whether environment variables may refer to `status.hostIPs`."""

    host_ips_are_gated: bool = since({27: False, 28: True, 32: False}, _VALIDATION)
    """Whether references to `status.hostIPs` require the gate PodHostIPs."""

    relaxed_environment_names_stay: bool = since({27: False, 30: True}, _POD_UTIL)
    """Whether an update may keep relaxed variable names that the stored pod has.

    Only applies while the gate RelaxedEnvironmentVariableValidation is off.
    """

    zero_sleep_stays: bool = since({27: False, 32: True}, _POD_UTIL)
    """Whether an update may keep `sleep.seconds: 0`.

    Only applies while the gate PodLifecycleSleepActionAllowZero is off.
    """

    zero_sleep_hint: str = since({27: "", 32: _ZERO_SLEEP_HINT}, _VALIDATION)
    """End of the error for an invalid `sleep.seconds`.

    Only used while the gate PodLifecycleSleepActionAllowZero is off.
    """

    image_volumes_have_no_subpaths: bool = since({27: False, 31: True, 33: False}, _VALIDATION)
    """Whether mounts of image volumes must not have a `subPath`."""

    only_sidecars_may: str = since(
        {27: "may not be set for init containers", 28: _ONLY_SIDECARS}, _VALIDATION
    )
    """Detail of the error for probes and lifecycle hooks of init containers that are not sidecars."""

    sidecars_can_be_resized: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether sidecars may have resize policies while the gate InPlacePodVerticalScaling is on."""

    sidecar_resize_policies_stay: bool = since({27: False, 32: True}, _POD_UTIL)
    """Whether an update may keep resize policies of sidecars."""

    init_containers_resize_in_place: bool = since({27: False, 36: True}, _VALIDATION)
    """Whether the resize policy of an init container that is not a sidecar must not restart it."""

    resize_follows_restart_policy: bool = since({27: False, 29: True}, _VALIDATION)
    """Whether resize policies must be NotRequired in a pod with `restartPolicy: Never`."""

    resize_of_never_restarted: str = since(
        {
            27: "must be 'NotRequired' when `restartPolicy` is 'Never'",
            36: "must be 'NotRequired' when pod `restartPolicy` is 'Never'",
        },
        _VALIDATION,
    )
    """Detail of the error for a resize policy that restarts containers despite `restartPolicy: Never`."""

    restart_rules_stay: bool = since({27: False, 34: True}, _POD_UTIL)
    """Whether an update may keep containers' restart rules while the gate ContainerRestartRules is off.

    If so, an update may also keep the restart policies of containers.
    """

    restart_rules_need_a_policy: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether an init container with restart rules requires a restart policy."""

    restart_actions_are_all_listed: bool = since({27: False, 36: True}, _VALIDATION)
    """Whether the error for an unsupported restart action lists all actions.

    If so, the error for too many restart rules is `Too many`, otherwise `Too long`.
    """

    unmasked_proc_needs_user_namespace: bool = since({27: False, 30: True}, _VALIDATION)
    """Whether `procMount: Unmasked` requires `hostUsers: false`."""

    sys_admin_without_escalation_stays: bool = since({27: False, 37: True}, _POD_UTIL)
    """Whether an update may keep CAP_SYS_ADMIN in a container without privilege escalation."""

    # Pods

    host_network_checks_container_port: bool = since({27: True, 28: False}, _VALIDATION)
    """Whether the error for different ports in a pod with hostNetwork is at `containerPort`.

    In pods with hostNetwork, each hostPort must equal its containerPort. In other releases, the error is at
    `hostPort`, and pod templates only get the error if the hostPort is set.
    """

    host_namespaces_are_of_the_spec: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether host namespaces are validated as fields of the pod spec, as in v1.

    If so, `serviceAccount` must equal `serviceAccountName`. In other releases, host namespaces are validated
    as fields of the security context, which changes some error paths.
    """

    needs_host_users: str = since(
        {27: "when `pod.Spec.HostUsers` is false", 34: "when `hostUsers` is false"}, _VALIDATION
    )
    """Detail of the error for host namespaces in a pod with `hostUsers: false`."""

    user_namespaces_mount_all_volumes: bool = since({27: False, 28: True}, _VALIDATION)
    """Whether a pod with `hostUsers: false` may have volumes of all types."""

    user_namespaces_have_no_devices: bool = since({27: False, 34: True}, _VALIDATION)
    """Whether a pod with `hostUsers: false` must not have `volumeDevices`."""

    empty_system: str = since({27: "cannot be empty", 34: ""}, _VALIDATION)
    """Detail of the error for a pod `os` without a name."""

    windows_pods_have_no_resources: bool = since({27: False, 34: True}, _VALIDATION)
    """Whether a Windows pod must not have pod-level resources."""

    pods_have_huge_pages: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether pod-level resources may include huge pages."""

    pod_claims_forbidden: str = since(
        {
            27: "claims cannot be set for Resources at pod-level",
            34: "claims may not be set for Resources at pod-level",
        },
        _VALIDATION,
    )
    """Detail of the error for claims in pod-level resources."""

    absent_pod_requests_are_allowed: bool = since({27: False, 34: True}, _VALIDATION)
    """Whether pod-level requests may omit resources that containers request."""

    pod_limits_cover_huge_pages: bool = since({27: False, 34: True}, _VALIDATION)
    """Whether pod-level limits on huge pages must cover the limits of all containers."""

    claim_references_have_a_source: bool = since({27: True, 31: False}, _VALIDATION)
    """Whether a pod's resourceClaims name their claim or template under `source`."""

    static_pods_have_no_claims: bool = since({27: False, 32: True}, _VALIDATION)
    """Whether static pods must not have resource claims."""

    sysctls_need_own_namespaces: bool = since({27: False, 29: True}, _VALIDATION)
    """Whether a pod must not set sysctls of a namespace that the pod shares with its node.

    An update of a pod that already has such a sysctl is exempt.
    """

    relaxed_dns_searches_stay: bool = since({27: False, 32: True}, _POD_UTIL)
    """Whether an update may keep relaxed search domains while the gate RelaxedDNSSearchValidation is off."""

    search_pattern_has_underscores: bool = since({27: False, 34: True}, _VALIDATION)
    """Whether the error for a DNS search domain prints the actual pattern, which allows underscores."""

    addresses_have_examples: bool = since({27: False, 30: True}, _VALIDATION)
    """Whether the error for an invalid IP address contains examples of valid addresses."""

    host_aliases_are_told_apart: bool = since({27: False, 30: True}, _VALIDATION)
    """Whether error paths in hostAliases contain list indexes."""

    toleration_is_shown: bool = since({27: True, 32: False}, _VALIDATION)
    """Whether the error for a toleration with a value and the operator Exists prints the whole toleration."""

    extended_claims_differ_by_request: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether two mappings in `extendedResourceClaimStatus` may differ only in their request."""

    tolerations_can_compare: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether tolerations may use the operators `Lt` and `Gt`.

    The gate TaintTolerationComparisonOperators must be on.
    """

    node_affinity_values_are_checked: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether values in a pod's required node affinity must be valid label values.

    An update of a pod that already has invalid values is exempt.
    """

    spread_keys_are_merged: bool = since({27: False, 34: True}, _STRATEGY)
    """Whether topology spread constraints merge `matchLabelKeys` into their label selector.

    The gates MatchLabelKeysInPodTopologySpread and MatchLabelKeysInPodTopologySpreadSelectorMerge must be on.
    """

    grace_period_is_not_negative: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether `terminationGracePeriodSeconds` of a new pod must not be negative."""

    # Updates

    updates_resize_pods: bool = since({27: True, 32: False}, _VALIDATION)
    """Whether updates may change container resources while the gate InPlacePodVerticalScaling is on.

    In other releases only a write to `/resize` may change container resources.
    """

    updates_keep_qos_class: bool = since({27: False, 29: True, 32: False}, _VALIDATION)
    """Whether an update must not change the QoS class of a pod."""

    resized_claims_are_not_compared: bool = since({27: True, 37: False}, _VALIDATION)
    """Whether a resize of a container may change `resources.claims` too."""

    first_amounts_are_not_compared: bool = since({27: True, 35: False}, _VALIDATION)
    """Whether a resize may add requests or limits to a container without requests or limits."""

    resize_shows_difference: bool = since({27: True, 33: False}, _VALIDATION)
    """Whether the error for forbidden changes in a write to `/resize` prints the difference."""

    resize_keeps_containers: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether a write to `/resize` that adds, removes or renames containers gets no further errors.

    If so, each other forbidden change of a container has its own error.
    """

    resize_keeps_memory: bool = since({27: False, 33: True, 34: False}, _VALIDATION)
    """Whether a resize may lower or add a memory limit only if the resize policy restarts the container."""

    pods_with_resources_resize: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether pods with pod-level resources can be resized.

    The gate InPlacePodLevelResourcesVerticalScaling must be on.
    """

    only_sidecars_resize: bool = since({27: True, 36: False}, _VALIDATION)
    """Whether sidecars are the only init containers that can be resized. The errors then mention sidecars."""

    node_claims_are_not_resized: bool = since({27: False, 36: True, 37: False}, _VALIDATION)
    """Whether pods with claims for node-allocatable resources cannot be resized."""

    memory_volumes_resize: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether a write to `/resize` validates each volume.

    If so, memory-backed volumes can be resized while the gate InPlacePodVerticalScalingMemoryBackedVolumes is
    on.
    """

    # Statuses

    conditions_are_of_the_status: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether the path of errors about pod conditions is `status.conditions`.

    In other releases the path is `metadata.conditions`.
    """

    status_fixes_qos_class: bool = since({27: False, 32: True}, _VALIDATION)
    """Whether a pod's `status.qosClass` is immutable."""

    stored_addresses_stay: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether a write to a pod's status may keep stored IP addresses in any spelling.

    If so, duplicate addresses are not reported.
    """

    pod_ips_agree: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether `podIP` must equal the first of `podIPs`."""

    init_containers_have_restart_rules: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether a container's restart rules also apply to changes of an init container's status."""

    users_are_unsigned: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether the uid in a container's status may use all 32 bits.

    If so, allocated resources may also come from the claim for extended resources.
    """

    user_path: str = since({27: "linux", 33: "user.linux"}, _VALIDATION)
    """Path of errors about the user in a container status."""

    claims_have_resource_statuses: bool = since({27: False, 32: True}, _VALIDATION)
    """Whether the allocated resources of a container may include its claims."""

    unknown_resource_status: str = since(
        {
            27: "must match one of the container's resource requirements",
            32: "must match one of the container's resource requests",
        },
        _VALIDATION,
    )
    """Detail of the error for an allocated resource that the container does not request."""

    unknown_claim_status: str = since(
        {
            27: (
                "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' "
                "or 'claim:<claimName>' if request is empty"
            ),
            37: (
                "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when "
                "container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty"
            ),
        },
        _VALIDATION,
    )
    """Detail of the error for an allocated resource that matches no claim of the container."""

    claim_status_field: str = since({27: "name", 36: "resourceClaimName"}, _VALIDATION)
    """Last field in the error path for an invalid `resourceClaimName` in `status.resourceClaimStatuses`."""

    node_claims_map_resources: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether the status of claims for node-allocatable resources has the fields `mapping` and `overhead`.

    In other releases the status has the fields `containers` and `resources`.
    """

    # Warnings

    null_selectors_are_warned_of: bool = since({27: False, 28: True}, _POD_UTIL)
    """Whether pod affinity and topology spread constraints without a label selector cause a warning."""

    ceph_volumes_are_deprecated: bool = since({27: False, 28: True}, _POD_UTIL)
    """Whether volumes of CephFS and RBD cause a deprecation warning."""

    overlapping_paths_are_warned_of: bool = since({27: False, 32: True}, _POD_UTIL)
    """Whether overlapping paths of files in one volume cause a warning."""

    repeated_volumes_are_warned_of: bool = since({27: True, 28: False}, _POD_UTIL)
    """Whether volumes with the same name cause a warning."""

    hidden_variables_are_warned_of: bool = since({27: False, 28: True}, _POD_UTIL)
    """Whether a repeated environment variable causes a warning only if it hides the earlier variable."""

    hidden_variable_hint: str = since({27: "", 30: ", which may be dropped when using apply"}, _POD_UTIL)
    """End of the warning about an environment variable that hides an earlier variable."""

    ports_are_compared: bool = since({27: False, 28: True}, _POD_UTIL)
    """Whether repeated port numbers in the containers of a pod cause a warning."""

    port_names_are_compared: bool = since({27: False, 33: True}, _POD_UTIL)
    """Whether repeated port names in the containers of a pod cause a warning."""

    addresses_are_warned_of: bool = since({27: False, 33: True}, _POD_UTIL)
    """Whether IP addresses in non-standard form cause a warning."""

    app_armor_annotations_are_compared: bool = since({27: False, 34: True}, _POD_UTIL)
    """Whether a template's AppArmor annotation that differs from the pod's profile causes a warning.

    In other releases, the annotation only causes a warning if the pod has no profile.
    """

    # Volumes

    trust_bundle_field: str = since({27: "clusterTrustBundlePEM", 31: "clusterTrustBundle"}, _VALIDATION)
    """Name of the field `clusterTrustBundle` in the paths of errors."""

    one_projection_source: str = since(
        {
            27: "may not specify more than 1 volume type",
            31: "may not specify more than 1 volume type per source",
        },
        _VALIDATION,
    )
    """Detail of the error for a projected volume's source that has several types."""

    token_paths_are_local: bool = since({27: False, 30: True}, _VALIDATION)
    """Whether paths of projected tokens must not contain a parent directory (`..`).

    An update of a pod that already has such a path is exempt.
    """

    allocated_resources_are_gated: bool = since({27: False, 32: True, 33: False}, _POD_UTIL)
    """Whether statuses lose `allocatedResources` while InPlacePodVerticalScalingAllocatedStatus is off.

    Only release 1.32 has this rule.
    """

    resize_status_is_gated: bool = since({27: True, 33: False}, _POD_UTIL)
    """Whether an update drops `status.resize` while the gate InPlacePodVerticalScaling is off."""

    resource_health_is_kept: bool = since({27: False, 36: True}, _POD_UTIL)
    """Whether stored `allocatedResourcesStatus` stays in updates while ResourceHealthStatus is off."""

    image_volumes_are_gated: bool = since({27: True, 32: False}, _VALIDATION)
    """Whether validation ignores image volumes while the gate ImageVolume is off."""

    image_volumes_need_references: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether image volumes in pod templates need a reference, as in pods."""
