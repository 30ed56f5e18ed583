"""A served resource: what the tables say of it, joined to the rules that it follows."""

from dataclasses import dataclass, field

from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.decoding import decode
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.names import NameValidator
from fakeapi.machinery.schema import Struct
from fakeapi.registry import objects
from fakeapi.registry.strategy import Strategy
from fakeapi.releases import Kind, Release

NAME = "metadata.name"
NAMESPACE = "metadata.namespace"


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one served version. `strategies` by subresource; "" is the resource itself."""

    kind: Kind
    release: Release
    strategies: dict[str, Strategy]
    name_validator: NameValidator
    schema: Struct = field(init=False)
    warning: str = field(init=False)
    qualified: Qualified = field(init=False)
    qualified_kind: Qualified = field(init=False)
    api_version: str = field(init=False)
    prefix: str = field(init=False)
    type_prefix: bytes = field(init=False)
    managers: dict[str, FieldManager] = field(init=False)

    def __post_init__(self) -> None:
        kind, quirks = self.kind, self.release.quirks

        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("schema", kind.schema)
        put("warning", kind.lifecycle.warning(kind.api_version, kind.kind))
        put("qualified", Qualified(kind.group, kind.resource))
        put("qualified_kind", Qualified(kind.group, kind.kind))
        put("api_version", kind.api_version)
        put("prefix", f"/{kind.group or 'core'}/{kind.version}/{kind.resource}/")
        put("type_prefix", objects.type_prefix(kind.kind, kind.api_version))
        put(
            "managers",
            {
                name: FieldManager(
                    kind.schema,
                    kind.api_version,
                    kind.kind,
                    name,
                    strategy.reset_fields,
                    allows_duplicates=quirks.managed_fields_allow_duplicates,
                    order_matters=quirks.managed_fields_order_matters,
                    checks_type_first=quirks.apply_checks_type_first,
                )
                for name, strategy in self.strategies.items()
            },
        )

    @property
    def selectable(self) -> tuple[str, ...]:
        """The field labels that selectors may name."""
        return (NAME, NAMESPACE) if self.kind.namespaced else (NAME,)

    def key(self, namespace: str, name: str) -> str:
        """The storage key of an object; `namespace` is empty for resources that have none."""
        return f"{self.prefix}{namespace}/{name}" if namespace else f"{self.prefix}{name}"

    def strategy_for(self, subresource: str) -> Strategy:
        """The rules of a write to the resource itself ("") or to a subresource."""
        return self.strategies[subresource]

    def empty_object(self) -> objects.Object:
        """The kind's zero value, as Go would write it."""
        empty, _ = decode({"kind": self.kind.kind, "apiVersion": self.api_version}, self.schema)
        return empty
