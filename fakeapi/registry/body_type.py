"""BodyType: the type of the bodies of a resource, or of a subresource with a kind of its own."""

from dataclasses import dataclass

from fakeapi.registry.conversion import Versions
from fakeapi.registry.strategy import Strategy
from fakeapi.releases import Kind, Release


@dataclass(frozen=True, slots=True)
class BodyType:
    """`kind` is the kind of a body, `versions` are those that it can be written in; `strategy` defaults
    it.
    """

    kind: Kind
    release: Release
    versions: Versions
    strategy: Strategy

    @property
    def api_version(self) -> str:
        return self.kind.api_version
