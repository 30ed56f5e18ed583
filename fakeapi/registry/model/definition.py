"""KindDefinition: the rules in which one kind differs from other kinds.

Each kind has a module or folder under `fakeapi/kinds/<group>/` that creates its definition. The data tables
of a release contain the type, names and verbs of each kind. Few other modules depend on the names of kinds;
this module has only the names in `_SHOWN_WHEN_DELETED`. `fakeapi.kinds.generic` defines kinds that have no
module.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import NameValidator, name_is_dns_subdomain
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.columns import Cell, Cells, Columns, no_columns
from fakeapi.registry.model.conversion import Conversion
from fakeapi.registry.model.deletion_policies import DeletionPolicy, delete_after_finalizers
from fakeapi.registry.model.field_labels import FieldLabels, name_and_namespace
from fakeapi.registry.model.scale import ScaleProjection
from fakeapi.registry.model.service_network import DEFAULT_SERVICE_NETWORK, ServiceNetwork
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.node_connections import Connected, ConnectedLog
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
"""Stands for `fakeapi.registry.server.Server`. Importing it here would be circular."""

ResourceT_contra = TypeVar("ResourceT_contra", contravariant=True)
"""Stands for `fakeapi.registry.model.resource.Resource`. Importing it here would be circular."""

INTERNAL = "internal"
"""The name of the internal version of most kinds.

All API versions of such a kind have the same stored objects.
"""

CLASSIC = "classic"
"""The name of the internal version of resource.k8s.io/v1alpha2.

Objects of v1alpha2 are stored separately from the objects of later versions.
"""

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
"""Kinds whose DELETE returns the deleted object, in addition to all kinds of resource.k8s.io.

Versions in `KindDefinition.hides_deleted` are exceptions.

