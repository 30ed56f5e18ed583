"""The kinds that a release knows: what discovery says of each, and the type of its objects."""

from dataclasses import dataclass, field
from typing import Any

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases.schemas import Schemas
from fakeapi.releases.tables import GroupVersionTable

UNVERSIONED_KINDS = frozenset(("Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"))
"""Kinds that every apiVersion has, even one that no release has."""

COMMON_KINDS = frozenset(
    (
        "WatchEvent",
        "ListOptions",
        "GetOptions",
        "DeleteOptions",
        "CreateOptions",
        "UpdateOptions",
        "PatchOptions",
    )
)
"""Kinds that k8s.io/apimachinery `pkg/apis/meta/v1` adds to every group version that a release has."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """When an API comes and goes, as its release states: "1.34", or "" where it does not say.

    `replacement` is `group/version Kind`. Releases up to 1.31 state nothing of resource.k8s.io. `release` is
    the release that states it.
    """

    introduced: str = ""
    deprecated: str = ""
    removed: str = ""
    replacement: str = ""
    release: str = ""

    def warning(self, api_version: str, kind: str) -> str:
        """The text of the Warning header on answers about the kind; "" before the release that deprecates it.

        Follows k8s.io/apiserver `pkg/endpoints/deprecation`.
        """
        if not self.deprecated or _minor(self.release) < _minor(self.deprecated):
            return ""
        text = f"{api_version} {kind} is deprecated in v{self.deprecated}+"
        if self.removed:
            text += f", unavailable in v{self.removed}+"
        return f"{text}; use {self.replacement}" if self.replacement else text


@dataclass(frozen=True, slots=True)
class Subresource:
    """`name` is what follows the object's name in a path; `verbs` are sorted, as discovery has them.

    `kind` is what it takes and answers; its group version may be another one than the resource's:
    pods/eviction takes an Eviction of policy/v1.
    """

    name: str
    kind: str
    verbs: tuple[str, ...]
    group: str
    version: str


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of one group version, as one release has it. `group` is "" for the core group.

    `list_kind` and `list_type_name` are "" for a kind that has no list.
    """

    group: str
    version: str
    kind: str
    list_kind: str
    resource: str
    singular: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    namespaced: bool
    verbs: tuple[str, ...]
    subresources: tuple[Subresource, ...]
    storage_version_hash: str
    lifecycle: Lifecycle
    type_name: str = field(repr=False)
    list_type_name: str = field(repr=False)
    schemas: Schemas = field(repr=False, compare=False)

    @property
    def unstructured(self) -> bool:
        """Whether objects have no Go type: those of a CustomResourceDefinition, which may name any kind."""
        return False

    @property
    def plain(self) -> "Kind":
        """The kind as a value of this class, to make others of."""
        return self

    @property
    def shown_verbs(self) -> tuple[str, ...]:
        """The verbs that discovery lists."""
        return self.verbs

    @property
    def apply_schema(self) -> Struct:
        """The type that server-side apply follows."""
        return self.schema

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def schema(self) -> Struct:
        """The type of the kind's objects; the same Struct every time."""
        return self.schemas.struct(self.type_name)

    @property
    def list_schema(self) -> Struct:
        return self.schemas.struct(self.list_type_name)

    def subresource(self, name: str) -> Subresource | None:
        return next((each for each in self.subresources if each.name == name), None)


def kinds_of(table: GroupVersionTable, schemas: Schemas, release: str) -> tuple[Kind, ...]:
    """The kinds of a group version of a release, by resource."""
    return tuple(_kind(entry, table, schemas, release) for entry in table.kind_entries())


def _minor(release: str) -> int:
    """33 for "1.33"."""
    return int(release.partition(".")[2])


def _kind(entry: dict[str, Any], table: GroupVersionTable, schemas: Schemas, release: str) -> Kind:
    list_type: str = entry.get("list_type", "")
    return Kind(
        group=table.group,
        version=table.version,
        kind=entry["kind"],
        list_kind=list_type.rpartition(".")[2],
        resource=entry["resource"],
        singular=entry.get("singular", ""),
        short_names=tuple(entry.get("short_names", ())),
        categories=tuple(entry.get("categories", ())),
        namespaced=entry["namespaced"],
        verbs=tuple(entry["verbs"]),
        subresources=tuple(
            Subresource(
                name,
                each["kind"],
                tuple(each["verbs"]),
                each.get("group", table.group),
                each.get("version", table.version),
            )
            for name, each in entry.get("subresources", {}).items()
        ),
        storage_version_hash=entry.get("storage_version_hash", ""),
        lifecycle=Lifecycle(
            introduced=entry.get("introduced", ""),
            deprecated=entry.get("deprecated", ""),
            removed=entry.get("removed", ""),
            replacement=entry.get("replacement", ""),
            release=release,
        ),
        type_name=entry["type"],
        list_type_name=list_type,
        schemas=schemas,
    )
