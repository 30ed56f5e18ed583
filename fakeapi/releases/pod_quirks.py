"""Differences between releases in the validation, updates and warnings of pods.

HISTORY lists each value with the first release that has it. `fakeapi.releases.quirks.Quirks.pods` has the
values of a release. Sources are k8s.io/kubernetes `pkg/apis/core/validation` and `pkg/api/pod` at the
release's last patch.
"""

from dataclasses import dataclass
from functools import cache

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class PodQuirks:
    """Describes how one release treats pods, where releases differ: booleans, and parts of error messages."""

    scheduler_names_taints: bool
    """Whether the scheduler's message names the taint that a pod does not tolerate."""

    # Containers

    host_ips_can_be_read: bool
    """Whether environment variables may refer to `status.hostIPs`."""

    host_ips_are_gated: bool
    """Whether references to `status.hostIPs` require the gate PodHostIPs."""

    relaxed_environment_names_stay: bool
    """Whether an update may keep relaxed variable names that the stored pod has.

    Only applies while the gate RelaxedEnvironmentVariableValidation is off.
    """

    zero_sleep_stays: bool
    """Whether an update may keep `sleep.seconds: 0`.

    Only applies while the gate PodLifecycleSleepActionAllowZero is off.
    """

    zero_sleep_hint: str
    """End of the error for an invalid `sleep.seconds`.

    Only used while the gate PodLifecycleSleepActionAllowZero is off.
    """

    image_volumes_have_no_subpaths: bool
    """Whether mounts of image volumes must not have a `subPath`."""

    only_sidecars_may: str
    """Detail of the error for probes and lifecycle hooks of init containers that are not sidecars."""

    sidecars_can_be_resized: bool
    """Whether sidecars may have resize policies while the gate InPlacePodVerticalScaling is on."""

    sidecar_resize_policies_stay: bool
    """Whether an update may keep resize policies of sidecars."""

    init_containers_resize_in_place: bool
    """Whether the resize policy of an init container that is not a sidecar must not restart it."""

    resize_follows_restart_policy: bool
    """Whether resize policies must be NotRequired in a pod with `restartPolicy: Never`."""

    resize_of_never_restarted: str
    """Detail of the error for a resize policy that restarts containers despite `restartPolicy: Never`."""

    restart_rules_stay: bool
    """Whether an update may keep containers' restart rules while the gate ContainerRestartRules is off.

    If so, it may also keep their restart policies.
    """

    restart_rules_need_a_policy: bool
    """Whether an init container with restart rules requires a restart policy."""

    restart_actions_are_all_listed: bool
    """Whether the error for an unsupported restart action lists all actions.

    If so, too many restart rules are reported as `Too many`. In other releases, they are reported as `Too
    long`.
    """

    unmasked_proc_needs_user_namespace: bool
    """Whether `procMount: Unmasked` requires `hostUsers: false`."""

    sys_admin_without_escalation_stays: bool
    """Whether an update may keep CAP_SYS_ADMIN in a container without privilege escalation."""

    # Pods

    host_network_checks_container_port: bool
    """Whether the error for a hostPort that differs from its containerPort is at `containerPort`.

    Such a hostPort is invalid in pods with hostNetwork. In other releases, the error is at `hostPort`, and
    pod templates only get it if the hostPort is set.
    """

    host_namespaces_are_of_the_spec: bool
    """Whether host namespaces are validated as fields of the pod spec, as in v1.

    If so, `serviceAccount` must equal `serviceAccountName`. In other releases, host namespaces are validated
    as fields of the security context, which changes some error paths.
    """

    needs_host_users: str
    """Detail of the error for host namespaces in a pod with `hostUsers: false`."""

    user_namespaces_mount_all_volumes: bool
    """Whether a pod with `hostUsers: false` may have volumes of all types."""

    user_namespaces_have_no_devices: bool
    """Whether a pod with `hostUsers: false` must not have `volumeDevices`."""

    empty_system: str
    """Detail of the error for a pod `os` without a name."""

    windows_pods_have_no_resources: bool
    """Whether a Windows pod must not have pod-level resources."""

    pods_have_huge_pages: bool
    """Whether pod-level resources may include huge pages."""

    pod_claims_forbidden: str
    """Detail of the error for claims in pod-level resources."""

    absent_pod_requests_are_allowed: bool
    """Whether pod-level requests may omit resources that containers request."""

    pod_limits_cover_huge_pages: bool
    """Whether pod-level limits on huge pages must cover the limits of all containers."""

    claim_references_have_a_source: bool
    """Whether a pod's resourceClaims name their claim or template under `source`."""

    static_pods_have_no_claims: bool
    """Whether static pods must not have resource claims."""

    sysctls_need_own_namespaces: bool
    """Whether a pod must not set sysctls of a namespace that it shares with its node."""

    relaxed_dns_searches_stay: bool
    """Whether an update may keep relaxed search domains while the gate RelaxedDNSSearchValidation is off."""

    search_pattern_has_underscores: bool
    """Whether the error for a DNS search domain prints the actual pattern, which allows underscores."""

    addresses_have_examples: bool
    """Whether the error for an invalid IP address contains examples of valid addresses."""

    host_aliases_are_told_apart: bool
    """Whether error paths in hostAliases contain list indexes."""

    toleration_is_shown: bool
    """Whether the error for a toleration with a value and the operator Exists prints the whole toleration."""

    tolerations_can_compare: bool
    """Whether tolerations may use the operators `Lt` and `Gt`."""

    node_affinity_values_are_checked: bool
    """Whether values in a pod's required node affinity must be valid label values."""

    spread_keys_are_merged: bool
    """Whether topology spread constraints merge `matchLabelKeys` into their label selector.

    The gate MatchLabelKeysInPodTopologySpreadSelectorMerge must be on.
    """

    grace_period_is_not_negative: bool
    """Whether `terminationGracePeriodSeconds` must not be negative."""

    # Updates

    updates_resize_pods: bool
    """Whether updates may change container resources while the gate InPlacePodVerticalScaling is on.

    In other releases only a write to `/resize` may change them.
    """

    updates_keep_qos_class: bool
    """Whether an update must not change the QoS class of a pod."""

    resized_claims_are_not_compared: bool
    """Whether a resize of a container may change `resources.claims` too."""

    first_amounts_are_not_compared: bool
    """Whether a resize may add requests or limits to a container without requests or limits."""

    resize_shows_difference: bool
    """Whether the error for forbidden changes in a write to `/resize` prints the difference."""

    resize_keeps_containers: bool
    """Whether a write to `/resize` that adds, removes or renames containers gets no further errors.

    If so, each other forbidden change of a container has its own error.
    """

    resize_keeps_memory: bool
    """Whether a resize may lower or add a memory limit only if the resize policy restarts the container."""

    pods_with_resources_resize: bool
    """Whether pods with pod-level resources can be resized.

    The gate InPlacePodLevelResourcesVerticalScaling must be on.
    """

    only_sidecars_resize: bool
    """Whether sidecars are the only init containers that can be resized. The errors then mention sidecars."""

    node_claims_are_not_resized: bool
    """Whether pods with claims for node-allocatable resources cannot be resized."""

    memory_volumes_resize: bool
    """Whether a write to `/resize` validates each volume.

    If so, memory-backed volumes can be resized while the gate InPlacePodVerticalScalingMemoryBackedVolumes is
    on.
    """

    # Statuses

    conditions_are_of_the_status: bool
    """Whether the path of errors about pod conditions is `status.conditions`.

    In other releases the path is `metadata.conditions`.
    """

    status_fixes_qos_class: bool
    """Whether a pod's `status.qosClass` is immutable."""

    stored_addresses_stay: bool
    """Whether a write to a pod's status may keep stored IP addresses in any spelling.

    If so, duplicate addresses are not reported.
    """

    pod_ips_agree: bool
    """Whether `podIP` must equal the first of `podIPs`."""

    init_containers_have_restart_rules: bool
    """Whether a container's restart rules also apply to changes of an init container's status."""

    users_are_unsigned: bool
    """Whether the uid in a container's status may use all 32 bits.

    If so, allocated resources may also come from the claim for extended resources.
    """

    user_path: str
    """Path of errors about the user in a container status."""

    claims_have_resource_statuses: bool
    """Whether the allocated resources of a container may include its claims."""

    unknown_resource_status: str
    """Detail of the error for an allocated resource that the container does not request."""

    unknown_claim_status: str
    """Detail of the error for an allocated resource that matches no claim of the container."""

    claim_status_field: str
    """Last field in the error path for an invalid `resourceClaimName` in `status.resourceClaimStatuses`."""

    node_claims_map_resources: bool
    """Whether the status of claims for node-allocatable resources has the fields `mapping` and `overhead`.

    In other releases it has the fields `containers` and `resources`.
    """

    # Warnings

    null_selectors_are_warned_of: bool
    """Whether pod affinity and topology spread constraints without a label selector cause a warning."""

    ceph_volumes_are_deprecated: bool
    """Whether volumes of CephFS and RBD cause a deprecation warning."""

    overlapping_paths_are_warned_of: bool
    """Whether overlapping paths of files in one volume cause a warning."""

    repeated_volumes_are_warned_of: bool
    """Whether volumes with the same name cause a warning."""

    hidden_variables_are_warned_of: bool
    """Whether a repeated environment variable causes a warning only if it hides the earlier variable."""

    hidden_variable_hint: str
    """End of the warning about an environment variable that hides an earlier variable."""

    ports_are_compared: bool
    """Whether repeated port numbers in the containers of a pod cause a warning."""

    port_names_are_compared: bool
    """Whether repeated port names in the containers of a pod cause a warning."""

    addresses_are_warned_of: bool
    """Whether IP addresses in non-standard form cause a warning."""

    app_armor_annotations_are_compared: bool
    """Whether a template's AppArmor annotation that differs from the pod's profile causes a warning.

    In other releases, the annotation only causes a warning if the pod has no profile.
    """

    # Volumes

    trust_bundle_field: str
    """Name of the field `clusterTrustBundle` in the paths of errors."""

    one_projection_source: str
    """Detail of the error for a projected volume's source that has several types."""

    token_paths_are_local: bool
    """Whether paths of projected tokens must not contain a parent directory (`..`)."""

    allocated_resources_are_gated: bool
    """Whether statuses lose `allocatedResources` while InPlacePodVerticalScalingAllocatedStatus is off.

    Only 1.32 asks this gate.
    """

    image_volumes_are_gated: bool
    """Whether validation ignores image volumes while the gate ImageVolume is off."""

    image_volumes_need_references: bool
    """Whether image volumes in pod templates need a reference, as in pods."""


_ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"
_ZERO_SLEEP_HINT = ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."

HISTORY: History = {
    "host_ips_can_be_read": {27: False, 28: True},
    "host_ips_are_gated": {27: False, 28: True, 32: False},
    "relaxed_environment_names_stay": {27: False, 30: True},
    "zero_sleep_stays": {27: False, 32: True},
    "zero_sleep_hint": {27: "", 32: _ZERO_SLEEP_HINT},
    "image_volumes_have_no_subpaths": {27: False, 31: True, 33: False},
    "only_sidecars_may": {27: "may not be set for init containers", 28: _ONLY_SIDECARS},
    "sidecars_can_be_resized": {27: False, 33: True},
    "sidecar_resize_policies_stay": {27: False, 32: True},
    "init_containers_resize_in_place": {27: False, 36: True},
    "resize_follows_restart_policy": {27: False, 29: True},
    "resize_of_never_restarted": {
        27: "must be 'NotRequired' when `restartPolicy` is 'Never'",
        36: "must be 'NotRequired' when pod `restartPolicy` is 'Never'",
    },
    "restart_rules_stay": {27: False, 34: True},
    "restart_rules_need_a_policy": {27: False, 35: True},
    "restart_actions_are_all_listed": {27: False, 36: True},
    "unmasked_proc_needs_user_namespace": {27: False, 30: True},
    "sys_admin_without_escalation_stays": {27: False, 37: True},
    "host_network_checks_container_port": {27: True, 28: False},
    "host_namespaces_are_of_the_spec": {27: False, 37: True},
    "needs_host_users": {27: "when `pod.Spec.HostUsers` is false", 34: "when `hostUsers` is false"},
    "user_namespaces_mount_all_volumes": {27: False, 28: True},
    "user_namespaces_have_no_devices": {27: False, 34: True},
    "empty_system": {27: "cannot be empty", 34: ""},
    "windows_pods_have_no_resources": {27: False, 34: True},
    "pods_have_huge_pages": {27: False, 33: True},
    "pod_claims_forbidden": {
        27: "claims cannot be set for Resources at pod-level",
        34: "claims may not be set for Resources at pod-level",
    },
    "absent_pod_requests_are_allowed": {27: False, 34: True},
    "pod_limits_cover_huge_pages": {27: False, 34: True},
    "claim_references_have_a_source": {27: True, 31: False},
    "static_pods_have_no_claims": {27: False, 32: True},
    "sysctls_need_own_namespaces": {27: False, 29: True},
    "relaxed_dns_searches_stay": {27: False, 32: True},
    "search_pattern_has_underscores": {27: False, 34: True},
    "addresses_have_examples": {27: False, 30: True},
    "host_aliases_are_told_apart": {27: False, 30: True},
    "toleration_is_shown": {27: True, 32: False},
    "tolerations_can_compare": {27: False, 35: True},
    "node_affinity_values_are_checked": {27: False, 33: True},
    "spread_keys_are_merged": {27: False, 34: True},
    "grace_period_is_not_negative": {27: False, 37: True},
    "updates_resize_pods": {27: True, 32: False},
    "updates_keep_qos_class": {27: False, 29: True, 32: False},
    "resized_claims_are_not_compared": {27: True, 37: False},
    "first_amounts_are_not_compared": {27: True, 35: False},
    "resize_shows_difference": {27: True, 33: False},
    "resize_keeps_containers": {27: False, 33: True},
    "resize_keeps_memory": {27: False, 33: True, 34: False},
    "pods_with_resources_resize": {27: False, 35: True},
    "only_sidecars_resize": {27: True, 36: False},
    "node_claims_are_not_resized": {27: False, 36: True, 37: False},
    "memory_volumes_resize": {27: False, 37: True},
    "conditions_are_of_the_status": {27: False, 33: True},
    "status_fixes_qos_class": {27: False, 32: True},
    "stored_addresses_stay": {27: False, 33: True},
    "pod_ips_agree": {27: False, 37: True},
    "init_containers_have_restart_rules": {27: False, 35: True},
    "users_are_unsigned": {27: False, 37: True},
    "user_path": {27: "linux", 33: "user.linux"},
    "claims_have_resource_statuses": {27: False, 32: True},
    "unknown_resource_status": {
        27: "must match one of the container's resource requirements",
        32: "must match one of the container's resource requests",
    },
    "unknown_claim_status": {
        27: (
            "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or "
            "'claim:<claimName>' if request is empty"
        ),
        37: (
            "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when "
            "container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty"
        ),
    },
    "claim_status_field": {27: "name", 36: "resourceClaimName"},
    "node_claims_map_resources": {27: False, 37: True},
    "null_selectors_are_warned_of": {27: False, 28: True},
    "ceph_volumes_are_deprecated": {27: False, 28: True},
    "overlapping_paths_are_warned_of": {27: False, 32: True},
    "repeated_volumes_are_warned_of": {27: True, 28: False},
    "hidden_variables_are_warned_of": {27: False, 28: True},
    "hidden_variable_hint": {27: "", 30: ", which may be dropped when using apply"},
    "ports_are_compared": {27: False, 28: True},
    "port_names_are_compared": {27: False, 33: True},
    "addresses_are_warned_of": {27: False, 33: True},
    "app_armor_annotations_are_compared": {27: False, 34: True},
    "trust_bundle_field": {27: "clusterTrustBundlePEM", 31: "clusterTrustBundle"},
    "one_projection_source": {
        27: "may not specify more than 1 volume type",
        31: "may not specify more than 1 volume type per source",
    },
    "token_paths_are_local": {27: False, 30: True},
    "scheduler_names_taints": {27: True, 34: False},
    "allocated_resources_are_gated": {27: False, 32: True, 33: False},
    "image_volumes_are_gated": {27: True, 32: False},
    "image_volumes_need_references": {27: False, 37: True},
}


@cache
def pod_quirks_of(minor: int) -> PodQuirks:
    """Returns the behaviour of release 1.`minor` with pods."""
    return PodQuirks(**values_at(HISTORY, minor))
