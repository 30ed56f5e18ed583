"""Named differences between releases in what they ask of pods.

As `fakeapi.releases.quirks`, whose `pods` they are: each name says what the release does, the table at the
end from which release on. From k8s.io/kubernetes `pkg/apis/core/validation` and `pkg/api/pod` at the
release's last patch.
"""

from dataclasses import dataclass
from functools import cache

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class PodQuirks:
    """What a release does with pods: booleans and wordings."""

    scheduler_names_taints: bool
    """The scheduler's condition names the taint that keeps a pod from a node."""

    # Containers

    host_ips_can_be_read: bool
    """`status.hostIPs` can become an environment variable."""

    host_ips_are_gated: bool
    """If the gate PodHostIPs is on."""

    relaxed_environment_names_stay: bool
    """Names of variables that the gate RelaxedEnvironmentVariableValidation allows may stay without it."""

    zero_sleep_stays: bool
    """So may hooks that sleep for no time, without PodLifecycleSleepActionAllowZero."""

    zero_sleep_hint: str
    """What the refusal of such a hook adds."""

    image_volumes_have_no_subpaths: bool
    """Mounts of images have no `subPath`."""

    only_sidecars_may: str
    """Said of probes and hooks of init containers."""

    sidecars_can_be_resized: bool
    """The gate InPlacePodVerticalScaling lets init containers have resize policies."""

    sidecar_resize_policies_stay: bool
    """A sidecar that has a resize policy keeps it."""

    init_containers_resize_in_place: bool
    """An init container that is no sidecar is not restarted when it is resized."""

    resize_follows_restart_policy: bool
    """Containers of a pod that is never restarted are not restarted when they are resized."""

    resize_of_never_restarted: str
    """Said of those that are."""

    restart_rules_stay: bool
    """Restart policies of ordinary containers may stay without the gate ContainerRestartRules."""

    restart_rules_need_a_policy: bool
    """Restart rules of an init container without a restart policy are an error."""

    restart_actions_are_all_listed: bool
    """A wrong action of a restart rule is told all right ones, and too many rules are `Too many`, not `Too
    long`."""

    unmasked_proc_needs_user_namespace: bool
    """`procMount: Unmasked` asks for `hostUsers: false`."""

    sys_admin_without_escalation_stays: bool
    """A pod with CAP_SYS_ADMIN in a container that may not escalate may keep it."""

    # Pods

    host_network_checks_container_port: bool
    """In the node's network the port of the container is wrong where it is not the node's; elsewhere the
    node's port is, and in templates only if it is set."""

    host_namespaces_are_of_the_spec: bool
    """Host namespaces stand in the server's own pod spec as they do in v1, not in its security context,
    which moves some errors; and `serviceAccount` must be the same as `serviceAccountName`."""

    needs_host_users: str
    """Said of host namespaces of a pod with users of its own."""

    user_namespaces_mount_all_volumes: bool
    """Such a pod may have volumes of all kinds."""

    user_namespaces_have_no_devices: bool
    """It may have no block devices."""

    empty_system: str
    """Said of an `os` without a name."""

    windows_pods_have_no_resources: bool
    """A Windows pod may ask for nothing as a whole."""

    pods_have_huge_pages: bool
    """A pod may ask for huge pages as a whole."""

    pod_claims_forbidden: str
    """Said of claims in what a pod asks for as a whole."""

    absent_pod_requests_are_allowed: bool
    """A pod that asks for something as a whole need not ask for all that its containers ask for."""

    pod_limits_cover_huge_pages: bool
    """Limits on huge pages of all containers are held against the pod's."""

    claim_references_have_a_source: bool
    """A claim of a pod is named under `source`."""

    static_pods_have_no_claims: bool
    """Static pods have no resource claims."""

    sysctls_need_own_namespaces: bool
    """A pod sets no kernel parameters of namespaces that it shares with its node."""

    relaxed_dns_searches_stay: bool
    """Search domains that only the gate RelaxedDNSSearchValidation allows may stay without it."""

    search_pattern_has_underscores: bool
    """The pattern that search domains must match is told as it is."""

    addresses_have_examples: bool
    """An address that is none is told examples."""

    host_aliases_are_told_apart: bool
    """Errors of host aliases have an index."""

    toleration_is_shown: bool
    """The error about a value where none may be shows the whole toleration."""

    tolerations_can_compare: bool
    """There are operators `Lt` and `Gt`."""

    node_affinity_values_are_checked: bool
    """Required node affinity compares with valid values of labels."""

    spread_keys_are_merged: bool
    """Keys of topology spread constraints become part of their selector, if gates say so."""

    grace_period_is_not_negative: bool
    """`terminationGracePeriodSeconds` is not negative."""

    # Updates

    updates_resize_pods: bool
    """With the gate InPlacePodVerticalScaling an update may change what containers ask for; elsewhere only a
    write to `/resize` may."""

    updates_keep_qos_class: bool
    """An update may not change the quality of service class."""

    resized_claims_are_not_compared: bool
    """Where containers can be resized, their claims may change as well."""

    first_amounts_are_not_compared: bool
    """Where they asked for nothing, any amounts may come."""

    resize_shows_difference: bool
    """Changes that a write to `/resize` may not make are shown."""

    resize_keeps_containers: bool
    """Such a write may not add, remove or rename containers, which is told before all else; and of each
    container that changes otherwise there is an error."""

    resize_keeps_memory: bool
    """Limits of memory are lowered, or added, only where that restarts the container."""

    pods_with_resources_resize: bool
    """Pods that ask for something as a whole can be resized, if a gate says so."""

    only_sidecars_resize: bool
    """The words for what init containers may not change are those of releases in which only sidecars could
    be resized."""

    node_claims_are_not_resized: bool
    """Pods with claims on what the node itself has cannot be resized."""

    memory_volumes_resize: bool
    """Volumes are looked at one by one: those in memory can be resized, if a gate says so."""

    # Statuses

    conditions_are_of_the_status: bool
    """Errors of conditions have the path `status.conditions`, not `metadata.conditions`."""

    status_fixes_qos_class: bool
    """The quality of service class of a pod stays."""

    stored_addresses_stay: bool
    """Addresses that a pod has may stay whatever their spelling; and that two are equal is not told."""

    pod_ips_agree: bool
    """`podIP` is the first of `podIPs`."""

    init_containers_have_restart_rules: bool
    """Restart rules decide about init containers too."""

    users_are_unsigned: bool
    """The id of a user may need 32 bits; and allocated resources may be those of the claim for extended
    resources."""

    user_path: str
    """Where errors of the user of a container are told."""

    claims_have_resource_statuses: bool
    """Claims of a container may be among its allocated resources."""

    unknown_resource_status: str
    """Said of an allocated resource that the container does not ask for."""

    unknown_claim_status: str
    """Said of an allocated resource that no claim of the container has."""

    claim_status_field: str
    """Where a wrong `resourceClaimName` of a claim's status is told."""

    node_claims_map_resources: bool
    """A claim on what the node has tells how its devices map to resources, not amounts."""

    # Warnings

    null_selectors_are_warned_of: bool
    """Affinity to pods, and topology spread constraints, without a selector choose no pod."""

    ceph_volumes_are_deprecated: bool
    """So are volumes of CephFS and RBD."""

    overlapping_paths_are_warned_of: bool
    """Of files in one volume."""

    repeated_volumes_are_warned_of: bool
    """Two volumes have the same name."""

    hidden_variables_are_warned_of: bool
    """A variable of the same name as another is warned of only if it hides the other."""

    hidden_variable_hint: str
    """What that warning adds."""

    ports_are_compared: bool
    """Numbers of ports of all containers are."""

    port_names_are_compared: bool
    """So are their names."""

    addresses_are_warned_of: bool
    """Spellings of addresses that not all programs understand."""

    app_armor_annotations_are_compared: bool
    """An annotation of a template is warned of although the pod has a profile, if that is another."""

    # Volumes

    trust_bundle_field: str
    """What errors call `clusterTrustBundle`."""

    one_projection_source: str
    """Said of a source of a projected volume that is several."""

    token_paths_are_local: bool
    """Paths of tokens lead to no parent directory."""

    image_volumes_are_gated: bool
    """An image that is a volume is overlooked while the gate ImageVolume is off."""

    image_volumes_need_references: bool
    """Images in templates need a reference as well as those in pods."""


_ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"
_ZERO_SLEEP_HINT = ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."

_HISTORY: History = {
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
    return PodQuirks(**values_at(_HISTORY, minor))
