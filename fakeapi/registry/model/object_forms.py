"""ObjectForms: converts and encodes the objects of a resource."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.conversion import IDENTITY, Conversion, Versions
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.converted_values import ConvertedValues
from fakeapi.registry.stored.item_runs import ItemRuns
from fakeapi.registry.stored.selected_runs import SelectedRuns
from fakeapi.releases import Kind
from fakeapi_storage import Entry


class ObjectForms(ABC):
    """Converts objects between the internal version and an API version, and encodes them.

    Objects are stored in the internal version, the hub. Responses have the JSON of the API version. Caches
    keep the converted objects and the items of lists.
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.api_version = kind.api_version
        self._converted = ConvertedValues()

    @property
    @abstractmethod
    def definition(self) -> KindDefinition:
        """All rules in which the kind differs from other kinds."""

    @property
    @abstractmethod
    def versions(self) -> Versions:
        """All API versions with the same stored objects in the release."""

    @property
    @abstractmethod
    def equivalents(self) -> tuple[Kind, ...]:
        """The kinds of all API versions that have the same stored objects, also versions not served."""

    @property
    def schema(self) -> Struct:
        """The type of the resource's objects in this API version."""
        return self.kind.schema

    @cached_property
    def hub_schema(self) -> Struct:
        """The type of stored objects, which defines where RawExtension values are.

        This is the type of an API version that equals the internal version. If the release has no such
        version, this is the type of the resource's own API version, with the same RawExtension paths.
        """
        like_hub = (kind for kind in self.equivalents if self.versions.conversion(kind) is IDENTITY)
        return next(like_hub, self.kind).schema

    def to_hub(self, obj: Object) -> Object:
        """Converts a canonical object of this API version to the internal version.

        The result shares nested values with `obj`.
        """
        return {**self._conversion.to_hub(obj), "apiVersion": self.definition.hub_api_version}

    def from_hub(self, obj: Object) -> Object:
        """Converts an object from the internal version to this API version, without changing `obj`.

        The result shares nested values with `obj`.
        """
        return {**self._conversion.from_hub(obj), "apiVersion": self.api_version}

    async def prepare(self, entries: Sequence[Entry]) -> None:  # noqa: B027 - only custom kinds need it
        """Calls the conversion webhook for these entries, if necessary, before the server reads them.

        Raises ApiError 500 if the webhook fails.
        """

    def decode(self, entry: Entry) -> Object:
        """Returns the object of an entry in the internal version. The caller may change the object.

        The object has the resourceVersion of the entry.
        """
        return stored_form.decode(entry, self.hub_schema)

    def encode(self, obj: Object) -> bytes:
        """Returns the stored form of an object in the internal version.

        Also caches the object's JSON in this API version for later responses, if a conversion is necessary.
        """
        value = stored_form.encode(obj, self.hub_schema)
        if self._conversion is not IDENTITY:
            self._converted.put(value, stored_form.encode(self.from_hub(obj), self.schema))
        return value

    def json_of(self, value: bytes, revision: int, *, exact: bool = False) -> bytes:
        """Returns the JSON of a stored object in this API version, with its resourceVersion.

        - `value`: the stored bytes.
        - `exact`: whether RawExtension values keep their original bytes, as in protobuf; otherwise they are
          compact JSON.
        """
        return stored_form.with_version(self._in_version(value), revision, exact=exact)

    def json_of_unstored(self, value: bytes, given_version: str, *, exact: bool = False) -> bytes:
        """Returns the JSON of an object from a dry run, with the resourceVersion of the request body.

        `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
        """
        return stored_form.with_given_version(self._in_version(value), given_version, exact=exact)

    def json_of_nothing(self) -> bytes:
        """Returns the JSON of an object without data in this API version: its type and zero values.

        Kinds with the subresource `scale` show zero replicas: in their internal version, the number is not a
        pointer.
        """
        empty, _ = decode({}, self.schema)
        if self.kind.subresource("scale") is not None:
            empty["spec"] = {"replicas": 0} | empty["spec"]
        return codec.encode({"kind": self.kind.kind, "apiVersion": self.api_version} | empty)

    def items_of(self, entries: Sequence[Entry], *, exact: bool = False) -> Iterator[bytes]:
        """Yields the JSON of list items in this API version, in chunks of consecutive items, joined by
        commas.

        `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
        """
        return (self._exact_items if exact else self._items).runs(entries)

    def item_of(self, entry: Entry, *, exact: bool = False) -> bytes:
        """Returns the JSON of a list item in this API version, without kind and apiVersion.

        `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
        """
        if self._conversion is IDENTITY:
            return stored_form.list_item(entry.value, entry.revision, self._hub_prefix, exact=exact)
        value = self._in_version(entry.value)
        return stored_form.list_item(value, entry.revision, self._type_prefix, exact=exact)

    @cached_property
    def selected(self) -> SelectedRuns:
        """The cache of list entries that label selectors match."""
        return SelectedRuns()

    @cached_property
    def _items(self) -> ItemRuns:
        return ItemRuns(self.item_of)

    @cached_property
    def _exact_items(self) -> ItemRuns:
        return ItemRuns(partial(self.item_of, exact=True))

    def forget_lists(self) -> None:
        """Clears the caches of list items and of selector matches, which may contain deleted objects."""
        for kept in ("selected", "_items", "_exact_items"):
            self.__dict__.pop(kept, None)

    def _in_version(self, value: bytes) -> bytes:
        """Converts the stored bytes of an object from the internal version to this API version."""
        if self._conversion is IDENTITY:
            return stored_form.with_type(value, self._hub_prefix, self._type_prefix)
        form = self._converted.get(value)
        if form is None:
            obj = self.from_hub(stored_form.decode_value(value, self.hub_schema))
            form = stored_form.encode_value(obj)
            self._converted.put(value, form)
        return form

    def printed(self, obj: Object) -> Object:
        """Returns the object for table cells: `obj`, or its internal version if the kind defines `cells`."""
        return obj if self.definition.cells is None or self._conversion is IDENTITY else self.to_hub(obj)

    @cached_property
    def _conversion(self) -> Conversion:
        return self.versions.conversion(self.kind)

    @cached_property
    def _type_prefix(self) -> bytes:
        return stored_form.type_prefix(self.kind.kind, self.api_version)

    @cached_property
    def _hub_prefix(self) -> bytes:
        return stored_form.type_prefix(self.kind.kind, self.definition.hub_api_version)
