"""Resource: a resource in one API version, with the rules of its kind and its release."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.errors import ApiError, Qualified, not_found
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import NameValidator
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.columns import (
    CREATED_AT_COLUMN,
    Column,
    no_columns,
    printed_columns,
    with_name_and_age,
)
from fakeapi.registry.model.conversion import Conversion, Versions
from fakeapi.registry.model.definition import (
    FindDefinition,
    Hooks,
    KindDefinition,
    Strategies,
    StrategyContext,
)
from fakeapi.registry.model.field_labels import FieldLabels
from fakeapi.registry.model.object_forms import ObjectForms
from fakeapi.registry.model.scale import SCALE, ScaleView
from fakeapi.registry.model.scale_definition import scale_definition
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.model.subresource import ServedSubresource
from fakeapi.registry.stored.selectable_fields import SelectableFields
from fakeapi.releases import Kind, Release
from fakeapi.releases.kinds import Subresource
from fakeapi.releases.rules import rules_of

if TYPE_CHECKING:
    from fakeapi.registry.declared.enforcement import DeclaredValidation


class Resource(ObjectForms):
    """A resource in a served API version.

    Request bodies, patches and managed fields are in the API version of the request. The storage and most
    methods of strategies use the internal version, the hub. `Strategy.restore_after_decoding` and
    `Strategy.default` receive objects in the API version of the request. All versions with the same hub have
    the same stored objects: see `registry.model.conversion`. Most properties are computed at first use.
    """

    attachments: dict[Attached[Any], Any]
    """Values that other modules store on the Resource, such as caches. See `Attached`."""

    def __init__(
        self, kind: Kind, release: Release, find_definition: FindDefinition, context: StrategyContext
    ) -> None:
        """Creates the resource of a kind. Calls `find_definition` when the KindDefinition is first needed."""
        super().__init__(kind)
        self.release = release
        self._find_definition = find_definition
        self.identity = kind.api_version
        """A name that identifies the resource in caches of encoded objects."""
        self.qualified = Qualified(kind.group, kind.resource)
        self.warning = kind.lifecycle.warning(kind.api_version, kind.kind)
        self.attachments = {}
        self._context = context
        self.service_network = context.service_network
        self._managers: dict[str, FieldManager] = {}

    # the kind -----------------------------------------------------------------------------------

    @cached_property
    def definition(self) -> KindDefinition:
        return self._find_definition(self.kind)

    @cached_property
    def qualified_kind(self) -> Qualified:
        """The kind for error messages, with the API group in which its objects are stored."""
        return Qualified(self.definition.group, self.kind.kind)

    def kind_in_errors(self, obj: Object) -> Qualified:
        """Returns the kind with its API group for errors of an object."""
        return self.qualified_kind

    @cached_property
    def name_validator(self) -> NameValidator:
        by_release = self.definition.name_validator_of
        return by_release(rules_of(self.release)) if by_release else self.definition.name_validator

    @cached_property
    def prefix(self) -> str:
        """The prefix of the storage keys of the resource's objects."""
        return self.definition.prefix

    @cached_property
    def versions(self) -> Versions:
        """All API versions with the same stored objects in the release, including versions that are not
        served.
        """
        return Versions(self.kind, self._same_hub, self._conversions)

    @cached_property
    def strategies(self) -> Strategies:
        """The strategies by subresource; the key "" stands for the object itself."""
        return self.definition.strategies(self.kind, rules_of(self.release), self._context)

    def with_declared(
        self, found: list[FieldError], new: Object, old: Object | None = None, subresource: str = ""
    ) -> list[FieldError]:
        """Returns the handwritten errors `found` merged with the errors of declarative validation.

        `new`, `old`: the objects in the internal version; `old` is None for a create.
        """
        if self._declared is None:
            return found
        options = self.strategy_for(subresource).declared_options(new, old)
        before = None if old is None else self.from_hub(old)
        return self._declared.merged(found, self.from_hub(new), before, subresource, options)

    @cached_property
    def _declared(self) -> "DeclaredValidation | None":
        """The declarative validation of the kind; None if the release does not enforce it for this kind."""
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
        """The functions to call before and after writes of the kind; None if the kind has none."""
        make_hooks = self.definition.hooks
        return make_hooks(self.kind, rules_of(self.release), self._context) if make_hooks else None

    def check_method(self, verb: str) -> None:
        """Raises ApiError if the verb is currently not allowed. Runs before the server reads the request
        body.
        """

    def check_creation(self, name: str) -> None:
        """Raises ApiError if clients cannot create objects currently. Runs before mutating admission.

        `name`: the name of the new object.
        """

    def of_apply(self, merged: Object) -> Object:
        """Decodes the merged custom object of an apply, and sets its defaults.

        Built-in kinds do not implement this method. Raises DecodeError if the object is invalid.
        """
        raise NotImplementedError("only custom objects have no Go type")

    @property
    def may_run_in_thread(self) -> bool:
        """Whether a thread may prepare and validate objects while the event loop handles other requests."""
        return self.hooks is None or self.hooks.may_run_in_thread

    def strategy_for(self, subresource: str) -> Strategy:
        """Returns the strategy for writes to a subresource; "" stands for the object itself."""
        return self.strategies[subresource]

    @cached_property
    def subresources(self) -> Mapping[str, ServedSubresource]:
        """The served subresources by name."""
        actions, connections = self.definition.actions, self.definition.connections
        return {
            subresource.name: ServedSubresource(
                subresource.name,
                subresource.kind,
                subresource.group,
                subresource.version,
                tuple(
                    verb
                    for verb in subresource.verbs
                    if verb != "create" or subresource.name in actions or subresource.name in connections
                ),
                self._body_type_of(subresource),
                actions.get(subresource.name),
                connections.get(subresource.name),
            )
            for subresource in self.kind.subresources
            if subresource.name in self.strategies
            or subresource.name in actions
            or subresource.name in connections
            or (subresource.name == SCALE and self.definition.scale is not None)
        }

    @cached_property
    def scales(self) -> "Resource":
        """The internal resource of the Scales of the objects, for kinds with `scale`.

        The server does not serve this resource.
        """
        subresource = self.kind.subresource(SCALE)
        assert subresource is not None, f"{self.kind.resource} has no scale"
        kind = self.release.all_kinds.kind_of_subresource(self.kind.plain, subresource)
        definition = scale_definition(kind)
        return Resource(kind, self.release, lambda _: definition, self._context)

    @cached_property
    def scale_view(self) -> ScaleView:
        """Converts objects to Scales and back, for kinds with the subresource scale."""
        assert self.definition.scale is not None, f"{self.kind.resource} has no projection"
        return ScaleView(self.kind, self.release, self.scales.kind, self.definition.scale)

    def resource_of(self, subresource: str) -> "Resource":
        """Returns the resource of the objects at a subresource: `scales` for scale, otherwise this
        resource.
        """
        if subresource == SCALE and self.definition.scale is not None:
            return self.scales
        return self

    @cached_property
    def body_type(self) -> BodyType:
        """The type of request bodies with objects of the resource's own kind.

        Subresources with the same kind, such as status, use this type too.
        """
        return BodyType(
            self.kind, self.release, self.versions, self.strategies[""], self._context.apply_defaults
        )

    def _body_type_of(self, subresource: Subresource) -> BodyType:
        if subresource.kind == self.kind.kind:
            return self.body_type
        kind = self.release.all_kinds.kind_of_subresource(self.kind.plain, subresource)
        older = self.definition.body_versions.get(subresource.name, frozenset())
        alike = [replace(kind, version=api_version.rpartition("/")[2]) for api_version in sorted(older)]
        return BodyType(
            kind,
            self.release,
            Versions(kind, alike, {}),
            Strategy(),
            self._context.apply_defaults,
            older,
        )

    def manager(self, subresource: str) -> FieldManager:
        """Returns the field manager for writes to a subresource; "" stands for the object itself."""
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
    def selectable_fields(self) -> SelectableFields | None:
        """The cached fields of stored objects for field selectors.

        None if selectors need only the keys of objects, or if the fields depend on more than the object.
        """
        fields_of = self.field_labels.fields_of
        return None if fields_of is None else SelectableFields(fields_of)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of tables with the resource's objects."""
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

    @property
    def has_default_table(self) -> bool:
        """Whether tables come from upstream's default convertor, which has the columns Name and Created At.

        In a table without objects, `rows` is null for these resources (`NewDefaultTableConvertor`), and an
        empty list for all others.
        """
        return self.columns[1:] == (CREATED_AT_COLUMN,)

    def missing(self, name: str, subresource: str = "") -> ApiError:
        """Returns the error for an object that does not exist.

        `subresource`: the subresource that the error names; "" for the object itself.
        """
        scale, quirks = self.definition.scale, self.release.quirks
        if subresource == SCALE and scale and scale.missing_in and quirks.workloads.missing_scales_are_named:
            return not_found(Qualified(scale.missing_in, f"{self.kind.resource}/{SCALE}"), name)
        if self.definition.missing is not None:
            return self.definition.missing(name, self.release.quirks)
        return not_found(self.qualified, name)

    def can_be_table(self, subresource: str) -> bool:
        """Whether a GET of a subresource, or of the resource itself (""), can return a table.

        Objects that are never stored, such as reviews, have no table.
        """
        if not subresource:
            return self.definition.answer is None
        return subresource in self.definition.table_subresources

    def empty_object(self) -> Object:
        """Returns an object whose fields have the zero values of its Go type."""
        empty, _ = decode({"kind": self.kind.kind, "apiVersion": self.api_version}, self.schema)
        return empty

    # keys ---------------------------------------------------------------------------------------

    def key(self, namespace: str, name: str) -> str:
        """Returns the storage key of an object; `namespace` is "" for cluster-scoped resources."""
        return f"{self.prefix}{namespace}/{name}" if namespace else f"{self.prefix}{name}"

    @cached_property
    def _conversions(self) -> Mapping[str, Conversion]:
        conversions_of = self.definition.conversions_of
        return (
            self.definition.conversions if conversions_of is None else conversions_of(rules_of(self.release))
        )

    @cached_property
    def _same_hub(self) -> tuple[Kind, ...]:
        return tuple(kind for kind in self.release.kinds if self.definition.covers(kind))

    @property
    def equivalents(self) -> tuple[Kind, ...]:
        """The kinds of all API versions that have the same stored objects as this resource.

        Includes versions that are not served.
        """
        return self._same_hub
