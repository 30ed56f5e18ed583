"""AdmissionPlugin: the base class of admission plugins. PluginEntry: imports a plugin when needed."""

from collections.abc import Awaitable
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

import msgspec

from fakeapi.registry.admission.attributes import Attributes, Operation

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource
    from fakeapi.registry.server import Server

WRITES = frozenset((Operation.CREATE, Operation.UPDATE))
CREATE_ONLY = frozenset((Operation.CREATE,))
UPDATE_ONLY = frozenset((Operation.UPDATE,))


class AdmissionPlugin:
    """An admission plugin of one server. A plugin overrides `mutate`, `validate` or both.

    The server calls only overridden methods. A method returns None if it has finished, or an awaitable if it
    must wait. Meanwhile another client may change the stored object. The server then repeats the whole write,
    including this plugin.
    """

    operations: ClassVar[frozenset[Operation]] = WRITES

    def __init__(self, server: "Server") -> None:
        self.server = server
        self.objects = server.objects

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Changes the new object, before the strategy of the kind prepares and validates the object.

        Returns None, or an awaitable if the plugin must wait. Raises ApiError to reject the write.
        """

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError to reject a write. The strategy of the kind has already validated the object.

        Returns None, or an awaitable if the plugin must wait.
        """

    @classmethod
    def mutates(cls) -> bool:
        return cls.mutate is not AdmissionPlugin.mutate

    @classmethod
    def validates(cls) -> bool:
        return cls.validate is not AdmissionPlugin.validate


class Covers(Protocol):
    """A function that returns whether a plugin handles a resource, or one of its subresources."""

    def __call__(self, resource: "Resource", subresource: str, /) -> bool: ...


class PluginEntry(msgspec.Struct, frozen=True):
    """The name and the Python class of an admission plugin, and the resources that it handles.

    - `name`: the upstream name of the plugin.
    - `place`: "MODULE:CLASS" of the plugin. The server imports the module when a write first needs it.
    - `covers`: returns whether the plugin handles a resource or subresource.
    """

    name: str
    place: str
    covers: Covers

    def make(self, server: "Server") -> AdmissionPlugin:
        module, _, name = self.place.partition(":")
        return cast(AdmissionPlugin, getattr(import_module(module), name)(server))


class Selection(msgspec.Struct, frozen=True):
    """The admission plugins of a server.

    `entries`: the plugins that run from the start, in order.
    `disabled`: the names of plugins that never run.
    """

    entries: tuple[PluginEntry, ...] = ()
    disabled: frozenset[str] = frozenset()


def kinds(*names: str) -> Covers:
    """Returns a function for `PluginEntry.covers`: whether a resource or subresource is in `names`.

    Examples of names are "pods", "pods/resize" and "ingresses.networking.k8s.io".
    """
    wanted = frozenset(names)

    def covers(resource: "Resource", subresource: str) -> bool:
        name = str(resource.qualified)
        return (f"{name}/{subresource}" if subresource else name) in wanted

    return covers


def namespaced(resource: "Resource", subresource: str) -> bool:
    """Whether a resource is namespaced. Use this function as `PluginEntry.covers` for all namespaced
    resources.
    """
    return resource.kind.namespaced
