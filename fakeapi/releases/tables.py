"""The compiled tables of the releases, each file read when it is first asked for.

`data/<release>/index.json` says what a release serves: group versions, kinds, verbs, names. The types of a
Go package are in a file of its name, `core__v1.json` for `core/v1`, so that what several groups use is there
once and a server reads the packages that its kinds lead to. Tables are shared by all servers of a process,
and are not to be changed.
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
"""`"string"` for a type that only has another name; `{"type": …}` where there is more to say of it;
`{"fields": […]}` for a struct."""


class GroupVersionTable(msgspec.Struct, frozen=True):
    """One group version of a release. `group` is "" for the core group, `package` holds its types.

    `default`: it is on without being asked for; `default_resources` are those of its resources that are on
    although it is off.
    """

    group: str
    version: str
    package: str
    default: bool
    kinds: msgspec.Raw
    default_resources: tuple[str, ...] = ()

    def kind_entries(self) -> list[dict[str, Any]]:
        """What the table says of each kind, by resource."""
        found: list[dict[str, Any]] = msgspec.json.decode(self.kinds)
        return found


class Index(msgspec.Struct, frozen=True):
    """A release's index. `group_versions` are in the order in which its discovery lists them."""

    release: str
    version: str
    built: str
    go: str
    group_versions: tuple[GroupVersionTable, ...]
    registered: msgspec.Raw


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of a Table: `type` and `format` as OpenAPI has them; kubectl shows `priority` 0 unless asked
    for more.
    """

    name: str
    type: str
    format: str
    priority: int


class Defaults(msgspec.Struct, frozen=True):
    """The defaults that a release sets beside those of its fields' own markers, by type: `core/v1.PodSpec`.

    What a rule says is written in tools/defaults.py. `more` names the functions of which the rules are a part
    only, or nothing.
    """

    rules: dict[str, tuple[dict[str, Any], ...]]
    more: dict[str, tuple[str, ...]]


class Declared(msgspec.Struct, frozen=True):
    """The rules that Kubernetes generates of the markers of a package's types.

    `kinds`: the subresources at which objects of a kind are validated, "" being the object itself. `types`:
    the steps of each type's rules; what they say is written in tools/declared.py.
    """

    kinds: dict[str, tuple[str, ...]]
    types: dict[str, msgspec.Raw]


NOTHING_DECLARED = Declared({}, {})


class _Package(msgspec.Struct, frozen=True):
    types: dict[str, msgspec.Raw]


class ReleaseTables(Mapping[str, TypeEntry]):
    """The tables of one release. As a mapping: its types by name, `core/v1.Pod`."""

    def __init__(self, release: str) -> None:
        """Raises FileNotFoundError for a release that has none."""
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
        """The columns of the server's own Tables by `group/Kind`, of the core group by `Kind`; kinds without
        an entry have the columns that every kind can have.
        """
        return msgspec.json.decode(_text(self.release, "columns"), type=dict[str, tuple[Column, ...]])

    @cached_property
    def column_descriptions(self) -> Mapping[str, Mapping[str, str]]:
        """What the server says of its own columns, by `group/Kind` and column; names and ages that say the
        usual are left out.
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
        """The rules by which the release fills in fields."""
        return msgspec.json.decode(_text(self.release, "defaults"), type=Defaults)

    def declared(self, package: str) -> Declared:
        """The declared rules of a package, `core/v1`; none for one that has none."""
        found = self._declared.get(package)
        if found is None:
            try:
                text = _text(self.release, f"declared/{package.replace('/', '__')}")
                found = msgspec.json.decode(text, type=Declared)
            except FileNotFoundError:
                found = NOTHING_DECLARED
            self._declared[package] = found
        return found

    def bootstrap(self, resource: str) -> Mapping[str, Any]:
        """The objects of a resource that the release's server makes by itself, by name, namespaced ones by
        `namespace/name`, without their names and types; of APIServices the priorities of group and version.

        Not kept, since it is asked for once. Raises KeyError for a resource that has none.
        """
        parts = msgspec.json.decode(_text(self.release, "bootstrap"), type=dict[str, msgspec.Raw])
        return msgspec.json.decode(parts[resource], type=dict[str, Any])

    def __getitem__(self, name: str) -> TypeEntry:
        """Raises KeyError for a type that the release's kinds do not lead to."""
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
            self._renamed[name] = entry  # short, and asked for by many fields
        return entry

    def __iter__(self) -> Iterator[str]:
        """Every type, which reads every package."""
        for path in sorted(
            resources.files(DATA).joinpath(self.release).iterdir(), key=lambda each: each.name
        ):
            name = path.name.removesuffix(".json")
            if name != path.name and name not in _NO_PACKAGES:
                package = name.replace("__", "/")
                yield from (f"{package}.{short}" for short in self._types(package))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _types(self, package: str) -> dict[str, msgspec.Raw]:
        found = self._packages.get(package)
        if found is None:
            text = _text(self.release, package.replace("/", "__"))
            found = self._packages[package] = msgspec.json.decode(text, type=_Package).types
        return found


@cache
def tables_of(release: str) -> ReleaseTables:
    """The tables of a release, "1.31". Raises FileNotFoundError for a release that has none."""
    return ReleaseTables(release)


def _text(release: str, name: str) -> bytes:
    return resources.files(DATA).joinpath(release, f"{name}.json").read_bytes()


def _newest(history: list[tuple[int, str | None]], minor: int) -> str | None:
    return next((text for since, text in reversed(history) if since <= minor), None)


@cache
def _column_descriptions() -> dict[str, dict[str, list[tuple[int, str | None]]]]:
    path = resources.files(DATA).joinpath("column_descriptions.json")
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, list[tuple[int, str | None]]]])
