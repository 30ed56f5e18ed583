"""Behaviour of pods that differs between releases.

Each attribute says what a release does; the table at the end says from which release on.
`fakeapi.releases.quirks.Quirks.pods` holds them. Sources are k8s.io/kubernetes `pkg/apis/core/validation` and
`pkg/api/pod` at the release's last patch.
"""

from dataclasses import dataclass
from functools import cache

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class PodQuirks:
    """The behaviour of one release with pods: booleans and wordings."""

    scheduler_names_taints: bool
    """The scheduler's message names the taint that a pod does not tolerate."""

    # Containers

    host_ips_can_be_read: bool
    """Environment variables may refer to `status.hostIPs`."""

    host_ips_are_gated: bool
    """References to `status.hostIPs` require the gate PodHostIPs."""

    relaxed_environment_names_stay: bool
    """An update may keep variable names that only RelaxedEnvironmentVariableValidation allows, while the gate
    is off.
    """

    zero_sleep_stays: bool
    """An update may keep `sleep.seconds: 0` in hooks while PodLifecycleSleepActionAllowZero is off."""

    zero_sleep_hint: str
    """End of the error for `sleep.seconds` out of range, while PodLifecycleSleepActionAllowZero is off."""

    image_volumes_have_no_subpaths: bool
    """Mounts of image volumes must not have a `subPath`."""

    only_sidecars_may: str
    """Detail of the error for probes and hooks of init containers that are not sidecars."""

    sidecars_can_be_resized: bool
    """With the gate InPlacePodVerticalScaling, sidecars may have resize policies."""

    sidecar_resize_policies_stay: bool
    """An update may keep resize policies of sidecars."""

    init_containers_resize_in_place: bool
    """The resize policy of an init container that is not a sidecar must not restart it."""

    resize_follows_restart_policy: bool
    """In a pod with `restartPolicy: Never`, resize policies must be NotRequired."""

    resize_of_never_restarted: str
    """Detail of the error for resize policies that restart containers in a pod with `restartPolicy: Never`.
    """

    restart_rules_stay: bool
    """An update may keep restart policies and restart rules of containers while ContainerRestartRules is off.
    """

    restart_rules_need_a_policy: bool
    """An init container with restart rules requires a restart policy."""

    restart_actions_are_all_listed: bool
    """The error for an unsupported restart action lists all actions, and too many rules are `Too many`, not
    `Too long`.
    """

    unmasked_proc_needs_user_namespace: bool
    """`procMount: Unmasked` requires `hostUsers: false`."""

    sys_admin_without_escalation_stays: bool
    """An update may keep CAP_SYS_ADMIN in a container without privilege escalation."""

    # Pods

    host_network_checks_container_port: bool
    """With hostNetwork, a containerPort that differs from the hostPort is reported at `containerPort`; in
    other releases at `hostPort`, and in templates only if the hostPort is set.
    """

    host_namespaces_are_of_the_spec: bool
    """Host namespaces are validated as fields of the pod spec, as in v1, not of the security context, which
    changes the path of some errors. `serviceAccount` must equal `serviceAccountName`.
    """

    needs_host_users: str
    """Detail of the error for host namespaces in a pod with `hostUsers: false`."""

    user_namespaces_mount_all_volumes: bool
    """A pod with `hostUsers: false` may have volumes of all types."""

    user_namespaces_have_no_devices: bool
    """A pod with `hostUsers: false` must not have `volumeDevices`."""

    empty_system: str
    """Detail of the error for an `os` without a name."""

    windows_pods_have_no_resources: bool
    """A Windows pod must not have pod-level resources."""

    pods_have_huge_pages: bool
    """Pod-level resources may include huge pages."""

    pod_claims_forbidden: str
    """Detail of the error for claims in pod-level resources."""

    absent_pod_requests_are_allowed: bool
    """Pod-level requests may omit resources that containers request."""

    pod_limits_cover_huge_pages: bool
    """Pod-level limits on huge pages must cover the limits of all containers."""

    claim_references_have_a_source: bool
    """A pod's resourceClaims name their claim or template under `source`."""

    static_pods_have_no_claims: bool
    """Static pods must not have resource claims."""

    sysctls_need_own_namespaces: bool
    """A pod must not set sysctls of a namespace that it shares with its node."""

    relaxed_dns_searches_stay: bool
    """An update may keep search domains that only RelaxedDNSSearchValidation allows, while the gate is off.
    """

    search_pattern_has_underscores: bool
    """The error for a search domain prints the pattern that is checked, which allows underscores."""

    addresses_have_examples: bool
    """The error for an invalid IP address has examples."""

    host_aliases_are_told_apart: bool
    """Paths of errors in hostAliases have indices."""

    toleration_is_shown: bool
    """The error for a toleration with a value and the operator Exists prints the whole toleration."""

    tolerations_can_compare: bool
    """Tolerations may use the operators `Lt` and `Gt`."""

    node_affinity_values_are_checked: bool
    """Values in a pod's required node affinity must be valid label values."""

    spread_keys_are_merged: bool
    """`matchLabelKeys` of topology spread constraints are merged into the label selector, if gates allow."""

    grace_period_is_not_negative: bool
    """`terminationGracePeriodSeconds` must not be negative."""

    # Updates

    updates_resize_pods: bool
    """With the gate InPlacePodVerticalScaling an update may change the resources of containers; in other
    releases only a write to `/resize` may.
    """

    updates_keep_qos_class: bool
    """An update may not change the QoS class of a pod."""

    resized_claims_are_not_compared: bool
    """A resize of a container may also change its `resources.claims`."""

    first_amounts_are_not_compared: bool
    """A resize may add requests or limits to a container that had none."""

    resize_shows_difference: bool
    """The error for other changes in a write to `/resize` prints the difference."""

    resize_keeps_containers: bool
    """A write to `/resize` may not add, remove or rename containers, which is the only error then. Any other
    change of a container is an error of its own.
    """

    resize_keeps_memory: bool
    """A resize may lower or add a memory limit only if that restarts the container."""

    pods_with_resources_resize: bool
    """Pods with pod-level resources can be resized, if a gate allows."""

    only_sidecars_resize: bool
    """Init containers can be resized only if they are sidecars, and the errors say so."""

    node_claims_are_not_resized: bool
    """Pods with claims for node-allocatable resources cannot be resized."""

    memory_volumes_resize: bool
    """A write to `/resize` validates each volume; memory-backed volumes can be resized, if a gate allows."""

    # Statuses

    conditions_are_of_the_status: bool
    """The path of errors in conditions is `status.conditions`, not `metadata.conditions`."""

    status_fixes_qos_class: bool
    """A pod's `status.qosClass` is immutable."""

    stored_addresses_stay: bool
    """A write to the status may keep stored addresses in any spelling, and duplicate addresses are no longer
    reported.
    """

    pod_ips_agree: bool
    """`podIP` must equal the first of `podIPs`."""

    init_containers_have_restart_rules: bool
    """Restart rules apply to init containers too, when their status changes."""

    users_are_unsigned: bool
    """The uid of a container's user may use all 32 bits. Allocated resources may also come from the claim for
    extended resources.
    """

    user_path: str
    """Path of errors in the user of a container status."""

    claims_have_resource_statuses: bool
    """The allocated resources of a container may include its claims."""

    unknown_resource_status: str
    """Detail of the error for an allocated resource that the container does not request."""

    unknown_claim_status: str
    """Detail of the error for an allocated resource that matches no claim of the container."""

    claim_status_field: str
    """Field in the path of the error for an invalid `resourceClaimName` in a claim status."""

    node_claims_map_resources: bool
    """The status of a claim for node-allocatable resources has `mapping` and `overhead`; in other releases it
    has `containers` and `resources`.
    """

    # Warnings

    null_selectors_are_warned_of: bool
    """Pod affinity and topology spread constraints without a label selector return a warning."""

    ceph_volumes_are_deprecated: bool
    """Volumes of CephFS and RBD return a deprecation warning."""

    overlapping_paths_are_warned_of: bool
    """Overlapping paths of files in one volume return a warning."""

    repeated_volumes_are_warned_of: bool
    """Volumes with the same name return a warning."""

    hidden_variables_are_warned_of: bool
    """An environment variable with a repeated name returns a warning only if it hides the earlier one."""

    hidden_variable_hint: str
    """End of the warning about an environment variable that hides another."""

    ports_are_compared: bool
    """Repeated port numbers, across all containers, return a warning."""

    port_names_are_compared: bool
    """Repeated port names, across all containers, return a warning."""

    addresses_are_warned_of: bool
    """IP addresses in non-standard form return a warning."""

    app_armor_annotations_are_compared: bool
    """An AppArmor annotation of a template returns a warning also if the pod has a profile that differs from
    it.
    """

    # Volumes

    trust_bundle_field: str
    """Name of the field `clusterTrustBundle` in errors."""

    one_projection_source: str
    """Detail of the error for a source of a projected volume with several types."""

    token_paths_are_local: bool
    """Paths of projected tokens must not contain a parent directory (`..`)."""

    image_volumes_are_gated: bool
    """Validation ignores image volumes while the gate ImageVolume is off."""

    image_volumes_need_references: bool
    """Image volumes in pod templates need a reference, as in pods."""


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
    "image_volumes_are_gated": {27: True, 32: False},
    "image_volumes_need_references": {27: False, 37: True},
}


@cache
def pod_quirks_of(minor: int) -> PodQuirks:
    """The quirks of release 1.`minor` that are about pods."""
    return PodQuirks(**values_at(HISTORY, minor))
