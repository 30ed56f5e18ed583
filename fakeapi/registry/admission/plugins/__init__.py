"""The built-in plugins that kube-apiserver has on by default, in its order.

Follows k8s.io/kubernetes `pkg/kubeapiserver/options/plugins.go`. ServiceAccount is off: no controller makes
the service accounts that it asks for.
"""

from fakeapi.registry.admission.plugin import PluginEntry, namespaced

_HERE = "fakeapi.registry.admission.plugins"

DEFAULT_PLUGINS = (
    PluginEntry("NamespaceLifecycle", f"{_HERE}.namespace_lifecycle:NamespaceLifecycle", namespaced),
)
