"""KindDefinition: everything in which one kind differs from the others, as one value.

A kind consists of one module or folder under `fakeapi/kinds/<group>/`, which makes such a value, and of the
release tables, which know its type, names and verbs. Few other modules depend on the names of kinds; this one
does for `_SHOWN_WHEN_DELETED`. A kind without a module is served by `fakeapi.kinds.generic`.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import NameValidator, name_is_dns_subdomain
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.columns import Cell, Cells, Columns, no_columns
from fakeapi.registry.model.conversion import Conversion
from fakeapi.registry.model.deletion import DeletionPolicy, delete_after_finalizers
from fakeapi.registry.model.field_labels import FieldLabels, name_and_namespace
from fakeapi.registry.model.scale import ScaleProjection
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.requests.options import (
    DeleteOptions,
    ObjectReference,
    WriteResult,
)
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.releases import Gates, Kind, Quirks
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.tables import Defaults
from fakeapi_storage import Entry

ServerT_contra = TypeVar("ServerT_contra", contravariant=True)
"""Stands for `fakeapi.registry.server.Server`, whose import would be circular."""

ResourceT_contra = TypeVar("ResourceT_contra", contravariant=True)
"""Stands for `fakeapi.registry.model.resource.Resource`, whose import would be circular."""

INTERNAL = "internal"
"""The hub of kinds whose versions all share their objects."""

CLASSIC = "classic"
"""The hub of resource.k8s.io/v1alpha2, which shares no objects with other versions."""

_SHOWN_WHEN_DELETED = frozenset(
    {
        ("", "namespaces"),
        ("", "persistentvolumeclaims"),
        ("", "persistentvolumes"),
        ("", "pods"),
        ("", "podtemplates"),
        ("", "resourcequotas"),
        ("", "serviceaccounts"),
        ("", "services"),
        ("storage.k8s.io", "csidrivers"),
        ("storage.k8s.io", "csinodes"),
        ("storage.k8s.io", "storageclasses"),
        ("storage.k8s.io", "volumeattachments"),
        ("storage.k8s.io", "volumeattributesclasses"),
    }
)
"""The kinds with ReturnDeletedObject in k8s.io/kubernetes `pkg/registry`, except those of resource.k8s.io.

