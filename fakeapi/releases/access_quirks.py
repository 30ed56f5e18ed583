"""Differences between releases in access control, users and admission."""

from fakeapi.releases.history import ReleaseValues, since

_AUTHORIZATION = "pkg/apis/authorization/validation"
_RBAC = "pkg/apis/rbac/validation"
_RBAC_STORAGE = "pkg/registry/rbac"
_FLOW = "pkg/apis/flowcontrol/validation"
_CERTIFICATES = "pkg/apis/certificates/validation"
_POD_CERTIFICATES = "pkg/registry/certificates/podcertificaterequest"
_STORAGE_VERSIONS = "pkg/apis/apiserverinternal/validation"
_POLICY_CEL = "staging/src/k8s.io/apiserver/pkg/admission/plugin/cel"
_EXCLUSION = "pkg/kubeapiserver/admission/exclusion"
_POLICIES = "pkg/apis/admissionregistration/validation"
_WEBHOOKS = "staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
_WEBHOOK_CLIENTS = "staging/src/k8s.io/apiserver/pkg/util/webhook"
_SCHEME = "staging/src/k8s.io/apimachinery/pkg/runtime"
_COMPONENTS = "pkg/registry/core/componentstatus"
_FILTERS = "staging/src/k8s.io/apiserver/pkg/endpoints/filters"
_X509 = "staging/src/k8s.io/apiserver/pkg/authentication/request/x509"
_UNION = "staging/src/k8s.io/apiserver/pkg/authorization/union"
_POD_GROUPS = "plugin/pkg/admission/scheduling/podgroup"
_JOBS = "pkg/registry/batch/job"
_QUOTA = "pkg/quota/v1/evaluator/core"
_QUOTA_PLUGIN = "staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota"
_TOPOLOGY = "plugin/pkg/admission/podtopologylabels"
_IN_USE = "plugin/pkg/admission/storage/storageobjectinuseprotection"