These kinds have ReturnDeletedObject in k8s.io/kubernetes `pkg/registry`.
"""


class StoredEntries(Protocol):
    """Reads stored entries by storage key. Storage keys begin with `KindDefinition.prefix`."""

    def newest(self, key: str) -> Entry | None:
        """Returns the newest entry of a storage key, even if not committed yet; None if the key does not
        exist.
        """
        ...

    def list(self, prefix: str) -> Iterable[Entry]:
        """Returns the committed entries whose storage keys begin with a prefix."""
        ...


class NoEntries:
    """An empty storage."""

    def newest(self, key: str) -> Entry | None:
        return None

    def list(self, prefix: str) -> Iterable[Entry]:
        return ()


class ApplyDefaults(Protocol):
    """A function that sets the defaults of a release in an object, and returns the object.

    - `obj`: a canonical object.
    - `node`: the type of the object.
    - `table`: returns the release's defaults for all types.
    - `gates`: the feature gates of the release.
    """

    def __call__(self, obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object: ...


def without_defaults(obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object:
    """Returns the object unchanged. The default value of `StrategyContext.apply_defaults`."""
    return obj


class StrategyContext(msgspec.Struct, frozen=True):
    """Functions of the server that strategies and resources call."""

    namespace_labels: Callable[[str], Mapping[str, str] | None]
    """Returns the labels of a namespace; None if the namespace does not exist."""

    now: Callable[[], str]
    """Returns the current time in UTC as RFC 3339 with whole seconds."""

    entries: StoredEntries = msgspec.field(default_factory=NoEntries)
    """Reads stored entries of other objects."""

    fraction: Callable[[], float] = random.random
    """Returns a random number from 0 up to, but not including, 1."""

    service_network: ServiceNetwork = DEFAULT_SERVICE_NETWORK
    """The ranges of cluster IPs and node ports."""

    apply_defaults: ApplyDefaults = without_defaults
    """Sets the defaults of the release in a request body."""


Strategies = Mapping[str, Strategy]
"""Strategies by subresource; the key "" stands for the object itself."""


class StrategyFactory(Protocol):
    """A function that creates the strategies of a kind for one release."""

    def __call__(self, kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies: ...


def of_rules(
    own: Callable[[ReleaseRules], Strategy], status: Callable[[ReleaseRules], Strategy] | None = None
) -> StrategyFactory:
    """Returns a StrategyFactory for strategies that need only the rules of the release.

    `own`: the strategy of the object. `status`: the strategy of `/status`, if the kind has one.
    """

    def strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
        return {"": own(rules)} if status is None else {"": own(rules), "status": status(rules)}

    return strategies


class Write(msgspec.Struct, frozen=True):
    """A committed write of an object, for `Hooks.after`.

    `old` and `new`: the object before and after the write. `old` is None for a create, and `new` is None for
    a deletion.
    """

    target: ObjectReference
    old: Object | None
    new: Object | None


class Hooks(Protocol[ServerT_contra]):
    """Functions that the server calls before and after writes of a kind, for example to allocate cluster IPs.

    Follows BeginCreate, BeginUpdate and AfterDelete of k8s.io/apiserver `pkg/registry/generic/registry`. The
    server calls `begin_create` and `begin_update` before the strategy prepares and validates an object, but
    not for writes of subresources.
    """

    may_run_in_thread: bool
    """Whether a thread may call `begin_create` and `begin_update`, because they do not read server state."""

    pool: str
    """The storage key prefix of all objects that allocate from the same pool; "" if the kind has no pool."""

    def begin_create(self, obj: Object, *, dry_run: bool) -> Object:
        """Returns the object to create, possibly changed. Raises ApiError to reject the create."""
        ...

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Object:
        """Returns the updated object, possibly changed. Raises ApiError to reject the update.

        The result may share nested values with `old`.
        """
        ...

    async def after(self, server: ServerT_contra, write: Write) -> None:
        """Runs after the commit of a write, and before the server responds.

        Raises ApiError if a write of the hook fails.
        """
        ...


class AfterHooks:
    """Base class of Hooks that act only after a write. Subclasses define `after`."""

    may_run_in_thread = True
    pool = ""

    def begin_create(self, obj: Object, *, dry_run: bool) -> Object:
        return obj

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Object:
        return new


class SubresourceAction(Protocol[ServerT_contra, ResourceT_contra]):
    """A function that handles a POST without storing the posted object, for example to pods/binding."""

    async def __call__(
        self, request: WriteRequest[ServerT_contra, ResourceT_contra], body: Object
    ) -> WriteResult:
        """Performs the action and returns its response. Raises ApiError to reject the request.

        `body`: the decoded request body in canonical form, with defaults.
        """
        ...


class Connection(Protocol[ServerT_contra, ResourceT_contra]):
    """A function that handles all requests to a subresource such as pods/log.

    The subresource connects the client to a node or container.
    """

    async def __call__(
        self,
        server: ServerT_contra,
        resource: ResourceT_contra,
        target: ObjectReference,
        options: Mapping[str, str],
    ) -> Connected | ConnectedLog | None:
        """Checks a request, and returns the container to connect the client to.

        Returns None for a response without content. Raises ApiError to reject the request.

        `options`: the query parameters of the request.
        """
        ...


class KindDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one kind. Only `group`, `resource` and `strategies` are required.

    The default values of all other fields suit simple kinds.
    """

    group: str
    resource: str
    strategies: StrategyFactory

    also_in: frozenset[str] = frozenset()
    """Other API groups that serve the same stored objects under the same resource name, as for Events."""

    versions: frozenset[str] | None = None
    """The API versions that the definition applies to; None for all versions."""

    hub: str = INTERNAL
    """The name of the internal version in which objects are stored.

    API versions with the same hub have the same stored objects.
    """

    conversions: Mapping[str, Conversion] = msgspec.field(default_factory=dict)
    """The conversions of API versions that differ from the internal version, by version or apiVersion.

    Versions that are missing here equal the internal version.
    """

    conversions_of: Callable[[ReleaseRules], Mapping[str, Conversion]] | None = None
    """Returns the conversions for a release; None to use `conversions` for all releases."""

    name_validator: NameValidator = name_is_dns_subdomain
    """Returns the errors of an object's name; [] if the name is valid."""

    name_validator_of: Callable[[ReleaseRules], NameValidator] | None = None
    """Returns the name validator for a release; None to use `name_validator` for all releases."""

    field_labels: Callable[[Kind], FieldLabels] = name_and_namespace
    """Returns the fields that clients may use in field selectors."""

    field_labels_of: Callable[[Kind, Quirks], FieldLabels] | None = None
    """Returns the field labels for a release; None to use `field_labels` for all releases."""

    columns: Columns = no_columns
    """The table columns of a kind without `cells`."""

    cells: Cells | None = None
    """The cells for the columns in the release's data tables; None to use `columns`."""

    undefined_cells: Sequence[Cell] = ()
    """Further cells at the end of each table row. The table has no column definitions for these cells."""

    shows_age: bool = True
    """Whether tables of a kind without `cells` end with the column Age."""

    deletion: DeletionPolicy = delete_after_finalizers

    deletion_pins_uid: bool = False
    """Whether admission of a DELETE receives the uid of the object as a precondition."""

    deletion_warnings: Callable[[DeleteOptions], Sequence[str]] | None = None
    """Returns the texts of Warning headers for a DELETE; None for no warnings."""

    immortal: frozenset[str] = frozenset()
    """The names of objects that cannot be deleted."""

    actions: Mapping[str, SubresourceAction[Any, Any]] = msgspec.field(default_factory=dict)
    """The functions that handle a POST to a subresource, by the name of the subresource."""

    answer: SubresourceAction[Any, Any] | None = None
    """Handles a POST of an object that the server never stores, such as an access review; None for other
    kinds.
    """

    is_declared: bool = False
    """Whether the kind has had declarative validation since its first release.

    Kubernetes 1.36 enforces declarative validation only for such kinds.
    """

    hides_deleted: frozenset[str] = frozenset()
    """The versions in which the response to a DELETE is a Status instead of the deleted object."""

    declared_paths: Sequence[tuple[re.Pattern[str], str]] = ()
    """(pattern, replacement) pairs that convert field paths of declarative errors.

    The results are the field paths that handwritten validation uses for the same errors.
    """

    signs: Callable[[Object, User], Object] | None = None
    """Returns a new object with the user of the request added, for example a CertificateSigningRequest.

    None for kinds that do not record the user.
    """

    missing: Callable[[str, Quirks], ApiError] | None = None
    """Returns the error for an object that does not exist; None for the usual 404."""

    body_versions: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    """Further values of apiVersion that the request body of an action may contain, by subresource."""

    scale: ScaleProjection | None = None
    """The fields that the Scale of an object shows; None for kinds without the subresource scale."""

    hidden_annotations: frozenset[str] = frozenset()
    """Annotations that stand for fields of the internal type.

    Tables and PartialObjectMetadata omit these annotations.
    """

    connections: Mapping[str, Connection[Any, Any]] = msgspec.field(default_factory=dict)
    """The functions that handle all requests to subresources such as pods/log, by subresource."""

    row_conditions: Callable[[Object], Sequence[Object]] | None = None
    """Returns the conditions of an object's table row; may return []. None for no conditions."""

    hooks: Callable[[Kind, ReleaseRules, StrategyContext], Hooks[Any]] | None = None
    """Creates the functions that the server calls before and after writes; None for no such functions."""

    table_subresources: frozenset[str] = frozenset()
    """Subresources whose GET can return a table."""

    core_metadata: bool = True
    """Whether finalizers must contain a domain.

    In Kubernetes, the validation of these kinds calls ValidateObjectMeta of `pkg/apis/core/validation`. All
    other kinds call the function of apimachinery, or none.
    """

    def covers(self, kind: Kind) -> bool:
        """Whether the definition applies to a kind, including its version."""
        return (
            self.resource == kind.resource
            and (kind.group == self.group or kind.group in self.also_in)
            and (self.versions is None or kind.version in self.versions)
        )

    def shows_deleted(self, version: str) -> bool:
        """Whether a DELETE in this version returns the deleted object instead of a Status."""
        if version in self.hides_deleted:
            return False
        return self.group == "resource.k8s.io" or (self.group, self.resource) in _SHOWN_WHEN_DELETED

    @property
    def prefix(self) -> str:
        """The prefix of the storage keys of the kind's objects, without an API version."""
        hub = "" if self.hub == INTERNAL else f"{self.hub}/"
        return f"/{self.group or 'core'}/{hub}{self.resource}/"

    @property
    def hub_api_version(self) -> str:
        """The apiVersion of stored objects."""
        return f"{self.group}/{self.hub}" if self.group else self.hub


FindDefinition = Callable[[Kind], KindDefinition]
"""A function that returns the KindDefinition of a kind."""
