"""Differences between releases in access control, users and admission.

The source is k8s.io/kubernetes `plugin`, and `rbac`, `authorization`, `flowcontrol` and `certificates` in
`pkg/apis`.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class AccessQuirks:
    """Differences in access control, users and admission."""

    # Access reviews and kinds of access control

    review_attributes_are_a_union: bool
    """An access review with several kinds of attributes, or none, is an error of `spec`, not of one of its
    fields.
    """

    role_reference_change: str
    """Detail of the error for a changed roleRef of a binding."""

    levels_may_have_no_shares: bool
    """A priority level may have 0 concurrency shares."""

    exempt_level: str
    """Detail of the error for a priority level of type Exempt with another name than `exempt`, or the
    reverse.
    """

    empty_level_type_is_required: bool
    """A priority level without a type lacks a required value; in other releases its empty type is not
    supported.
    """

    flow_condition_type_required: str
    """Detail of the error for a condition without a type, in flow control objects."""

    exclusive_conditions_are_of_the_list: bool
    """The error for a CertificateSigningRequest that is both approved and denied has the path of all
    conditions, not of one condition.
    """

    cel_names_wrong_results: bool
    """The error for a policy expression of a wrong type also names its actual type."""

    policies_judge_reviews: bool
    """Admission policies apply to authentication and authorization reviews, as webhooks do."""

    policy_variable_name: str
    """Detail of the error for a policy variable whose name is not a CEL identifier."""

    policy_message: str
    """Beginning of the errors for a validation's `message`."""

    webhook_patch_belongs_to_call: bool
    """A webhook patch that cannot be decoded is a failed call, which failurePolicy may ignore; in other
    releases it is an internal error.
    """

    webhook_service_part_required: str
    """Detail of the error for a webhook service without name or namespace; `{}` is the missing one."""

    binding_match_field: str
    """Spelling of `matchResources` in errors of policy bindings, with a typing error up to 1.31."""

    missing_component_is_500: bool
    """Reading an unknown ComponentStatus fails with 500 instead of 404."""

    pod_certificates_have_stubs: bool
    """A PodCertificateRequest may prove possession of its key by a PKCS #10 request signed with it."""

    rbac_updates_are_checked_twice: bool
    """An update of a role or binding reports the errors of the object twice."""

    # Users

    impersonation_without_user_is_bad_request: bool
    """Impersonating groups, extra values or a uid without a user fails with 400 instead of 500."""

    refusals_name_authorizers: bool
    """The reason of a refusal begins with the name of the authorizer: `rbac: ` or `node: `."""

    # Admission

    templates_of_pod_groups_have_to_exist: bool
    """A PodGroup is refused if the workload that it names, or the workload's template, does not exist."""

    jobs_of_gangs_keep_their_parallelism: bool
    """The parallelism of a Job with a gang-scheduled PodGroup is immutable."""

    quota_counts_devices: bool
    """Quotas count the devices that claims request, by DeviceClass."""

    quota_counts_extended_devices: bool
    """Quotas also count devices by the extended resources of their DeviceClasses."""

    quota_exempts_one_claim_of_a_pod: bool
    """Quotas exempt only the first claim generated for a pod's extended resources, because it counts with the
    pod.
    """

    quota_follows_scopes: bool
    """An update that makes an object match a quota's scopes is charged to the quota in full. Quotas also
    count the status of a PersistentVolumeClaim.
    """

    topology_labels: tuple[str, ...]
    """Labels that a pod copies from its node, if the node has them."""

    attribute_classes_are_protected: bool
    """A new VolumeAttributesClass gets the finalizer that protects objects in use."""


HISTORY: History = {
    "review_attributes_are_a_union": {27: False, 37: True},
    "role_reference_change": {27: "cannot change roleRef", 37: "field is immutable"},
    "levels_may_have_no_shares": {27: False, 30: True},
    "exempt_level": {
        27: "type must be 'Exempt' if and only if name is 'exempt'",
        34: "must be 'Exempt' if and only if `name` is 'exempt'",
    },
    "empty_level_type_is_required": {27: False, 36: True},
    "flow_condition_type_required": {27: "must not be empty", 34: ""},
    "exclusive_conditions_are_of_the_list": {27: False, 34: True},
    "cel_names_wrong_results": {27: False, 32: True},
    "policies_judge_reviews": {27: True, 30: False},
    "policy_variable_name": {27: "name is not a valid CEL identifier", 34: "must be a valid CEL identifier"},
    "policy_message": {27: "message ", 34: ""},
    "webhook_patch_belongs_to_call": {27: False, 34: True},
    "webhook_service_part_required": {27: "service {} is required", 34: ""},
    "binding_match_field": {27: "matchResouces", 32: "matchResources"},
    "missing_component_is_500": {27: True, 33: False},
    "pod_certificates_have_stubs": {27: False, 36: True},
    "rbac_updates_are_checked_twice": {27: True, 35: False},
    "impersonation_without_user_is_bad_request": {27: False, 35: True},
    "refusals_name_authorizers": {27: False, 37: True},
    "templates_of_pod_groups_have_to_exist": {27: False, 36: True, 37: False},
    "jobs_of_gangs_keep_their_parallelism": {27: False, 36: True, 37: False},
    "quota_counts_devices": {27: False, 31: True},
    "quota_counts_extended_devices": {27: False, 35: True},
    "quota_exempts_one_claim_of_a_pod": {27: False, 36: True},
    "quota_follows_scopes": {27: False, 33: True},
    "topology_labels": {
        27: ("topology.k8s.io/region", "topology.k8s.io/zone"),
        34: ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    },
    "attribute_classes_are_protected": {27: False, 33: True},
}
