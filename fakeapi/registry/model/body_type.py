"""BodyType: the type of the bodies of a resource, or of a subresource with a kind of its own."""

from dataclasses import dataclass

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Versions
from fakeapi.registry.model.definition import ApplyDefaults
from fakeapi.registry.model.strategy import Strategy
from fakeapi.releases import Kind, Release


@dataclass(frozen=True, slots=True)
class BodyType:
    """`kind` is the kind of a body, `versions` are those that it can be written in; `strategy` defaults
    it. `also` are apiVersions that a body may have beside the kind's own.
    """

    kind: Kind
    release: Release
    versions: Versions
    strategy: Strategy
    apply_defaults: ApplyDefaults
    also: frozenset[str] = frozenset()

    @property
    def api_version(self) -> str:
        return self.kind.api_version

    def default(self, obj: Object) -> Object:
        """A canonical object with the defaults of its release and its kind; `obj` may be changed."""
        tables = self.release.all_kinds.tables
        return self.strategy.default(
            self.apply_defaults(obj, self.kind.schema, lambda: tables.defaults, self.release.gates)
        )
