"""Built-in admission plugins that are off by default. The option `enable_admission_plugins` enables them.

Follows k8s.io/kubernetes `pkg/kubeapiserver/options/plugins.go`.
"""

from typing import TYPE_CHECKING

from fakeapi.admission.plugin import PluginEntry, kinds, namespaced

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

_HERE = "fakeapi.admission.plugins"


def _everything(resource: "Resource", subresource: str) -> bool:
    return True


OPTIONAL_PLUGINS = (
    PluginEntry("NamespaceAutoProvision", f"{_HERE}.namespaces:NamespaceAutoProvision", namespaced),
    PluginEntry("NamespaceExists", f"{_HERE}.namespaces:NamespaceExists", namespaced),
    PluginEntry(
        "LimitPodHardAntiAffinityTopology",
        f"{_HERE}.pod_rules:LimitPodHardAntiAffinityTopology",
        kinds("pods"),
    ),
    PluginEntry(
        "ServiceAccount", f"{_HERE}.service_account:ServiceAccount", kinds("pods", "pods/ephemeralcontainers")
    ),
    PluginEntry("NodeRestriction", f"{_HERE}.node_restriction.plugin:NodeRestriction", _everything),
    PluginEntry("AlwaysPullImages", f"{_HERE}.pod_rules:AlwaysPullImages", kinds("pods")),
    PluginEntry("PodNodeSelector", f"{_HERE}.pod_node_selector:PodNodeSelector", kinds("pods")),
    PluginEntry(
        "PodTolerationRestriction",
        f"{_HERE}.pod_toleration_restriction:PodTolerationRestriction",
        kinds("pods"),
    ),
    PluginEntry("ExtendedResourceToleration", f"{_HERE}.pod_rules:ExtendedResourceToleration", kinds("pods")),
    PluginEntry(
        "OwnerReferencesPermissionEnforcement",
        f"{_HERE}.owner_references:OwnerReferencesPermissionEnforcement",
        _everything,
    ),
    PluginEntry("DenyServiceExternalIPs", f"{_HERE}.always_deny:DenyServiceExternalIPs", kinds("services")),
    PluginEntry("AlwaysDeny", f"{_HERE}.always_deny:AlwaysDeny", _everything),
)
"""Admission plugins that are off by default, in upstream's order.

AlwaysAdmit is not in the list because it does nothing; options accept its name.
"""
