"""Admission: holds the admission plugins of a server, and selects the plugins for each operation on a
resource.

Follows k8s.io/apiserver `pkg/admission/chain.go`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakSet

from fakeapi.admission.plugin import AdmissionPlugin, PluginEntry
from fakeapi.registry.admission.attributes import Operation
from fakeapi.registry.admission.steps import NO_STEPS, Steps
from fakeapi.registry.model.attached import Attached

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource
    from fakeapi.registry.server import Server


_CHAINS: Attached[dict[str, Mapping[Operation, Steps]]] = Attached(dict)
"""The `mutate` and `validate` methods to call for a resource, cached by subresource and operation."""

LAST = (
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "RoleEscalation",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
    "AlwaysDeny",
)
"""The plugins that run last, in this order.

ResourceQuota runs late, so that it only counts writes that the other plugins accept.
"""


def _place(entry: PluginEntry) -> int:
    return LAST.index(entry.name) if entry.name in LAST else -1


class Admission:
    """The admission plugins of one server, in the order in which they run.

    A plugin object is created at the first write of a kind that the plugin covers.
    """

    def __init__(
        self, entries: Sequence[PluginEntry], server: "Server", disabled: Collection[str] = ()
    ) -> None:
        """Creates the Admission of a server with the plugins of `entries`.

        `disabled`: the names of plugins that never run, even if `extend` adds them later.
        """
        self._entries = tuple(entries)
        self._disabled = frozenset(disabled)
        self._server = server
        self._plugins: dict[str, AdmissionPlugin] = {}
        self._resources: WeakSet[Resource] = WeakSet()  # weak, so that removed resources can be freed

    def extend(self, *entries: PluginEntry) -> None:
        """Adds plugins, and sorts all plugins in the order in which they run.

        Existing plugins keep their data.
        """
        added = [
            entry for entry in entries if entry not in self._entries and entry.name not in self._disabled
        ]
        if not added:
            return
        self._entries = tuple(sorted((*self._entries, *added), key=_place))
        for resource in self._resources:
            _CHAINS.of(resource.attachments).clear()
        self._resources.clear()

    def steps(self, resource: "Resource", subresource: str, operation: Operation) -> Steps:
        """Returns the `mutate` and `validate` methods of the plugins that cover an operation on a resource.

        `subresource`: the subresource of the request; "" for the resource itself.
        """
        chains = _CHAINS.of(resource.attachments)
        chain = chains.get(subresource)
        if chain is None:
            if not chains:
                self._resources.add(resource)
            chain = chains[subresource] = self._chain(resource, subresource)
        return chain.get(operation, NO_STEPS)

    def _chain(self, resource: "Resource", subresource: str) -> Mapping[Operation, Steps]:
        plugins = [self._plugin(entry) for entry in self._entries if entry.covers(resource, subresource)]
        return {
            operation: Steps(
                tuple(plugin.mutate for plugin in involved if plugin.mutates()),
                tuple(plugin.validate for plugin in involved if plugin.validates()),
            )
            for operation in Operation
            if (involved := [plugin for plugin in plugins if operation in plugin.operations])
        }

    def _plugin(self, entry: PluginEntry) -> AdmissionPlugin:
        if entry.name not in self._plugins:
            self._plugins[entry.name] = entry.make(self._server)
        return self._plugins[entry.name]
