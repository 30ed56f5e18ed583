"""Chains of admission: the steps of one resource, by operation, made once.

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
"""The steps of admission of a resource, by subresource."""

LAST = (
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "RoleEscalation",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
    "AlwaysDeny",
)
"""The plugins that run after all others, in order. ResourceQuota charges only for writes that they admit."""


def _place(entry: PluginEntry) -> int:
    return LAST.index(entry.name) if entry.name in LAST else -1


class Admission:
    """The plugins of one server, in order. A plugin is made when a kind that it covers is first written."""

    def __init__(
        self, entries: Sequence[PluginEntry], server: "Server", disabled: Collection[str] = ()
    ) -> None:
        """`disabled` are the names of plugins that are never asked, whoever extends the chains by them."""
        self._entries = tuple(entries)
        self._disabled = frozenset(disabled)
        self._server = server
        self._made: dict[str, AdmissionPlugin] = {}
        self._resources: WeakSet[Resource] = WeakSet()  # a resource may go while the server runs

    def extend(self, *entries: PluginEntry) -> None:
        """Adds plugins, each at its place in the order; keeps those that run already."""
        added = [each for each in entries if each not in self._entries and each.name not in self._disabled]
        if not added:
            return
        self._entries = tuple(sorted((*self._entries, *added), key=_place))
        for resource in self._resources:
            _CHAINS.of(resource.attachments).clear()
        self._resources.clear()

    def steps(self, resource: "Resource", subresource: str, operation: Operation) -> Steps:
        """The steps of an operation on a resource, or on its subresource."""
        chains = _CHAINS.of(resource.attachments)
        found = chains.get(subresource)
        if found is None:
            if not chains:
                self._resources.add(resource)
            found = chains[subresource] = self._chain(resource, subresource)
        return found.get(operation, NO_STEPS)

    def _chain(self, resource: "Resource", subresource: str) -> Mapping[Operation, Steps]:
        plugins = [self._plugin(each) for each in self._entries if each.covers(resource, subresource)]
        return {
            operation: Steps(
                tuple(each.mutate for each in asked if each.mutates()),
                tuple(each.validate for each in asked if each.validates()),
            )
            for operation in Operation
            if (asked := [each for each in plugins if operation in each.operations])
        }

    def _plugin(self, entry: PluginEntry) -> AdmissionPlugin:
        if entry.name not in self._made:
            self._made[entry.name] = entry.make(self._server)
        return self._made[entry.name]
