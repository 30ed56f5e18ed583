"""Differences between releases in access control, users and admission.

The source is k8s.io/kubernetes `plugin`, and `rbac`, `authorization`, `flowcontrol` and `certificates` in
`pkg/apis`.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class AccessQuirks:
    """Describes how one release treats access control, users and admission, where releases differ.

    Attributes of type str are parts of error messages.
    """

    # Access reviews and kinds of access control

    review_attributes_are_a_union: bool
    """Whether the error for an access review without exactly one kind of attributes is at `spec`.

    The kinds are `resourceAttributes` and `nonResourceAttributes`. Other releases report the error at one of
    these fields.
    """

    role_reference_change: str
    """Detail of the error for a binding whose roleRef changes."""

    levels_may_have_no_shares: bool
    """Whether `nominalConcurrencyShares` of a PriorityLevelConfiguration may be 0."""

    exempt_level: str
    """Detail of the error if only one of name and type of a PriorityLevelConfiguration is "exempt".

    The name `exempt` requires the type Exempt, and the type Exempt requires the name `exempt`.
    """

    empty_level_type_is_required: bool
    """Whether the error for an empty `spec.type` of a PriorityLevelConfiguration is `Required value`.

    In other releases the error is `Unsupported value`.
    """

    flow_condition_type_required: str
    """Detail of the error for a condition without a type in a FlowSchema or PriorityLevelConfiguration."""

    exclusive_conditions_are_of_the_list: bool
    """Whether the error for a CSR that is both approved and denied has the path `status.conditions`.

    In other releases, the path is the `type` of the second of these conditions.
    """

    cel_names_wrong_results: bool
    """Whether the error for a policy expression with a wrong result type also names the actual type."""

    policies_judge_reviews: bool
    """Whether admission policies apply to authentication and authorization reviews. Webhooks always do."""

    policy_variable_name: str
    """Detail of the error for a policy variable whose name is not a CEL identifier."""

    policy_message: str
    """Beginning of the errors for the `message` of a validation in a ValidatingAdmissionPolicy."""

    webhook_patch_belongs_to_call: bool
    """Whether a webhook's malformed patch counts as a failed call, which failurePolicy may ignore.

    Other releases return an internal error.
    """

    webhook_service_part_required: str
    """Detail of the error for a webhook service without name or namespace.

    `{}` stands for the missing part.
    """

    binding_match_field: str
    """Name of `matchResources` in errors of policy bindings; up to 1.31 upstream misspells it."""

    missing_component_is_500: bool
    """Whether reading an unknown ComponentStatus fails with 500 instead of 404."""

    pod_certificates_have_stubs: bool
    """Whether a PodCertificateRequest may prove possession of its key with a signed PKCS #10 request."""

    rbac_updates_are_checked_twice: bool
    """Whether an update of a role or binding reports the errors of the object twice."""

    # Users

    impersonation_without_user_is_bad_request: bool
    """Whether impersonating groups, extra values or a uid without a user fails with 400 instead of 500."""

    certificates_have_credential_ids: bool
    """Whether the user of a client certificate has the fingerprint of the certificate as credential-id."""

    refusals_name_authorizers: bool
    """Whether the reason of a denied request begins with the authorizer's name: `rbac: ` or `node: `."""

    # Admission

    templates_of_pod_groups_have_to_exist: bool
    """Whether a PodGroup is rejected if its workload, or the workload's template, does not exist."""

    jobs_of_gangs_keep_their_parallelism: bool
    """Whether the parallelism of a Job with a gang-scheduled PodGroup is immutable."""

    quota_counts_devices: bool
    """Whether a ResourceQuota counts the devices that ResourceClaims request, by DeviceClass."""

    quota_counts_extended_devices: bool
    """Whether a ResourceQuota also counts devices by the extended resources of their DeviceClasses."""

    quota_exempts_one_claim_of_a_pod: bool
    """Whether a ResourceQuota exempts only the first claim that is generated for a pod's extended resources.

    The quota for the pod already counts this claim.
    """

    quota_follows_scopes: bool
    """Whether a ResourceQuota counts an object in full if an update brings the object into its scopes.

    If so, quotas also count updates of a PersistentVolumeClaim's status.
    """

    topology_labels: tuple[str, ...]
    """Labels that a pod copies from its node if the node has them."""

    attribute_classes_are_protected: bool
    """Whether a new VolumeAttributesClass gets the finalizer that protects objects in use."""


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
    "certificates_have_credential_ids": {27: False, 32: True},
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
