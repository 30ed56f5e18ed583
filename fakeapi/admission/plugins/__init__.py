"""The built-in plugins that kube-apiserver enables by default, in the order of kube-apiserver.

Follows k8s.io/kubernetes `pkg/kubeapiserver/options/plugins.go`. Upstream also enables ServiceAccount. In
fakeapi, this plugin is off, because not every server has a controller that creates service accounts. The
module `optional` lists all plugins that are off. `fakeapi.admission.selection` selects the plugins of a
server.
"""

from typing import TYPE_CHECKING

from fakeapi.admission.plugin import PluginEntry, kinds, namespaced

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

_HERE = "fakeapi.admission.plugins"

DEFAULT_PLUGINS = (
    PluginEntry("NamespaceLifecycle", f"{_HERE}.namespace_lifecycle:NamespaceLifecycle", namespaced),
    PluginEntry(
        "LimitRanger",
        f"{_HERE}.limit_ranger:LimitRanger",
        kinds("pods", "pods/resize", "persistentvolumeclaims"),
    ),
    PluginEntry(
        "TaintNodesByCondition",
        f"{_HERE}.taint_nodes_by_condition:TaintNodesByCondition",
        kinds("nodes"),
    ),
    PluginEntry(
        "PodSecurity",
        f"{_HERE}.pod_security.plugin:PodSecurity",
        kinds(
            "namespaces",
            "pods",
            "pods/ephemeralcontainers",
            "pods/resize",
            "podtemplates",
            "replicationcontrollers",
            "daemonsets.apps",
            "deployments.apps",
            "replicasets.apps",
            "statefulsets.apps",
            "cronjobs.batch",
            "jobs.batch",
        ),
    ),
    PluginEntry(
        "Priority",
        f"{_HERE}.priority:Priority",
        kinds(
            "pods",
            "podgroups.scheduling.k8s.io",
            "compositepodgroups.scheduling.k8s.io",
            "priorityclasses.scheduling.k8s.io",
        ),
    ),
    PluginEntry(
        "DefaultTolerationSeconds",
        f"{_HERE}.default_toleration_seconds:DefaultTolerationSeconds",
        kinds("pods"),
    ),
    PluginEntry(
        "DefaultStorageClass", f"{_HERE}.default_classes:DefaultStorageClass", kinds("persistentvolumeclaims")
    ),
    PluginEntry(
        "StorageObjectInUseProtection",
        f"{_HERE}.storage_object_in_use_protection:StorageObjectInUseProtection",
        kinds("persistentvolumes", "persistentvolumeclaims", "volumeattributesclasses.storage.k8s.io"),
    ),
    PluginEntry(
        "PodGroupProtection",
        f"{_HERE}.pod_groups:PodGroupProtection",
        kinds("podgroups.scheduling.k8s.io"),
    ),
    PluginEntry(
        "PersistentVolumeClaimResize",
        f"{_HERE}.persistent_volume_claim_resize:PersistentVolumeClaimResize",
        kinds("persistentvolumeclaims"),
    ),
    PluginEntry("RuntimeClass", f"{_HERE}.runtime_class:RuntimeClass", kinds("pods")),
    PluginEntry(
        "CertificateApproval",
        f"{_HERE}.signers:CertificateApproval",
        kinds("certificatesigningrequests.certificates.k8s.io/approval"),
    ),
    PluginEntry(
        "CertificateSigning",
        f"{_HERE}.signers:CertificateSigning",
        kinds("certificatesigningrequests.certificates.k8s.io/status"),
    ),
    PluginEntry(
        "ClusterTrustBundleAttest",
        f"{_HERE}.signers:ClusterTrustBundleAttest",
        kinds("clustertrustbundles.certificates.k8s.io"),
    ),
    PluginEntry(
        "CertificateSubjectRestriction",
        f"{_HERE}.certificate_subject_restriction:CertificateSubjectRestriction",
        kinds("certificatesigningrequests.certificates.k8s.io"),
    ),
    PluginEntry(
        "DefaultIngressClass",
        f"{_HERE}.default_classes:DefaultIngressClass",
        kinds("ingresses.networking.k8s.io"),
    ),
    PluginEntry(
        "PodTopologyLabels", f"{_HERE}.pod_topology_labels:PodTopologyLabels", kinds("pods", "pods/binding")
    ),
    PluginEntry(
        "PodGroupWorkloadExists",
        f"{_HERE}.pod_groups:PodGroupWorkloadExists",
        kinds("podgroups.scheduling.k8s.io"),
    ),
    PluginEntry(
        "NodeDeclaredFeatureValidator",
        f"{_HERE}.node_declared_features:NodeDeclaredFeatureValidator",
        kinds("pods", "pods/resize"),
    ),
    PluginEntry("JobValidation", f"{_HERE}.pod_groups:JobValidation", kinds("jobs.batch")),
    PluginEntry("PodResizeValidator", f"{_HERE}.pod_resize:PodResizeValidator", kinds("pods/resize")),
)


