"""The compiled JSON tables of the releases. Each file is read on first use.

`data/<release>/index.json` lists what a release serves: group versions, kinds, verbs and names. The types of
a Go package are in their own file, such as `core__v1.json` for `core/v1`. Types that several groups use are
therefore stored once, and a server only reads the packages that its kinds need. All servers of a process
share the tables, and must not change them.
"""

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from fakeapi.releases.meta_types import META_TYPES

DATA = Path(__file__).parent / "data"
"""The folder of the compiled tables."""
_NO_PACKAGES = frozenset({"index", "columns", "defaults", "bootstrap"})

TypeEntry: TypeAlias = str | dict[str, Any]
"""The entry of a Go type in a table.

- a text such as `"string"`: the underlying type of a type that is only a new name
- `{"type": …}`: the underlying type, and more data
- `{"fields": […]}`: a struct
"""


class GroupVersionTable(msgspec.Struct, frozen=True):
    """A group version of a release.

    - `group`: "" for the core group
    - `package`: the Go package of its types
    - `default`: whether the group version is enabled by default
    - `default_resources`: resources that are enabled by default although the version is not
    """

    group: str
    version: str
    package: str
    default: bool
    kinds: msgspec.Raw
    default_resources: tuple[str, ...] = ()

    def kind_entries(self) -> list[dict[str, Any]]:
        """Returns the kinds as the index file of the release stores them: one dict per kind.

        The dicts are in the order of the resources in discovery.
        """
        entries: list[dict[str, Any]] = msgspec.json.decode(self.kinds)
        return entries


class Index(msgspec.Struct, frozen=True):
    """The index of a release. `group_versions` is in the order of discovery."""

    release: str
    version: str
    built: str
    go: str
    group_versions: tuple[GroupVersionTable, ...]
    registered: msgspec.Raw


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of `kubectl get` output.

    - `type`, `format`: as in OpenAPI
    - `priority`: kubectl prints columns with priority 0 always, other columns only with `-o wide`
    """

    name: str
    type: str
    format: str
    priority: int


class Defaults(msgspec.Struct, frozen=True):
    """The defaulting rules of a release, by type such as `core/v1.PodSpec`.

    tools/defaults.py documents the rules. Default markers of fields are not included.

    - `rules`: the rules of each type
    - `more`: upstream functions that the rules cover only in part or not at all
    """

    rules: dict[str, tuple[dict[str, Any], ...]]
    more: dict[str, tuple[str, ...]]


class Declared(msgspec.Struct, frozen=True):
    """The declarative validation rules that Kubernetes generates from the markers of a package's types.

    - `kinds`: by kind, the subresources that the rules validate; "" is the object itself
    - `types`: the steps of each type's rules, which tools/declared.py documents
    """

    kinds: dict[str, tuple[str, ...]]
    types: dict[str, msgspec.Raw]


NOTHING_DECLARED = Declared({}, {})


class _Package(msgspec.Struct, frozen=True):
    types: dict[str, msgspec.Raw]


class ReleaseTables(Mapping[str, TypeEntry]):
    """The tables of one release; also a mapping of its types by name, such as `core/v1.Pod`."""

    def __init__(self, release: str) -> None:
        """Reads the index of the release; raises FileNotFoundError for a release without tables."""
        self.release = release
        self._packages: dict[str, dict[str, msgspec.Raw]] = {}
        self._renamed: dict[str, str] = {}
        self._declared: dict[str, Declared] = {}
        self.index = msgspec.json.decode(_text(release, "index"), type=Index)

    @cached_property
    def registered(self) -> Mapping[str, tuple[str, ...]]:
        """Maps apiVersions to the kinds in the scheme of the release's API server.

        Kinds that the server does not serve are included.
        """
        return msgspec.json.decode(self.index.registered, type=dict[str, tuple[str, ...]])

    @cached_property
    def columns(self) -> Mapping[str, tuple[Column, ...]]:
        """The table columns of built-in kinds, by `GROUP/KIND`, or `KIND` in the core group.

        Kinds without an entry have the columns that every kind can have.
        """
        return msgspec.json.decode(_text(self.release, "columns"), type=dict[str, tuple[Column, ...]])

    @cached_property
    def column_descriptions(self) -> Mapping[str, Mapping[str, str]]:
        """The descriptions of table columns of built-in kinds, by `GROUP/KIND` and column.

        Columns for names and ages with the usual description are omitted.
        """
        minor = int(self.release.partition(".")[2])
        return {
            kind: {
                name: text for name, history in texts.items() if (text := _newest(history, minor)) is not None
            }
            for kind, texts in _column_descriptions().items()
        }

    @cached_property
    def defaults(self) -> Defaults:
        """The defaulting rules of the release."""
        return msgspec.json.decode(_text(self.release, "defaults"), type=Defaults)

    def declared(self, package: str) -> Declared:
        """Returns the declarative validation rules of a Go package such as `core/v1`.

        Returns NOTHING_DECLARED for a package without rules.
        """
        declared = self._declared.get(package)
        if declared is None:
            try:
                text = _text(self.release, f"declared/{package.replace('/', '__')}")
                declared = msgspec.json.decode(text, type=Declared)
            except FileNotFoundError:
                declared = NOTHING_DECLARED
            self._declared[package] = declared
        return declared

    def bootstrap(self, resource: str) -> Mapping[str, Any]:
        """Returns the objects of a resource that the release's server creates when it starts.

        The keys are `NAME` or `NAMESPACE/NAME`. The values are the objects without name, kind and apiVersion.
        APIServices have only the priorities of group and version. Raises KeyError for a resource without such
        objects.
        """
        parts = msgspec.json.decode(_text(self.release, "bootstrap"), type=dict[str, msgspec.Raw])
        return msgspec.json.decode(parts[resource], type=dict[str, Any])

    def __getitem__(self, name: str) -> TypeEntry:
        """Returns the entry of a type. Raises KeyError for a type that the tables do not contain."""
        if name in self._renamed:
            return self._renamed[name]
        if name in META_TYPES:
            return META_TYPES[name]
        package, _, short = name.rpartition(".")
        try:
            raw = self._types(package)[short]
        except (FileNotFoundError, KeyError):
            raise KeyError(name) from None
        entry: TypeEntry = msgspec.json.decode(raw)
        if isinstance(entry, str):
            self._renamed[name] = entry  # The text is short, and many fields have the type.
        return entry

    def __iter__(self) -> Iterator[str]:
        """Yields the names of all types. Reads the file of every package."""
        for path in sorted((DATA / self.release).iterdir()):
            name = path.name.removesuffix(".json")
            if name != path.name and name not in _NO_PACKAGES:
                package = name.replace("__", "/")
                yield from (f"{package}.{short}" for short in self._types(package))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _types(self, package: str) -> dict[str, msgspec.Raw]:
        types = self._packages.get(package)
        if types is None:
            text = _text(self.release, package.replace("/", "__"))
            types = self._packages[package] = msgspec.json.decode(text, type=_Package).types
        return types


@cache
def tables_of(release: str) -> ReleaseTables:
    """Returns the tables of a release such as "1.31".

    Raises FileNotFoundError for a release without tables.
    """
    return ReleaseTables(release)


def _text(release: str, name: str) -> bytes:
    return (DATA / release / f"{name}.json").read_bytes()


def _newest(history: list[tuple[int, str | None]], minor: int) -> str | None:
    return next((text for since, text in reversed(history) if since <= minor), None)


@cache
def _column_descriptions() -> dict[str, dict[str, list[tuple[int, str | None]]]]:
    path = DATA / "column_descriptions.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, list[tuple[int, str | None]]]])
