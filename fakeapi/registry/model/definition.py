"""KindDefinition: everything in which one kind differs from the others, as one value.

A kind is one module or folder under `fakeapi/kinds/<group>/` that makes such a value, and the release tables,
which know its type, names and verbs. No other module asks for a kind's name. A kind without a module is
served by `fakeapi.kinds.generic`.
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
    Warnings,
    WriteOptions,
    WriteResult,
)
from fakeapi.releases import Gates, Kind, Quirks
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.tables import Defaults
from fakeapi_storage import Entry

ServerT_contra = TypeVar("ServerT_contra", contravariant=True)
"""`fakeapi.registry.server.Server`, which is not imported, since servers hold definitions."""

ResourceT_contra = TypeVar("ResourceT_contra", contravariant=True)
"""`fakeapi.registry.model.resource.Resource`, which is not imported, since resources hold definitions."""

INTERNAL = "internal"
"""The hub of a kind whose versions all show the same objects."""

CLASSIC = "classic"
"""The hub of resource.k8s.io/v1alpha2, whose objects no other version shows."""

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
"""The kinds with ReturnDeletedObject in k8s.io/kubernetes `pkg/registry`, beside those of resource.k8s.io."""


class StoredEntries(Protocol):
    """Reads of stored entries, by the keys that kinds have (`KindDefinition.prefix`)."""

    def newest(self, key: str) -> Entry | None:
        """The newest accepted entry."""
        ...

    def list(self, prefix: str) -> Iterable[Entry]:
        """The committed entries."""
        ...


class NoEntries:
    """An empty storage."""

    def newest(self, key: str) -> Entry | None:
        return None

    def list(self, prefix: str) -> Iterable[Entry]:
        return ()


class ApplyDefaults(Protocol):
    """Fills in the fields that a release defaults, in place, and returns the object.

    `obj` is canonical. `table` returns the defaults of the release that `node` belongs to.
    """

    def __call__(self, obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object: ...


def without_defaults(obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object:
    """Returns the object as it is."""
    return obj


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """What strategies and resources ask of the server that they are part of.

    `namespace_labels`: the labels of a namespace by its name, None for one that does not exist. `now`: the
    present in RFC 3339, UTC, whole seconds. `entries`: what is stored. `fraction`: a random number from 0 to
    below 1. `apply_defaults`: fills in the defaults of a body.
    """

    namespace_labels: Callable[[str], Mapping[str, str] | None]
    now: Callable[[], str]
    entries: StoredEntries = field(default_factory=NoEntries)
    fraction: Callable[[], float] = random.random
    apply_defaults: ApplyDefaults = without_defaults


Strategies = Mapping[str, Strategy]
"""Strategies by subresource, "" being the resource itself."""


class StrategyFactory(Protocol):
    """Makes the strategies of a kind as one release has it."""

    def __call__(self, kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies: ...


@dataclass(frozen=True, slots=True)
class Write:
    """A committed write: `old` is None for a create, `new` for what is gone."""

    target: ObjectReference
    old: Object | None
    new: Object | None


class Hooks(Protocol[ServerT_contra]):
    """Functions called around the writes of a kind, for example to allocate cluster IPs.

    Follows BeginCreate, BeginUpdate and AfterDelete of k8s.io/apiserver `pkg/registry/generic/registry`. The
    first two are called before the strategy prepares and validates an object, not for subresources; they
    return a new object, may share parts with `old`, and raise ApiError. `run_beside`: they read nothing that
    other writes change, so that a long write may be prepared in a thread. `pool` is the prefix of the keys of
    all objects that take from the same pool, empty for a kind that takes from none.
    """

    run_beside: bool
    pool: str

    def begin_create(self, obj: Object, *, dry_run: bool) -> Object: ...

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Object: ...

    async def after(self, server: ServerT_contra, write: Write) -> None:
        """Follows a committed write before it is answered; raises ApiError."""
        ...


class SubresourceAction(Protocol[ServerT_contra, ResourceT_contra]):
    """Answers a POST that stores no object of its kind: pods/binding, a subject access review."""

    async def __call__(
        self,
        server: ServerT_contra,
        resource: ResourceT_contra,
        target: ObjectReference,
        body: Object,
        options: WriteOptions,
        warnings: Warnings,
    ) -> WriteResult:
        """`body` is canonical and defaulted, in the kind of the request. Raises ApiError."""
        ...


class Connection(Protocol[ServerT_contra, ResourceT_contra]):
    """Answers any request to a subresource that leads to a node or a container, such as pods/log.

    Nothing is there to connect to: a request that upstream would pass on is refused.
    """

    async def __call__(
        self,
        server: ServerT_contra,
        resource: ResourceT_contra,
        target: ObjectReference,
        options: Mapping[str, str],
    ) -> None:
        """`options` are the parameters of the request. To return is to answer with no content. Raises
        ApiError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDefinition:
    """`group` and `resource` say which kind it is; `versions` which of its versions, all where it is None.
    `also_in` are other groups that show the same objects under the same name.

    `hub` names the form that objects are stored in. Versions with the same hub show the same objects;
    `conversions` are those between a version and the hub, by version or apiVersion, where they differ.
    `immortal` are the
    names of objects that cannot be deleted. `actions` answer POSTs to subresources, by name; `answer`
    answers a POST of an object that is never stored, such as an access review. `signs` fills in who creates
    an object. `name_validator_of` and `field_labels_of` are for what differs by release. `hooks` surround
    writes. `cells` are those of the columns that the release's tables have for the kind, `undefined_cells`
    what rows have after them without a column, `columns` and `shows_age` for where they have none or the kind
    differs. `row_conditions` says more of an object's row, if there is more to say. `table_subresources` can
    be printed as tables too. `body_versions` are apiVersions that the body of an action may have beside its
    own. `connections` answer subresources that store nothing. `deletion_warnings` are texts of Warning
    headers for a delete. `scale` projects objects to Scales. `hidden_annotations` stand for fields of the
    server's own type, so that tables and metadata alone do not show them. `conversions_of` is for conversions
    that differ by release. `hides_deleted` are versions in which a delete is answered
    with a Status although it is not in others. `is_declared`: the kind has had declared rules since it is
    there, so that every release enforces them. `declared_paths` are patterns of paths in errors of declared
    rules, and what stands for them in errors of the kind's own. Without `core_metadata` finalizers need no
    domain, as for kinds of other servers.
    """

    group: str
    resource: str
    strategies: StrategyFactory
    also_in: frozenset[str] = frozenset()
    versions: frozenset[str] | None = None
    hub: str = INTERNAL
    conversions: Mapping[str, Conversion] = field(default_factory=dict)
    conversions_of: Callable[[ReleaseRules], Mapping[str, Conversion]] | None = None
    name_validator: NameValidator = name_is_dns_subdomain
    name_validator_of: Callable[[ReleaseRules], NameValidator] | None = None
    field_labels: Callable[[Kind], FieldLabels] = name_and_namespace
    field_labels_of: Callable[[Kind, Quirks], FieldLabels] | None = None
    columns: Columns = no_columns
    cells: Cells | None = None
    undefined_cells: Sequence[Cell] = ()
    shows_age: bool = True
    deletion: DeletionPolicy = delete_after_finalizers
    deletion_warnings: Callable[[DeleteOptions], Sequence[str]] | None = None
    immortal: frozenset[str] = frozenset()
    actions: Mapping[str, SubresourceAction[Any, Any]] = field(default_factory=dict)
    answer: SubresourceAction[Any, Any] | None = None
    is_declared: bool = False
    hides_deleted: frozenset[str] = frozenset()
    declared_paths: Sequence[tuple[re.Pattern[str], str]] = ()
    signs: Callable[[Object, User], Object] | None = None
    missing: Callable[[str, Quirks], ApiError] | None = None
    body_versions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    scale: ScaleProjection | None = None
    hidden_annotations: frozenset[str] = frozenset()
    connections: Mapping[str, Connection[Any, Any]] = field(default_factory=dict)
    row_conditions: Callable[[Object], Sequence[Object]] | None = None
    hooks: Callable[[Kind, ReleaseRules, StrategyContext], Hooks[Any]] | None = None
    table_subresources: frozenset[str] = frozenset()
    core_metadata: bool = True

    def covers(self, kind: Kind) -> bool:
        """Whether the definition is that of the kind, in the kind's version."""
        return (
            self.resource == kind.resource
            and (kind.group == self.group or kind.group in self.also_in)
            and (self.versions is None or kind.version in self.versions)
        )

    def shows_deleted(self, version: str) -> bool:
        """Whether a delete in a version is answered with the deleted object instead of a Status."""
        if version in self.hides_deleted:
            return False
        return self.group == "resource.k8s.io" or (self.group, self.resource) in _SHOWN_WHEN_DELETED

    @property
    def prefix(self) -> str:
        """The beginning of the storage keys of the kind's objects, which names no version."""
        hub = "" if self.hub == INTERNAL else f"{self.hub}/"
        return f"/{self.group or 'core'}/{hub}{self.resource}/"

    @property
    def hub_api_version(self) -> str:
        """The apiVersion of stored objects."""
        return f"{self.group}/{self.hub}" if self.group else self.hub


FindDefinition = Callable[[Kind], KindDefinition]
"""Finds the definition of a kind."""