def _everything(resource: "Resource", subresource: str) -> bool:
    """Whether policies apply to a resource. A `PluginEntry` uses this function as `covers`.

    Policies do not apply to resources that configure admission. Clients can therefore always delete a bad
    policy.
    """
    return resource.kind.group != "admissionregistration.k8s.io"


POLICIES = PluginEntry(
    "ValidatingAdmissionPolicy", f"{_HERE}.validating_admission_policy:ValidatingAdmissionPolicy", _everything
)
MUTATIONS = PluginEntry(
    "MutatingAdmissionPolicy", f"{_HERE}.mutating_admission_policy:MutatingAdmissionPolicy", _everything
)


_UNCOUNTED = frozenset(
    (
        "bindings",
        "events",
        "events.events.k8s.io",
        "localsubjectaccessreviews.authorization.k8s.io",
    )
)
"""Namespaced resources that object count quotas do not count.

Upstream ignores these resources or does not store their objects.
"""
_COUNTED_SUBRESOURCES = kinds("pods/resize", "persistentvolumeclaims/status")


def _counted(resource: "Resource", subresource: str) -> bool:
    """Whether quotas can count the objects of a resource or subresource.

    A `PluginEntry` uses this function as `covers`.
    """
    if subresource:
        return _COUNTED_SUBRESOURCES(resource, subresource)
    return resource.kind.namespaced and str(resource.qualified) not in _UNCOUNTED


QUOTAS = PluginEntry("ResourceQuota", f"{_HERE}.resource_quota.plugin:ResourceQuota", _counted)

ROLE_ESCALATION = PluginEntry(
    "RoleEscalation",
    f"{_HERE}.role_escalation:RoleEscalation",
    kinds(
        "roles.rbac.authorization.k8s.io",
        "clusterroles.rbac.authorization.k8s.io",
        "rolebindings.rbac.authorization.k8s.io",
        "clusterrolebindings.rbac.authorization.k8s.io",
    ),
)
"""The plugin that checks RBAC roles for privilege escalation. The plugin is on if the authorizer is RBAC.

In Kubernetes, the storage layer of roles does this check.
"""

CLAIM_STATUS_PERMISSIONS = PluginEntry(
    "ClaimStatusPermissions",
    f"{_HERE}.claim_status_permissions:ClaimStatusPermissions",
    kinds("resourceclaims.resource.k8s.io/status"),
)
"""The plugin that checks permissions for the status of ResourceClaims.

The plugin is on if the authorizer is RBAC.
"""

MUTATING_WEBHOOKS = PluginEntry(
    "MutatingAdmissionWebhook", f"{_HERE}.webhooks.mutating:MutatingWebhooks", lambda *_: True
)
VALIDATING_WEBHOOKS = PluginEntry(
    "ValidatingAdmissionWebhook", f"{_HERE}.webhooks.validating:ValidatingWebhooks", lambda *_: True
)
"""The plugin that calls validating webhooks. It skips writes of resources that configure admission."""

_CONFIGURATION = "/admissionregistration.k8s.io/"

ACTIVATED = {
    f"{_CONFIGURATION}mutatingadmissionpolicybindings/": MUTATIONS,
    f"{_CONFIGURATION}validatingadmissionpolicybindings/": POLICIES,
    f"{_CONFIGURATION}mutatingwebhookconfigurations/": MUTATING_WEBHOOKS,
    f"{_CONFIGURATION}validatingwebhookconfigurations/": VALIDATING_WEBHOOKS,
    "/core/resourcequotas/": QUOTAS,
}
"""Plugins that run only if certain objects exist, by the storage key prefix of these objects.

The first stored object with the prefix activates the plugin. A server without such objects does not load the
plugin.
"""
