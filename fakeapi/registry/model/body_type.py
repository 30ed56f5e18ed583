"""BodyType: the type of the request bodies of a resource, or of a subresource with another kind."""

import msgspec

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Versions
from fakeapi.registry.model.definition import ApplyDefaults
from fakeapi.registry.model.strategy import Strategy
from fakeapi.releases import Kind, Release


class BodyType(msgspec.Struct, frozen=True):
    """The type of a request body: its kind, its allowed API versions, and its defaults."""

    kind: Kind
    release: Release

    versions: Versions
    """The API versions of the kind, and the conversions between them."""

    strategy: Strategy
    """The strategy of the kind, which sets the kind's own defaults."""

    apply_defaults: ApplyDefaults
    """Applies the defaults from the data tables of the release to an object."""

    also: frozenset[str] = frozenset()
    """Further values of apiVersion that a body may contain."""

    scheme_without_type: str = ""
    """The Go source position of the scheme in which upstream does not find the type; "" for most types.

    If a body cannot be decoded, the client then gets upstream's error for the missing type, with this
    position. An example of such a type is the Scale of a custom object.
    """

    @property
    def api_version(self) -> str:
        return self.kind.api_version

    def default(self, obj: Object) -> Object:
        """Returns a canonical object with the defaults of the release and of its kind. May change `obj`."""
        tables = self.release.all_kinds.tables
        return self.strategy.default(
            self.apply_defaults(obj, self.kind.schema, lambda: tables.defaults, self.release.gates)
        )
