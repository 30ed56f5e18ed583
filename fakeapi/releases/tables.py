"""The compiled tables of the releases; each file is read on first use.

`data/<release>/index.json` lists what a release serves: group versions, kinds, verbs, names. The types of a
Go package are in a file of its name, `core__v1.json` for `core/v1`. So types that several groups use are
stored once, and a server reads only the packages that its kinds need. All servers of a process share the
tables, and must not change them.
"""

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import resources
from typing import Any, TypeAlias

import msgspec

from fakeapi.releases.meta_types import META_TYPES

DATA = "fakeapi.releases.data"
_NO_PACKAGES = frozenset({"index", "columns", "defaults", "bootstrap"})

TypeEntry: TypeAlias = str | dict[str, Any]
"""A type in a table: the underlying type such as `"string"`, for a type that only has another name; `{"type":
…}` if there is more data; `{"fields": […]}` for a struct.
"""


class GroupVersionTable(msgspec.Struct, frozen=True):
    """A group version of a release. `group` is "" for the core group. `package`: the Go package of its types.

    `default`: it is on by default. `default_resources`: resources that are on by default although the version
    is off.
    """

    group: str
    version: str
    package: str
    default: bool
    kinds: msgspec.Raw
    default_resources: tuple[str, ...] = ()

    def kind_entries(self) -> list[dict[str, Any]]:
        """The table's entries of kinds, in the order of their resources."""
        entries: list[dict[str, Any]] = msgspec.json.decode(self.kinds)
        return entries


class Index(msgspec.Struct, frozen=True):
    """A release's index. `group_versions` are in the order in which its discovery lists them."""

    release: str
    version: str
    built: str
    go: str
    group_versions: tuple[GroupVersionTable, ...]
    registered: msgspec.Raw


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of a Table. `type`, `format`: as in OpenAPI. `priority`: kubectl shows 0 always, others with
    `-o wide`.
    """

    name: str
    type: str
    format: str
    priority: int


class Defaults(msgspec.Struct, frozen=True):
    """Defaulting rules of a release by type, such as `core/v1.PodSpec`, in addition to default markers of
    fields.

    tools/defaults.py describes the rules. `more`: upstream functions that the rules cover only in part or not
    at all.
    """

    rules: dict[str, tuple[dict[str, Any], ...]]
    more: dict[str, tuple[str, ...]]


class Declared(msgspec.Struct, frozen=True):
    """The declarative validation rules that Kubernetes generates from the markers of a package's types.

    `kinds`: the subresources at which objects of a kind are validated; "" is the object itself. `types`: the
    steps of each type's rules, which tools/declared.py describes.
    """

    kinds: dict[str, tuple[str, ...]]
    types: dict[str, msgspec.Raw]


NOTHING_DECLARED = Declared({}, {})


class _Package(msgspec.Struct, frozen=True):
    types: dict[str, msgspec.Raw]


class ReleaseTables(Mapping[str, TypeEntry]):
    """The tables of one release; also a mapping of its types by name, such as `core/v1.Pod`."""

    def __init__(self, release: str) -> None:
        """Reads the index. Raises FileNotFoundError for a release without tables."""
        self.release = release
        self._packages: dict[str, dict[str, msgspec.Raw]] = {}
        self._renamed: dict[str, str] = {}
        self._declared: dict[str, Declared] = {}
        self.index = msgspec.json.decode(_text(release, "index"), type=Index)

    @cached_property
    def registered(self) -> Mapping[str, tuple[str, ...]]:
        """The kinds in the scheme of the release's API server, served or not, by apiVersion."""
        return msgspec.json.decode(self.index.registered, type=dict[str, tuple[str, ...]])

    @cached_property
    def columns(self) -> Mapping[str, tuple[Column, ...]]:
        """Columns of the Tables of built-in kinds, by `group/Kind`, or `Kind` in the core group.

        Kinds without an entry have the columns that every kind can have.
        """
        return msgspec.json.decode(_text(self.release, "columns"), type=dict[str, tuple[Column, ...]])

    @cached_property
    def column_descriptions(self) -> Mapping[str, Mapping[str, str]]:
        """Descriptions of the columns of built-in kinds, by `group/Kind` and column.

        Names and ages with the usual description are omitted.
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
        """The declarative validation rules of a package such as `core/v1`; empty if the package has none."""
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
        """Objects of a resource that the release's server creates at its start, by name or `namespace/name`.

        The objects lack their names and types. APIServices have only the priorities of group and version. The
        result is not cached, because it is needed once. Raises KeyError for a resource without such objects.
        """
        parts = msgspec.json.decode(_text(self.release, "bootstrap"), type=dict[str, msgspec.Raw])
        return msgspec.json.decode(parts[resource], type=dict[str, Any])

    def __getitem__(self, name: str) -> TypeEntry:
        """The entry of a type. Raises KeyError for a type that no kind of the release uses."""
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
            self._renamed[name] = entry  # short, and many fields have this type
        return entry

    def __iter__(self) -> Iterator[str]:
        """Yields the name of every type, which reads every package."""
        for path in sorted(
            resources.files(DATA).joinpath(self.release).iterdir(), key=lambda file: file.name
        ):
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
    """The tables of a release such as "1.31". Raises FileNotFoundError for a release without tables."""
    return ReleaseTables(release)


def _text(release: str, name: str) -> bytes:
    return resources.files(DATA).joinpath(release, f"{name}.json").read_bytes()


def _newest(history: list[tuple[int, str | None]], minor: int) -> str | None:
    return next((text for since, text in reversed(history) if since <= minor), None)


@cache
def _column_descriptions() -> dict[str, dict[str, list[tuple[int, str | None]]]]:
    path = resources.files(DATA).joinpath("column_descriptions.json")
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, list[tuple[int, str | None]]]])