class AccessQuirks(ReleaseValues):
    """Describes how one release treats access control, users and admission, where releases differ.

    Attributes of type str are parts of error messages.
    """

    # Access reviews and kinds of access control

    review_attributes_are_a_union: bool = since({27: False, 37: True}, _AUTHORIZATION)
    """Whether the error for an access review without exactly one kind of attributes is at `spec`.

    The kinds are `resourceAttributes` and `nonResourceAttributes`. Other releases report the error at one of
    these fields.
    """

    role_reference_change: str = since({27: "cannot change roleRef", 37: "field is immutable"}, _RBAC)
    """Detail of the error for a binding whose roleRef changes."""

    levels_may_have_no_shares: bool = since({27: False, 30: True}, _FLOW)
    """Whether `nominalConcurrencyShares` of a PriorityLevelConfiguration may be 0."""

    exempt_level: str = since(
        {
            27: "type must be 'Exempt' if and only if name is 'exempt'",
            34: "must be 'Exempt' if and only if `name` is 'exempt'",
        },
        _FLOW,
    )
    """Detail of the error if only one of name and type of a PriorityLevelConfiguration is "exempt".

    The name `exempt` requires the type Exempt, and the type Exempt requires the name `exempt`.
    """

    empty_level_type_is_required: bool = since({27: False, 36: True}, _FLOW)
    """Whether the error for an empty type in a PriorityLevelConfiguration is `Required value`.

    In other releases the error is `Unsupported value`. The types are `spec.type` and the type of
    `limitResponse`.
    """

    flow_condition_type_required: str = since({27: "must not be empty", 34: ""}, _FLOW)
    """Detail of the error for a condition without a type in a FlowSchema or PriorityLevelConfiguration."""

    exclusive_conditions_are_of_the_list: bool = since({27: False, 34: True}, _CERTIFICATES)
    """Whether the error for a CSR that is both approved and denied has the path `status.conditions`.

    In other releases, the path is the `type` of the second of these conditions.
    """

    cel_names_wrong_results: bool = since({27: False, 32: True}, _POLICY_CEL)
    """Whether the error for a policy expression with a wrong result type also names the actual type."""

    policies_judge_reviews: bool = since({27: True, 30: False}, _EXCLUSION)
    """Whether admission policies apply to authentication and authorization reviews.

    Webhooks apply to these reviews in all releases.
    """

    policy_variable_name: str = since(
        {27: "name is not a valid CEL identifier", 34: "must be a valid CEL identifier"}, _POLICIES
    )
    """Detail of the error for a policy variable whose name is not a CEL identifier."""

    policy_message: str = since({27: "message ", 34: ""}, _POLICIES)
    """Beginning of the errors for the `message` of a validation in a ValidatingAdmissionPolicy."""

    webhook_patch_belongs_to_call: bool = since({27: False, 34: True}, _WEBHOOKS)
    """Whether a webhook's malformed patch counts as a failed call, which failurePolicy may ignore.

    Other releases return an internal error.
    """

    webhook_scheme_line: int = since({27: 100, 33: 110, 35: 111}, _SCHEME)
    """Line of scheme.go that errors name if a webhook responds with an object of an unknown kind."""

    webhook_service_part_required: str = since({27: "service {} is required", 34: ""}, _WEBHOOK_CLIENTS)
    """Detail of the error for a webhook service without name or namespace.

    `{}` stands for the missing part.
    """

    binding_match_field: str = since({27: "matchResouces", 32: "matchResources"}, _POLICIES)
    """Name of `matchResources` in errors of policy bindings; up to 1.31 upstream misspells it."""

    missing_component_is_500: bool = since({27: True, 33: False}, _COMPONENTS)
    """Whether reading an unknown ComponentStatus fails with 500 instead of 404."""

    pod_certificates_have_stubs: bool = since({27: False, 36: True}, _CERTIFICATES)
    """Whether a PodCertificateRequest may prove possession of its key with a signed PKCS #10 request."""

    pod_certificates_reset_fields: bool = since({27: False, 37: True}, _POD_CERTIFICATES)
    """Whether a write of a PodCertificateRequest never owns its status, and a status write its metadata."""

    storage_version_conditions_have_details: bool = since({27: True, 34: False}, _STORAGE_VERSIONS)
    """Whether the error for a StorageVersion condition without a reason or message has a detail."""

    rbac_updates_are_checked_twice: bool = since({27: True, 35: False}, _RBAC_STORAGE)
    """Whether an update of a role or binding reports the errors of the object twice."""

    # Users

    impersonation_without_user_is_bad_request: bool = since({27: False, 35: True}, _FILTERS)
    """Whether impersonating groups, extra values or a uid without a user fails with 400 instead of 500."""

    certificates_have_credential_ids: bool = since({27: False, 32: True}, _X509)
    """Whether the user of a client certificate has the fingerprint of the certificate as credential-id."""

    refusals_name_authorizers: bool = since({27: False, 37: True}, _UNION)
    """Whether the reason of a denied request begins with the authorizer's name: `rbac: ` or `node: `."""

    # Admission

    templates_of_pod_groups_have_to_exist: bool = since({27: False, 36: True, 37: False}, _POD_GROUPS)
    """Whether a PodGroup is rejected if its workload, or the workload's template, does not exist.

    Only applies while the gate GenericWorkload is on.
    """

    jobs_of_gangs_keep_their_parallelism: bool = since({27: False, 36: True, 37: False}, _JOBS)
    """Whether the parallelism of a Job with a gang-scheduled PodGroup is immutable.

    Only applies while the gate GenericWorkload or WorkloadWithJob is on.
    """

    quota_counts_devices: bool = since({27: False, 31: True}, _QUOTA)
    """Whether a ResourceQuota counts the devices that ResourceClaims request, by DeviceClass."""

    quota_counts_extended_devices: bool = since({27: False, 35: True}, _QUOTA)
    """Whether a ResourceQuota also counts devices by the extended resources of their DeviceClasses."""

    quota_exempts_one_claim_of_a_pod: bool = since({27: False, 36: True}, _QUOTA)
    """Whether a ResourceQuota exempts only the first claim that is generated for a pod's extended resources.

    The quota for the pod already counts this claim.
    """

    quota_follows_scopes: bool = since({27: False, 33: True}, _QUOTA_PLUGIN)
    """Whether a ResourceQuota counts an object in full if an update brings the object into its scopes.

    If so, quotas also count updates of a PersistentVolumeClaim's status.
    """

    topology_labels: tuple[str, ...] = since(
        {
            27: ("topology.k8s.io/region", "topology.k8s.io/zone"),
            34: ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
        },
        _TOPOLOGY,
    )
    """Labels that a pod copies from its node if the node has them."""

    attribute_classes_are_protected: bool = since({27: False, 33: True}, _IN_USE)
    """Whether a new VolumeAttributesClass gets the finalizer that protects objects in use."""
