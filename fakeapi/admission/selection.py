"""Selects the admission plugins of a server from the options to enable and disable plugins.

Follows k8s.io/apiserver `pkg/server/options/admission.go` and k8s.io/kubernetes
`pkg/kubeapiserver/options/plugins.go`.
"""

from fakeapi.admission.plugin import PluginEntry, Selection
from fakeapi.admission.plugins import DEFAULT_PLUGINS

NAMES = (
    "AlwaysAdmit",
    "NamespaceAutoProvision",
    "NamespaceLifecycle",
    "NamespaceExists",
    "SecurityContextDeny",
    "LimitPodHardAntiAffinityTopology",
    "LimitRanger",
    "ServiceAccount",
    "NodeRestriction",
    "TaintNodesByCondition",
    "AlwaysPullImages",
    "ImagePolicyWebhook",
    "PodSecurity",
    "PodNodeSelector",
    "Priority",
    "DefaultTolerationSeconds",
    "PodTolerationRestriction",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "PersistentVolumeLabel",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PodGroupProtection",
    "OwnerReferencesPermissionEnforcement",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
    "CertificateApproval",
    "CertificateSigning",
    "ClusterTrustBundleAttest",
    "CertificateSubjectRestriction",
    "DefaultIngressClass",
    "DenyServiceExternalIPs",
    "PodTopologyLabels",
    "PodGroupWorkloadExists",
    "NodeDeclaredFeatureValidator",
    "JobValidation",
    "PodResizeValidator",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
    "AlwaysDeny",
)
"""The names of the admission plugins of all Kubernetes releases, in the order in which they run."""

MISSING = frozenset(
    (
        "EventRateLimit",
        "ImagePolicyWebhook",
        "PersistentVolumeLabel",
        "SecurityContextDeny",
    )
)
"""Admission plugins that fakeapi does not implement. Kubernetes does not enable them by default."""


class AdmissionPluginError(ValueError):
    """Raised if options name unknown plugins, or enable and disable the same plugin.

    Also raised if options enable a plugin that fakeapi does not implement.
    """


def selected(enable: str = "", disable: str = "") -> Selection:
    """Returns the admission plugins of a server.

    - `enable`: names of plugins to run in addition to the default plugins, separated by commas.
    - `disable`: names of plugins that never run, separated by commas.

    Raises AdmissionPluginError if a name is unknown, enabled and disabled, or not implemented.
    """
    enabled, disabled = _names("enable", enable), _names("disable", disable)
    both = sorted(enabled & disabled)
    if both:
        raise AdmissionPluginError(
            f"[{' '.join(both)}] in enable-admission-plugins and disable-admission-plugins overlapped"
        )
    missing = sorted(enabled & MISSING)
    if missing:
        raise AdmissionPluginError(f"fakeapi has no admission plugin {', '.join(missing)}")
    if not enabled and not disabled:
        return Selection(DEFAULT_PLUGINS)
    from fakeapi.admission.plugins.optional import OPTIONAL_PLUGINS  # noqa: PLC0415 - rarely used

    entries = (
        *(entry for entry in DEFAULT_PLUGINS if entry.name not in disabled),
        *(entry for entry in OPTIONAL_PLUGINS if entry.name in enabled),
    )
    return Selection(tuple(sorted(entries, key=_order)), disabled)


def _names(verb: str, text: str) -> frozenset[str]:
    names = frozenset(part.strip() for part in text.split(",")) - {""}
    for name in sorted(names.difference(NAMES)):
        raise AdmissionPluginError(f'{verb}-admission-plugins plugin "{name}" is unknown')
    return names


def _order(entry: PluginEntry) -> int:
    return NAMES.index(entry.name)
