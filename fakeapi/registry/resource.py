"""A served resource: what the tables say of it, joined to the rules that it follows."""

from dataclasses import dataclass, field

from fakeapi.machinery import codec
from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import NameValidator
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry import stored_form
from fakeapi.registry.conversion import IDENTITY, Conversion, Versions, conversion_of
from fakeapi.registry.field_labels import FieldLabels, field_labels_of
from fakeapi.registry.strategy import Strategy
from fakeapi.releases import Kind, Release
from fakeapi_storage import Entry


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one served version. `strategies` by subresource; "" is the resource itself.

    All versions of a resource show the same objects, which are kept in one of them (see
    `fakeapi.registry.conversion`). Bodies, patches and managed fields are in the version of the request; the
    store, and all of a strategy but its defaults, see what is kept.
    """

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
    field_labels: FieldLabels = field(init=False)
    versions: Versions = field(init=False)
    _form: Conversion | None = field(init=False)
    _stored_prefix: bytes = field(init=False)
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
        put("type_prefix", stored_form.type_prefix(kind.kind, kind.api_version))
        put("field_labels", field_labels_of(kind))
        put("versions", Versions(kind, self.release))
        stored = self.versions.stored
        put("prefix", f"/{stored.group or 'core'}/{stored.version}/{stored.resource}/")
        put("_form", None if kind.version == stored.version else conversion_of(kind))
        put("_stored_prefix", stored_form.type_prefix(stored.kind, stored.api_version))
        put(
            "managers",
            {
                name: FieldManager(
                    kind.schema,
                    kind.api_version,
                    kind.kind,
                    name,
                    strategy.reset_fields,
                    self.versions.convert,
                    allows_duplicates=quirks.managed_fields_allow_duplicates,
                    order_matters=quirks.managed_fields_order_matters,
                    checks_type_first=quirks.apply_checks_type_first,
                )
                for name, strategy in self.strategies.items()
            },
        )

    def key(self, namespace: str, name: str) -> str:
        """The storage key of an object; `namespace` is empty for resources that have none."""
        return f"{self.prefix}{namespace}/{name}" if namespace else f"{self.prefix}{name}"

    @property
    def is_storage_version(self) -> bool:
        """Whether this is the version that objects are kept in."""
        return self._form is None

    @property
    def hub_schema(self) -> Struct:
        """The type of objects as they are kept."""
        return self.versions.stored.schema

    def to_hub(self, obj: Object) -> Object:
        """A canonical object of this version as it is kept; shares parts with `obj`."""
        if self._form is None:
            return obj
        return {**self._form.to_hub(obj), "apiVersion": self.versions.stored.api_version}

    def from_hub(self, obj: Object) -> Object:
        """A kept object as this version shows it; shares parts with `obj`, which stays as it is."""
        if self._form is None:
            return obj
        return {**self._form.from_hub(obj), "apiVersion": self.api_version}

    def encode_for_version(self, value: bytes) -> bytes:
        """The stored form of an object, as it would be if it were kept in this version."""
        if self._form is None:
            return value
        if self._form is IDENTITY:
            return stored_form.with_type(value, self._stored_prefix, self.type_prefix)
        obj: Object = codec.decode(stored_form.json_of(value))
        return codec.encode(self.from_hub(obj))

    def entry_in_version(self, entry: Entry) -> Entry:
        """An entry as this version shows it, under a key of its own."""
        if self._form is None:
            return entry
        key = f"/{self.api_version}{entry.key}"
        return Entry(key, self.encode_for_version(entry.value), entry.revision, entry.created)

    def strategy_for(self, subresource: str) -> Strategy:
        """The rules of a write to the resource itself ("") or to a subresource."""
        return self.strategies[subresource]

    def empty_object(self) -> Object:
        """The kind's zero value, as Go would write it."""
        empty, _ = decode({"kind": self.kind.kind, "apiVersion": self.api_version}, self.schema)
        return empty
