"""CustomResource: one served version of a CustomResourceDefinition.

Follows `getOrCreateServingInfoFor` of k8s.io/apiextensions-apiserver
`pkg/apiserver/customresource_handler.go`. Strategies, managed fields and admission receive objects in the API
version of the request; only the storage uses the storage version. To read an object, the server fills in the
defaults of the storage version. Then the server converts the object, and prunes the object by the schema of
the requested version.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import count

from msgspec.structs import replace

from fakeapi.machinery import codec, errors
from fakeapi.machinery.apply.typed import VersionError
from fakeapi.machinery.errors import ApiError, Details, Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.custom.columns import columns_of
from fakeapi.registry.custom.conversion import Conversions
from fakeapi.registry.custom.fields import field_labels_of
from fakeapi.registry.custom.hooks import CustomHooks
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.custom.reading import ObjectReader
from fakeapi.registry.custom.scale import CustomScaleView, projection_of
from fakeapi.registry.custom.strategies import strategies_of
from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.columns import Column
from fakeapi.registry.model.conversion import Versions
from fakeapi.registry.model.definition import KindDefinition, StrategyContext
from fakeapi.registry.model.field_labels import FieldLabels
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.scale import ScaleView
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.selectable_fields import SelectableFields
from fakeapi.releases import Kind, Release
from fakeapi_storage import Entry

_NUMBERS = count(1)
_TERMINATING = "create not allowed while custom resource definition is terminating"


class CustomBodyType(BodyType, frozen=True):
    """The type of request bodies with custom objects. Defaults come only from the schema of the CRD."""

    def default(self, obj: Object) -> Object:
        kind = self.kind
        return kind.reader.default(obj) if isinstance(kind, CustomKind) else obj


class _CustomScales(Resource):
    """The Scales of custom objects. Upstream cannot look up their Go type for its decoding errors."""

    @cached_property
    def body_type(self) -> BodyType:
        return replace(super().body_type, scheme_without_type=self.release.quirks.custom_scales_scheme)


class CustomVersions(Versions):
    """The versions of a CustomResourceDefinition, with its conversion strategy."""

    def __init__(self, kind: CustomKind, others: Iterable[Kind], conversions: Conversions) -> None:
        super().__init__(kind, others, {})
        self._custom = conversions

    def convert(self, value: Object, api_version: str) -> tuple[Object, Struct]:
        """Converts an object to another version, for server-side apply; returns the object with its type.

        Raises VersionError if the CRD does not have the version. Follows `ConvertToVersion` of
        k8s.io/apiextensions-apiserver `pkg/apiserver/conversion/converter.go`.
        """
        target = self.kind_of(api_version)
        if target is None:
            raise VersionError(f"request to convert CR to an invalid group/version: {api_version}")
        return self._custom.convert(value, api_version), target.apply_schema


class CustomResource(Resource):
    """Serves the custom objects of a CustomResourceDefinition in one of its versions."""

    def __init__(
        self,
        kind: CustomKind,
        siblings: tuple[CustomKind, ...],
        release: Release,
        context: StrategyContext,
        conversions: Conversions,
    ) -> None:
        """Creates the resource of `kind`.

        `siblings`: the kinds of all versions of the CRD, including versions that are not served.
        """
        definition = _definition_of(kind)
        super().__init__(kind, release, lambda _: definition, context)
        self.custom_kind = kind
        self.warning = kind.version_specification.warning
        self.siblings = siblings
        self.conversions = conversions
        self.identity = f"{kind.api_version} {next(_NUMBERS)}"

    @property
    def reader(self) -> ObjectReader:
        return self.custom_kind.reader

    @cached_property
    def versions(self) -> Versions:
        return CustomVersions(self.custom_kind, self.siblings, self.conversions)

    @cached_property
    def body_type(self) -> BodyType:
        return CustomBodyType(
            self.kind, self.release, self.versions, self.strategies[""], self._context.apply_defaults
        )

    @cached_property
    def scales(self) -> Resource:
        scales = super().scales
        return _CustomScales(scales.kind, self.release, lambda _: scales.definition, self._context)

    @cached_property
    def field_labels(self) -> FieldLabels:
        return field_labels_of(self.custom_kind, self._read_fields)

    @cached_property
    def selectable_fields(self) -> SelectableFields | None:
        """None, because the fields also depend on conversion webhooks."""
        return None

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return columns_of(self.custom_kind.version_specification)

    @property
    def equivalents(self) -> tuple[Kind, ...]:
        return self.siblings

    def kind_in_errors(self, obj: Object) -> Qualified:
        """Returns the group and kind that the object itself states, for error messages.

        An invalid object may state another group and kind than the resource has.
        """
        group, _, _ = str(obj.get("apiVersion", "")).rpartition("/")
        return Qualified(group, str(obj.get("kind", "")))

    @cached_property
    def scale_view(self) -> ScaleView:
        assert self.definition.scale is not None, f"{self.kind.resource} has no projection"
        projection, scale_kind = self.definition.scale, self.scales.kind
        return CustomScaleView(self.custom_kind, self.release, scale_kind, projection, self.siblings)

    def of_apply(self, merged: Object) -> Object:
        """Decodes the merged object of an apply without pruning, and sets defaults.

        Validation later rejects unknown fields.
        """
        return self.reader.default(self.reader.read_as_merged(merged))

    # creation while the CRD is being deleted ----------------------------------------------------

    def check_method(self, verb: str) -> None:
        """Raises ApiError 405 for a create (POST) while the CRD is being deleted, in releases up to 1.33.

        These releases still allow an apply to create objects at that time. From 1.34 on, `check_creation`
        rejects all creates instead.
        """
        if verb == "create" and self._terminates and not self.release.quirks.custom.terminating_forbids:
            details = Details(group=self.kind.group, kind=self.kind.resource)
            raise ApiError(405, "MethodNotAllowed", _TERMINATING, details)

    def check_creation(self, name: str) -> None:
        """Raises ApiError 403 for each create while the CRD is being deleted, from 1.34 on.

        In releases up to 1.33, `check_method` rejects creates instead.
        """
        if self._terminates and self.release.quirks.custom.terminating_forbids:
            raise errors.forbidden(self.qualified, name, _TERMINATING)

    @property
    def _terminates(self) -> bool:
        return self.custom_kind.state.terminating

    # storage ------------------------------------------------------------------------------------

    @property
    def hub_schema(self) -> Struct:
        return self.schema

    def to_hub(self, obj: Object) -> Object:
        return dict(obj)

    def from_hub(self, obj: Object) -> Object:
        return dict(obj)

    def printed(self, obj: Object) -> Object:
        return obj

    def decode(self, entry: Entry) -> Object:
        obj: Object = codec.decode(self.json_of(entry.value, entry.revision))
        return obj

    def encode(self, obj: Object) -> bytes:
        value = stored_form.encode_value(self._in_storage_version(obj))
        if obj["apiVersion"] == self._storage_version:
            # The strategy may have removed a field with a default, such as the status of a new object.
            read = self.reader.default(stored_form.decode_value(value))
            self._converted.put(value, stored_form.encode_value(read))
        else:
            self._in_version(value)  # this caches the response, which is the stored object converted back
        return value

    def json_of_nothing(self) -> bytes:
        return codec.encode({"apiVersion": self.api_version, "kind": self.kind.kind})

    def item_of(self, entry: Entry, *, exact: bool = False) -> bytes:
        """Returns the JSON of a list item. Items of custom objects have kind and apiVersion.

        `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
        """
        return self.json_of(entry.value, entry.revision, exact=exact)

    def items_of(self, entries: Sequence[Entry], *, exact: bool = False) -> Iterator[bytes]:
        """Yields the JSON of each list item.

        Does not cache consecutive items together, because a change of the conversion webhook would make this
        cache wrong. `exact`: whether RawExtension values keep their original bytes.
        """
        return (self.item_of(entry, exact=exact) for entry in entries)

    async def prepare(self, entries: Sequence[Entry]) -> None:
        """Converts the entries that are stored in other versions, with one webhook call, and caches the
        results.

        Does nothing without a conversion webhook. Raises ApiError 500 if the webhook fails.
        """
        if not self.conversions.waits:
            return
        values = {entry.value for entry in entries if entry.value not in self._converted}
        objects = [self._stored(value) for value in values]
        others = [obj for obj in objects if obj["apiVersion"] != self.api_version]
        await self.conversions.fetch_list(others, self.api_version, self.kind.list_kind)

    def _in_storage_version(self, obj: Object) -> Object:
        target = self._storage_version
        if obj["apiVersion"] == target:
            return obj
        stored: Object = codec.decode(codec.encode(self.conversions.convert(obj, target)))
        return self.reader.prune(stored)

    def _in_version(self, value: bytes) -> bytes:
        """Returns the JSON of a stored object in the version of this resource, without its
        resourceVersion.
        """
        form = self._converted.get(value)
        if form is None:
            form = stored_form.encode_value(self._shown(self._stored(value)))
            self._converted.put(value, form)
        return form

    def _read_fields(self, obj: Object) -> Object:
        """Returns a stored object in the version of this resource, to read its selectable fields."""
        return self._shown(self.reader.settle(obj))

    def _stored(self, value: bytes) -> Object:
        """Decodes a stored object; prunes and defaults it by the schema of its storage version."""
        return self.reader.settle(stored_form.decode_value(value))

    def _shown(self, obj: Object) -> Object:
        """Converts a decoded stored object to the version of this resource, and prunes the result.

        Does not change an object that already has this version.
        """
        if obj["apiVersion"] == self.api_version:
            return obj
        return self.reader.prune(self.conversions.convert(obj, self.api_version))

    @property
    def _storage_version(self) -> str:
        specification = self.custom_kind.specification
        return f"{specification.group}/{specification.storage_version}"


def _definition_of(kind: CustomKind) -> KindDefinition:
    return KindDefinition(
        group=kind.group,
        resource=kind.resource,
        strategies=strategies_of,
        hooks=lambda _kind, rules, context: CustomHooks(kind),
        shows_age=False,
        core_metadata=False,
        scale=projection_of(kind.version_specification.scale),
    )
