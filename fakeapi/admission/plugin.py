"""AdmissionPlugin: a step of admission, and the entry by which it is found."""

from collections.abc import Awaitable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from fakeapi.registry.admission.attributes import Attributes, Operation

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource
    from fakeapi.registry.server import Server

WRITES = frozenset((Operation.CREATE, Operation.UPDATE))
CREATE_ONLY = frozenset((Operation.CREATE,))
UPDATE_ONLY = frozenset((Operation.UPDATE,))


class AdmissionPlugin:
    """A plugin of one server. It overrides `mutate`, `validate` or both; only overridden methods are called.

    A step that returns None was done at once. One that waits returns an awaitable; another write may come
    first meanwhile, and then the whole write is computed again, this step included.
    """

    operations: ClassVar[frozenset[Operation]] = WRITES

    def __init__(self, server: "Server") -> None:
        self.server = server
        self.objects = server.objects

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Changes the object before it is prepared and validated. Raises ApiError."""

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Refuses a write that is valid, by raising ApiError."""

    @classmethod
    def mutates(cls) -> bool:
        return cls.mutate is not AdmissionPlugin.mutate

    @classmethod
    def validates(cls) -> bool:
        return cls.validate is not AdmissionPlugin.validate


class Covers(Protocol):
    """Whether a plugin has anything to do for a resource or one of its subresources."""

    def __call__(self, resource: "Resource", subresource: str, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """A plugin by upstream's name; `place` is "module:Class", imported once a covered kind is written."""

    name: str
    place: str
    covers: Covers

    def make(self, server: "Server") -> AdmissionPlugin:
        module, _, name = self.place.partition(":")
        return cast(AdmissionPlugin, getattr(import_module(module), name)(server))


@dataclass(frozen=True, slots=True)
class Selection:
    """The plugins of a server: `entries` run from the start, in order; `disabled` names never run."""

    entries: tuple[PluginEntry, ...] = ()
    disabled: frozenset[str] = frozenset()


def kinds(*names: str) -> Covers:
    """Covers the named resources, such as "pods", "pods/resize" and "ingresses.networking.k8s.io"."""
    wanted = frozenset(names)

    def covers(resource: "Resource", subresource: str) -> bool:
        name = str(resource.qualified)
        return (f"{name}/{subresource}" if subresource else name) in wanted

    return covers


def namespaced(resource: "Resource", subresource: str) -> bool:
    """Covers all resources of namespaces, with their subresources."""
    return resource.kind.namespaced
