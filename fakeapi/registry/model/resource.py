"""A served resource: one resource of one version, joined to the rules of its kind and its release."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.errors import ApiError, Qualified, not_found
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import NameValidator
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.columns import (
    CREATED_AT_COLUMN,
    Cell,
    Column,
    no_columns,
    printed_columns,
    with_name_and_age,
)
from fakeapi.registry.model.conversion import IDENTITY, Conversion, Versions
from fakeapi.registry.model.definition import (
    Connection,
    FindDefinition,
    Hooks,
    KindDefinition,
    Strategies,
    StrategyContext,
    SubresourceAction,
)
from fakeapi.registry.model.field_labels import FieldLabels
from fakeapi.registry.model.scale import SCALE, ScaleView
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.converted_values import ConvertedValues
from fakeapi.registry.stored.item_runs import ItemRuns
from fakeapi.registry.stored.selected_runs import SelectedRuns
from fakeapi.releases import Kind, Release
from fakeapi.releases.kinds import Subresource as KindOfSubresource
from fakeapi.releases.rules import rules_of
from fakeapi_storage import Entry

if TYPE_CHECKING:
    from fakeapi.registry.declared.enforcement import DeclaredValidation


@dataclass(frozen=True, slots=True)
class Subresource:
    """A served subresource with its own kind and verbs, which are sorted. `action` answers a POST, and
    `connection` any method.
    """

    name: str
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...]
    body_type: BodyType
    action: SubresourceAction[Any, Any] | None
    connection: Connection[Any, Any] | None


class Resource:
    """One resource of one served version.

    All versions of a resource with the same hub show the same objects: see `registry.model.conversion`.
    Bodies, patches and managed fields are in the version of the request; storage, and all of a strategy but
    its decoding and defaults, see the hub. Everything that is not needed to find the resource is made when it
    is first used.
    """

    attachments: dict[Attached[Any], Any]
    """Values that other layers keep with the resource."""

    def __init__(
        self, kind: Kind, release: Release, find_definition: FindDefinition, context: StrategyContext
    ) -> None:
        """`find_definition` is called when the definition is first needed."""
        self.kind = kind
        self.release = release
        self._find_definition = find_definition
        self.api_version = kind.api_version
        self.identity = kind.api_version
        """Key of the resource in caches of encoded objects."""
        self.qualified = Qualified(kind.group, kind.resource)
        self.warning = kind.lifecycle.warning(kind.api_version, kind.kind)
        self.attachments = {}
        self._context = context
        self._managers: dict[str, FieldManager] = {}
        self._converted = ConvertedValues()

    # the kind -----------------------------------------------------------------------------------

    @cached_property
    def definition(self) -> KindDefinition:
        return self._find_definition(self.kind)

    @cached_property
    def qualified_kind(self) -> Qualified:
        """Group and kind as errors name them; the group is the one that the objects are stored in."""
        return Qualified(self.definition.group, self.kind.kind)

    def kind_in_errors(self, obj: Object) -> Qualified:
        """The kind that refusals of an object name."""
        return self.qualified_kind

    @cached_property
    def name_validator(self) -> NameValidator:
        by_release = self.definition.name_validator_of
        return by_release(rules_of(self.release)) if by_release else self.definition.name_validator

    @cached_property
    def prefix(self) -> str:
        """The beginning of the storage keys of the kind's objects."""
        return self.definition.prefix

    @property
    def schema(self) -> Struct:
        """The type of objects in this version."""
        return self.kind.schema

    @cached_property
    def versions(self) -> Versions:
        """All versions of the resource with the same hub that the release has, served or not."""
        return Versions(self.kind, self._same_hub, self._conversions)

    @cached_property
    def strategies(self) -> Strategies:
        """By subresource; "" is the resource itself."""
        return self.definition.strategies(self.kind, rules_of(self.release), self._context)

    def with_declared(
        self, found: list[FieldError], new: Object, old: Object | None = None, subresource: str = ""
    ) -> list[FieldError]:
        """Errors of an object of the hub that is created, or updated from `old`: what the kind's own rules
        `found`, and what declared rules say.
        """
        if self._declared is None:
            return found
        options = self.strategy_for(subresource).declared_options(new, old)
        before = None if old is None else self.from_hub(old)
        return self._declared.merged(found, self.from_hub(new), before, subresource, options)

    @cached_property
    def _declared(self) -> "DeclaredValidation | None":
        """Validation by rules that Kubernetes generates; None where the release enforces none of the kind."""
        rules = rules_of(self.release)
        if rules.quirks.declared_rules == "unknown":
            return None
        from fakeapi.registry.declared import enforcement  # noqa: PLC0415 - for releases that have it

        if not enforcement.enforces_declared(rules, has_no_others=self.definition.is_declared):
            return None
        paths = self.definition.declared_paths
        return enforcement.DeclaredValidation(self.kind, self.release.all_kinds.tables, rules, paths)

    @cached_property
    def hooks(self) -> Hooks[Any] | None:
        """What surrounds writes of the kind."""
        made = self.definition.hooks
        return made(self.kind, rules_of(self.release), self._context) if made else None

    def check_method(self, verb: str) -> None:
        """Called before the body of a request is read. Raises ApiError for a verb that is not allowed now."""

    def check_creation(self, name: str) -> None:
        """Called before admission is asked about a new object. Raises ApiError where none may be made now."""

    def of_apply(self, merged: Object) -> Object:
        """What an apply makes of a custom object, with the defaults of its version. Raises DecodeError."""
        raise NotImplementedError("only custom objects have no Go type")

    @property
    def runs_beside(self) -> bool:
        """Whether an object may be prepared and validated beside the event loop."""
        return self.hooks is None or self.hooks.run_beside

    def strategy_for(self, subresource: str) -> Strategy:
        """The rules of a write to the resource itself ("") or to a subresource."""
        return self.strategies[subresource]

    @cached_property
    def subresources(self) -> Mapping[str, Subresource]:
        """The served subresources by name."""
        actions, connections = self.definition.actions, self.definition.connections
        return {
            each.name: Subresource(
                each.name,
                each.kind,
                each.group,
                each.version,
                tuple(
                    verb
                    for verb in each.verbs
                    if verb != "create" or each.name in actions or each.name in connections
                ),
                self._body_type_of(each),
                actions.get(each.name),
                connections.get(each.name),
            )
            for each in self.kind.subresources
            if each.name in self.strategies
            or each.name in actions
            or each.name in connections
            or (each.name == SCALE and self.definition.scale is not None)
        }

    @cached_property
    def scales(self) -> "Resource":
        """The resource of the Scales of the objects, which nothing serves. Only for kinds with `scale`."""
        subresource = self.kind.subresource(SCALE)
        assert subresource is not None, f"{self.kind.resource} has no scale"
        kind = self.release.all_kinds.kind_of_subresource(self.kind.plain, subresource)
        definition = KindDefinition(
            group=kind.group,
            resource=kind.resource,
            strategies=lambda kind, rules, context: {"": Strategy(), SCALE: Strategy()},
            cells=lambda quirks: {"Desired": _replicas_of("spec"), "Available": _replicas_of("status")},
            table_subresources=frozenset((SCALE,)),
        )
        return Resource(kind, self.release, lambda _: definition, self._context)

    @cached_property
    def scale_view(self) -> ScaleView:
        """Reads and writes the Scales of the objects. Only for kinds with `scale`."""
        assert self.definition.scale is not None, f"{self.kind.resource} has no projection"
        return ScaleView(self.kind, self.release, self.scales.kind, self.definition.scale)

    def resource_of(self, subresource: str) -> "Resource":
        """The resource of the objects at the path of a subresource: this one, or that of its Scales."""
        if subresource == SCALE and self.definition.scale is not None:
            return self.scales
        return self

    @cached_property
    def body_type(self) -> BodyType:
        """The type of bodies of the resource itself, and of subresources that have its kind."""
        return BodyType(
            self.kind, self.release, self.versions, self.strategies[""], self._context.apply_defaults
        )

    def _body_type_of(self, subresource: KindOfSubresource) -> BodyType:
        if subresource.kind == self.kind.kind:
            return self.body_type
        kind = self.release.all_kinds.kind_of_subresource(self.kind.plain, subresource)
        older = self.definition.body_versions.get(subresource.name, frozenset())
        alike = [replace(kind, version=each.rpartition("/")[2]) for each in sorted(older)]
        return BodyType(
            kind,
            self.release,
            Versions(kind, alike, {}),
            Strategy(),
            self._context.apply_defaults,
            older,
        )

    def manager(self, subresource: str) -> FieldManager:
        """Keeps the managed fields of writes to the resource itself ("") or to a subresource."""
        if subresource not in self._managers:
            quirks = self.release.quirks
            self._managers[subresource] = FieldManager(
                self.kind.apply_schema,
                self.api_version,
                self.kind.kind,
                subresource,
                self.strategies[subresource].reset_fields,
                self.versions.convert,
                allows_duplicates=quirks.managed_fields_allow_duplicates,
                order_matters=quirks.managed_fields_order_matters,
                checks_type_first=quirks.apply_checks_type_first,
                survives_errors=quirks.managed_fields_survive_errors,
                untyped=self.kind.unstructured,
            )
        return self._managers[subresource]

    @cached_property
    def field_labels(self) -> FieldLabels:
        by_release = self.definition.field_labels_of
        return (
            by_release(self.kind, self.release.quirks)
            if by_release
            else self.definition.field_labels(self.kind)
        )

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of tables of the resource."""
        definition, quirks = self.definition, self.release.quirks
        tables = self.release.all_kinds.tables
        name = f"{self.kind.group}/{self.kind.kind}".lstrip("/")
        if definition.cells is not None:
            descriptions = tables.column_descriptions.get(name, {})
            undefined = tuple(Column("", "", cell, defined=False) for cell in definition.undefined_cells)
            return printed_columns(tables.columns[name], descriptions, definition.cells(quirks)) + undefined
        if definition.columns is no_columns and name not in tables.columns:
            return with_name_and_age((CREATED_AT_COLUMN,), age=False)
        return with_name_and_age(definition.columns(self.schema, quirks), age=definition.shows_age)

    def missing(self, name: str, subresource: str = "") -> ApiError:
        """The error of reading an object that there is not, or a subresource of it."""
        scale, quirks = self.definition.scale, self.release.quirks
        if subresource == SCALE and scale and scale.missing_in and quirks.workloads.missing_scales_are_named:
            return not_found(Qualified(scale.missing_in, f"{self.kind.resource}/{SCALE}"), name)
        if self.definition.missing is not None:
            return self.definition.missing(name, self.release.quirks)
        return not_found(self.qualified, name)

    def can_be_table(self, subresource: str) -> bool:
        """Whether the resource itself (""), or a subresource, can be printed as a table.

        What is only answered and never stored, such as a review, cannot.
        """
        if not subresource:
            return self.definition.answer is None
        return subresource in self.definition.table_subresources

    def empty_object(self) -> Object:
        """The kind's zero value, as Go would write it."""
        empty, _ = decode({"kind": self.kind.kind, "apiVersion": self.api_version}, self.schema)
        return empty

    # keys ---------------------------------------------------------------------------------------

    def key(self, namespace: str, name: str) -> str:
        """The storage key of an object; `namespace` is empty for resources that have none."""
        return f"{self.prefix}{namespace}/{name}" if namespace else f"{self.prefix}{name}"

    # the hub ------------------------------------------------------------------------------------

    @cached_property
    def hub_schema(self) -> Struct:
        """The type of stored objects, as far as the release has a version that is like the hub.

        Where it has none, this version's: drivers' own values, which it is asked for, are in the same places.
        """
        like_hub = (kind for kind in self._same_hub if self.versions.conversion(kind) is IDENTITY)
        return next(like_hub, self.kind).schema

    def to_hub(self, obj: Object) -> Object:
        """A canonical object of this version as it is stored; shares parts with `obj`."""
        return {**self._conversion.to_hub(obj), "apiVersion": self.definition.hub_api_version}

    def from_hub(self, obj: Object) -> Object:
        """A stored object in this version; shares parts with `obj`, which stays as it is."""
        return {**self._conversion.from_hub(obj), "apiVersion": self.api_version}

    async def prepare(self, entries: Sequence[Entry]) -> None:
        """Prepares to show entries, where that takes asking somebody else. Raises ApiError 500."""

    def decode(self, entry: Entry) -> Object:
        """The object of an entry in the hub, with its resourceVersion; the caller's own to change."""
        return stored_form.decode(entry, self.hub_schema)

    def encode(self, obj: Object) -> bytes:
        """The stored form of an object in the hub; how this version shows it is kept for the answer."""
        value = stored_form.encode(obj, self.hub_schema)
        if self._conversion is not IDENTITY:
            self._converted.put(value, stored_form.encode(self.from_hub(obj), self.schema))
        return value

    def json_of(self, value: bytes, revision: int, *, exact: bool = False) -> bytes:
        """JSON of a stored object in this version, with its resourceVersion.

        `exact`: drivers' own values to the byte, as protobuf carries them, and not compact, as JSON does.
        """
        return stored_form.with_version(self._in_version(value), revision, exact=exact)

    def json_of_unstored(self, value: bytes, given_version: str, *, exact: bool = False) -> bytes:
        """JSON of an object that a dry run would have stored, with the resourceVersion that its body had, if
        any.
        """
        return stored_form.with_given_version(self._in_version(value), given_version, exact=exact)

    def items_of(self, entries: Sequence[Entry], *, exact: bool = False) -> Iterator[bytes]:
        """JSON of entries as the items of a list in this version, by runs joined by commas."""
        return (self._exact_items if exact else self._items).runs(entries)

    def item_of(self, entry: Entry, *, exact: bool = False) -> bytes:
        """JSON of an entry as an item of a list in this version: without kind and apiVersion."""
        if self._conversion is IDENTITY:
            return stored_form.list_item(entry.value, entry.revision, self._hub_prefix, exact=exact)
        value = self._in_version(entry.value)
        return stored_form.list_item(value, entry.revision, self._type_prefix, exact=exact)

    @cached_property
    def selected(self) -> SelectedRuns:
        """Cache of the entries that label selectors matched."""
        return SelectedRuns()

    @cached_property
    def _items(self) -> ItemRuns:
        return ItemRuns(self.item_of)

    @cached_property
    def _exact_items(self) -> ItemRuns:
        return ItemRuns(partial(self.item_of, exact=True))

    def forget_lists(self) -> None:
        """Forgets the bytes and selections of lists, which may hold deleted objects."""
        for kept in ("selected", "_items", "_exact_items"):
            self.__dict__.pop(kept, None)

    def _in_version(self, value: bytes) -> bytes:
        """The stored form that an object would have if this version were the hub."""
        if self._conversion is IDENTITY:
            return stored_form.with_type(value, self._hub_prefix, self._type_prefix)
        found = self._converted.get(value)
        if found is None:
            obj = self.from_hub(stored_form.decode_value(value, self.hub_schema))
            found = stored_form.encode_value(obj)
            self._converted.put(value, found)
        return found

    @cached_property
    def _conversions(self) -> Mapping[str, Conversion]:
        conversions_of = self.definition.conversions_of
        return (
            self.definition.conversions if conversions_of is None else conversions_of(rules_of(self.release))
        )

    def printed(self, obj: Object) -> Object:
        """The form of an object of this version that the cells of the release's tables are made of."""
        return obj if self.definition.cells is None or self._conversion is IDENTITY else self.to_hub(obj)

    @cached_property
    def _conversion(self) -> Conversion:
        return self.versions.conversion(self.kind)

    @cached_property
    def _same_hub(self) -> tuple[Kind, ...]:
        return tuple(each for each in self.release.kinds if self.definition.covers(each))

    @property
    def equivalents(self) -> tuple[Kind, ...]:
        """The kinds that show the same objects: those of all versions, served or not, this one included."""
        return self._same_hub

    @cached_property
    def _type_prefix(self) -> bytes:
        return stored_form.type_prefix(self.kind.kind, self.api_version)

    @cached_property
    def _hub_prefix(self) -> bytes:
        return stored_form.type_prefix(self.kind.kind, self.definition.hub_api_version)


def _replicas_of(member: str) -> Cell:
    """A cell with the replicas that the spec or the status of a Scale tells."""
    return lambda obj, now: (obj.get(member) or {}).get("replicas", 0)