The answer to their DELETE is the deleted object.
"""


class StoredEntries(Protocol):
    """Reads stored entries by their keys, which begin with `KindDefinition.prefix`."""

    def newest(self, key: str) -> Entry | None:
        """Returns the newest accepted entry of a key; None if there is none."""
        ...

    def list(self, prefix: str) -> Iterable[Entry]:
        """Returns the committed entries whose keys begin with a prefix."""
        ...


class NoEntries:
    """An empty storage."""

    def newest(self, key: str) -> Entry | None:
        return None

    def list(self, prefix: str) -> Iterable[Entry]:
        return ()


class ApplyDefaults(Protocol):
    """Sets the defaults of a release in the object, and returns the object.

    `obj` is canonical. `table` returns the defaults of the release that `node` belongs to.
    """

    def __call__(self, obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object: ...


def without_defaults(obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object:
    """Returns the object as it is."""
    return obj


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """The functions of the server that strategies and resources use."""

    namespace_labels: Callable[[str], Mapping[str, str] | None]
    """Returns the labels of a namespace; None if it does not exist."""

    now: Callable[[], str]
    """Returns the current time in RFC 3339, UTC, whole seconds."""

    entries: StoredEntries = field(default_factory=NoEntries)
    """Reads the storage."""

    fraction: Callable[[], float] = random.random
    """Returns a random number from 0 to below 1."""

    apply_defaults: ApplyDefaults = without_defaults
    """Sets the defaults of the release in a body."""


Strategies = Mapping[str, Strategy]
"""Strategies by subresource; "" is the resource itself."""


class StrategyFactory(Protocol):
    """Makes the strategies of a kind for one release."""

    def __call__(self, kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies: ...


@dataclass(frozen=True, slots=True)
class Write:
    """A committed write. `old` is None for a create, `new` is None for a deletion."""

    target: ObjectReference
    old: Object | None
    new: Object | None


class Hooks(Protocol[ServerT_contra]):
    """Functions that verbs call before and after the writes of a kind, for example to allocate cluster IPs.

    Follows BeginCreate, BeginUpdate and AfterDelete of k8s.io/apiserver `pkg/registry/generic/registry`.
    Verbs call `begin_create` and `begin_update` before the strategy prepares and validates an object, but not
    for subresources.
    """

    may_run_in_thread: bool
    """Whether `begin_create` and `begin_update` read no state, so that a thread may prepare a large write."""

    pool: str
    """The key prefix of all objects that allocate from the same pool; empty if the kind has no pool."""

    def begin_create(self, obj: Object, *, dry_run: bool) -> Object:
        """Returns a new object for the strategy to prepare. Raises ApiError."""
        ...

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Object:
        """Returns a new object for the strategy to prepare; may share parts with `old`. Raises ApiError."""
        ...

    async def after(self, server: ServerT_contra, write: Write) -> None:
        """Called after a write is committed and before it is answered. Raises ApiError."""
        ...


class SubresourceAction(Protocol[ServerT_contra, ResourceT_contra]):
    """Answers a POST that stores no object of the posted kind, such as pods/binding or an access review."""

    async def __call__(
        self, request: WriteRequest[ServerT_contra, ResourceT_contra], body: Object
    ) -> WriteResult:
        """Does the action and returns its result. `body` is canonical and defaulted. Raises ApiError."""
        ...


class Connection(Protocol[ServerT_contra, ResourceT_contra]):
    """Answers any request to a subresource that connects to a node or a container, such as pods/log.

    A fake server has no nodes: requests that upstream would forward to a kubelet are refused.
    """

    async def __call__(
        self,
        server: ServerT_contra,
        resource: ResourceT_contra,
        target: ObjectReference,
        options: Mapping[str, str],
    ) -> None:
        """Answers the request without content if it returns. Raises ApiError.

        `options` are the query parameters of the request.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDefinition:
    """The rules of one kind. Only the first three fields are required; the defaults suit simple kinds."""

    group: str
    resource: str
    strategies: StrategyFactory

    also_in: frozenset[str] = frozenset()
    """Other groups that serve the same objects under the same resource name, as for Events."""

    versions: frozenset[str] | None = None
    """The versions that the definition applies to; None for all."""

    hub: str = INTERNAL
    """The name of the form in which objects are stored. Versions with the same hub share their objects."""

    conversions: Mapping[str, Conversion] = field(default_factory=dict)
    """The conversions of versions that differ from the hub, by version or apiVersion."""

    conversions_of: Callable[[ReleaseRules], Mapping[str, Conversion]] | None = None
    """Replaces `conversions` if they depend on the release."""

    name_validator: NameValidator = name_is_dns_subdomain
    """Validates the names of objects."""

    name_validator_of: Callable[[ReleaseRules], NameValidator] | None = None
    """Replaces `name_validator` if it depends on the release."""

    field_labels: Callable[[Kind], FieldLabels] = name_and_namespace
    """Returns the fields that field selectors may name."""

    field_labels_of: Callable[[Kind, Quirks], FieldLabels] | None = None
    """Replaces `field_labels` if they depend on the release."""

    columns: Columns = no_columns
    """The table columns of a kind without `cells`."""

    cells: Cells | None = None
    """The cells for the columns that the release's tables have for the kind; None to use `columns`."""

    undefined_cells: Sequence[Cell] = ()
    """Further cells of each row that have no column definition."""

    shows_age: bool = True
    """Whether tables of a kind without `cells` end with the column Age."""

    deletion: DeletionPolicy = delete_after_finalizers

    deletion_warnings: Callable[[DeleteOptions], Sequence[str]] | None = None
    """Returns the texts of Warning headers for a delete."""

    immortal: frozenset[str] = frozenset()
    """The names of objects that cannot be deleted."""

    actions: Mapping[str, SubresourceAction[Any, Any]] = field(default_factory=dict)
    """The actions that answer a POST to a subresource, by its name."""

    answer: SubresourceAction[Any, Any] | None = None
    """Answers a POST of an object that is never stored, such as an access review."""

    is_declared: bool = False
    """Whether the kind has had declared rules from its first release, so that every release enforces them."""

    hides_deleted: frozenset[str] = frozenset()
    """The versions in which a delete is answered with a Status instead of the deleted object."""

    declared_paths: Sequence[tuple[re.Pattern[str], str]] = ()
    """Replacements that turn paths in errors of declared rules into the paths in the kind's own errors."""

    signs: Callable[[Object, User], Object] | None = None
    """Returns a new object with the user who creates it, for example in a CertificateSigningRequest."""

    missing: Callable[[str, Quirks], ApiError] | None = None
    """Returns the error for an object that does not exist, if it differs from the usual 404."""

    body_versions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Further apiVersions that the body of an action may have, by subresource."""

    scale: ScaleProjection | None = None
    """The projection of objects to Scales; None for kinds without the subresource scale."""

    hidden_annotations: frozenset[str] = frozenset()
    """Annotations for fields of the internal type; tables and PartialObjectMetadata omit them."""

    connections: Mapping[str, Connection[Any, Any]] = field(default_factory=dict)
    """The functions that answer all requests to a subresource such as pods/log, by its name."""

    row_conditions: Callable[[Object], Sequence[Object]] | None = None
    """Returns the conditions of an object's table row; they may be empty."""

    hooks: Callable[[Kind, ReleaseRules, StrategyContext], Hooks[Any]] | None = None
    """Makes the functions that verbs call before and after writes."""

    table_subresources: frozenset[str] = frozenset()
    """Subresources that can be printed as tables."""

    core_metadata: bool = True
    """Whether finalizers need a domain, as for all kinds except definitions and custom objects."""

    def covers(self, kind: Kind) -> bool:
        """Whether the definition applies to the kind in the kind's version."""
        return (
            self.resource == kind.resource
            and (kind.group == self.group or kind.group in self.also_in)
            and (self.versions is None or kind.version in self.versions)
        )

    def shows_deleted(self, version: str) -> bool:
        """Whether a delete in this version is answered with the deleted object instead of a Status."""
        if version in self.hides_deleted:
            return False
        return self.group == "resource.k8s.io" or (self.group, self.resource) in _SHOWN_WHEN_DELETED

    @property
    def prefix(self) -> str:
        """The prefix of the storage keys of the kind's objects; it contains no version."""
        hub = "" if self.hub == INTERNAL else f"{self.hub}/"
        return f"/{self.group or 'core'}/{hub}{self.resource}/"

    @property
    def hub_api_version(self) -> str:
        """The apiVersion of stored objects."""
        return f"{self.group}/{self.hub}" if self.group else self.hub


FindDefinition = Callable[[Kind], KindDefinition]
"""Finds the definition of a kind."""
