"""The kinds of a release: their discovery data, and the types of their objects."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases.schemas import Schemas
from fakeapi.releases.tables import GroupVersionTable

UNVERSIONED_KINDS = frozenset(("Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"))
"""Kinds that exist in every apiVersion, including unknown apiVersions."""

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
"""Kinds that k8s.io/apimachinery `pkg/apis/meta/v1` adds to every group version of a release."""


class Lifecycle(msgspec.Struct, frozen=True):
    """The releases that deprecate and remove an API.

    - `deprecated`, `removed`: such as "1.34"; "" if Kubernetes does not state the release
    - `replacement`: the API to use instead, as `GROUP/VERSION KIND`
    - `release`: the release from whose source the other fields come; up to 1.31, the source states no
      releases for resource.k8s.io
    """

    deprecated: str = ""
    removed: str = ""
    replacement: str = ""
    release: str = ""

    def warning(self, api_version: str, kind: str) -> str:
        """Returns the text of the Warning header for the kind; "" if the kind is not deprecated in `release`.

        Follows k8s.io/apiserver `pkg/endpoints/deprecation`.
        """
        if not self.deprecated or _minor(self.release) < _minor(self.deprecated):
            return ""
        text = f"{api_version} {kind} is deprecated in v{self.deprecated}+"
        if self.removed:
            text += f", unavailable in v{self.removed}+"
        return f"{text}; use {self.replacement}" if self.replacement else text


class Subresource(msgspec.Struct, frozen=True):
    """A subresource of a kind, such as pods/eviction.

    - `name`: the path segment after the object's name
    - `kind`: the kind of requests and responses
    - `verbs`: the verbs as in discovery, sorted
    - `group`, `version`: the group version of `kind`, which may differ from the group version of the resource
    """

    name: str
    kind: str
    verbs: tuple[str, ...]
    group: str
    version: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of a group version in a release.

    - `group`: "" for the core group
    - `list_kind`, `list_type_name`: "" for a kind without lists
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
        """Whether the kind comes from a CustomResourceDefinition, so that its objects have no Go type."""
        return False

    @property
    def plain(self) -> "Kind":
        """The kind as an instance of the class Kind itself. Subclasses convert themselves to Kind."""
        return self

    @property
    def shown_verbs(self) -> tuple[str, ...]:
        """The verbs that discovery lists."""
        return self.verbs

    @property
    def apply_schema(self) -> Struct:
        """The schema that server-side apply uses."""
        return self.schema

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def schema(self) -> Struct:
        """The schema of the kind's objects; always the same Struct instance."""
        return self.schemas.struct(self.type_name)

    def subresource(self, name: str) -> Subresource | None:
        return next((subresource for subresource in self.subresources if subresource.name == name), None)


def kinds_of(table: GroupVersionTable, schemas: Schemas, release: str) -> tuple[Kind, ...]:
    """Returns the kinds of a group version of a release, in the order of their resources."""
    return tuple(_kind(entry, table, schemas, release) for entry in table.kind_entries())


def _minor(release: str) -> int:
    """Returns the minor number of a release: 33 for "1.33"."""
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
                subresource["kind"],
                tuple(subresource["verbs"]),
                subresource.get("group", table.group),
                subresource.get("version", table.version),
            )
            for name, subresource in entry.get("subresources", {}).items()
        ),
        storage_version_hash=entry.get("storage_version_hash", ""),
        lifecycle=Lifecycle(
            deprecated=entry.get("deprecated", ""),
            removed=entry.get("removed", ""),
            replacement=entry.get("replacement", ""),
            release=release,
        ),
        type_name=entry["type"],
        list_type_name=list_type,
        schemas=schemas,
    )
