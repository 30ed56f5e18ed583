"""A Kubernetes release as a value: kinds, types, gates, limits and quirks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases import gates as feature_gates
from fakeapi.releases import meta_types, offered
from fakeapi.releases.gates import Gates
from fakeapi.releases.health import checks_of
from fakeapi.releases.kinds import COMMON_KINDS, UNVERSIONED_KINDS, Kind, Subresource, kinds_of
from fakeapi.releases.limits import Limits, limits_of
from fakeapi.releases.quirks import Quirks, quirks_of
from fakeapi.releases.schemas import Schemas
from fakeapi.releases.tables import GroupVersionTable, ReleaseTables, tables_of
from fakeapi.releases.version_order import version_rank

KNOWN_RELEASES = offered.RELEASES

COMPILED_RELEASES = (*(f"1.{minor}" for minor in range(27, 38)),)
"""Every release that has tables, oldest first."""

_COMMITS = {
    "1.27": "cbb86e0d7f4a049666fac0551e8b02ef3d6c3d9a",
    "1.28": "841856557ef0f6a399096c42635d114d6f2cf7f4",
    "1.29": "0d0f172cdf9fd42d6feee3467374b58d3e168df0",
    "1.34": "26c89157669bdc7e3657302bc1abde758507095b",
}
"""Commits of the releases' tags, as far as the module proxy states them."""

_STATES_COMPATIBILITY = 33
"""First minor release whose /version states the emulated and the oldest compatible release."""


class UnknownReleaseError(ValueError):
    """A release that has no tables or is not offered; the message lists the known releases."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown Kubernetes release {name!r}; known are: {', '.join(KNOWN_RELEASES)}")


class ReleaseKinds:
    """The kinds and types of one release, made from its tables on first use.

    All servers of a process share it, so that each schema is compiled only once.
    """

    def __init__(self, tables: ReleaseTables) -> None:
        self.tables = tables
        quirks = quirks_of(int(tables.release[2:]))
        self.schemas = Schemas(tables, keys_may_be_absent=quirks.list_keys_may_be_absent)
        self._versions = {(table.group, table.version): table for table in tables.index.group_versions}
        self._kinds: dict[tuple[str, str], tuple[Kind, ...]] = {}

    @property
    def group_versions(self) -> tuple[GroupVersionTable, ...]:
        """Every group version of the release, in the order of its discovery."""
        return self.tables.index.group_versions

    def of_version(self, group: str, version: str) -> tuple[Kind, ...]:
        """The kinds of a group version, in the order of their resources; empty if the release does not have
        it.
        """
        kinds = self._kinds.get((group, version))
        if kinds is None:
            table = self._versions.get((group, version))
            kinds = kinds_of(table, self.schemas, self.tables.release) if table else ()
            self._kinds[group, version] = kinds
        return kinds

    def type_of(self, api_version: str, kind: str) -> Struct | None:
        """The type of a kind, list, Status or discovery document; None if no table has it."""
        group, _, version = api_version.rpartition("/")
        package = meta_types.DISCOVERY_PACKAGE if group == meta_types.DISCOVERY_GROUP else ""
        table = self._versions.get((group, version))
        for package_name in (
            package,
            table.package if table else "",
            meta_types.PACKAGES.get(api_version or "v1", ""),
        ):
            if package_name:
                try:
                    return self.schemas.struct(f"{package_name}.{kind}")
                except KeyError:
                    continue
        return None

    def kind_of_subresource(self, kind: Kind, subresource: Subresource) -> Kind:
        """The kind of a subresource's requests and responses, such as Scale of autoscaling/v1."""
        table = self._versions[subresource.group, subresource.version]
        return replace(
            kind,
            group=subresource.group,
            version=subresource.version,
            kind=subresource.kind,
            subresources=(),
            type_name=f"{table.package}.{subresource.kind}",
        )

    def of_groups(self, groups: Iterable[str]) -> tuple[Kind, ...]:
        """The kinds of several groups: group by group, in each the oldest version first, then by resource."""
        return tuple(
            kind
            for group in groups
            for version in self._ascending(group)
            for kind in self.of_version(group, version)
        )

    def _ascending(self, group: str) -> list[str]:
        return sorted(
            (version for candidate, version in self._versions if candidate == group), key=version_rank
        )

    @cached_property
    def offered(self) -> tuple[Kind, ...]:
        """The kinds that a server can serve (see `fakeapi.releases.offered`)."""
        return self.of_groups(offered.GROUPS)


@dataclass(frozen=True, slots=True)
class Release:
    """A release with its feature gates. `name`: the minor release, "1.31". `version`: the patch release,
    "v1.31.14".

    `all_kinds`: all kinds in its tables. `kinds`: the kinds that a server can serve.
    """

    name: str
    version: str
    built: str
    go_version: str
    gates: Gates
    limits: Limits = field(repr=False)
    quirks: Quirks = field(repr=False)
    all_kinds: ReleaseKinds = field(repr=False, compare=False)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The offered kinds: the core group first, in a group the oldest version first, then by resource."""
        return self.all_kinds.offered

    @property
    def schemas(self) -> Schemas:
        return self.all_kinds.schemas

    @property
    def minor(self) -> int:
        return int(self.name.partition(".")[2])

    def kind(self, group: str, version: str, resource: str) -> Kind:
        """The kind of a resource. Raises KeyError if the release does not have it."""
        for kind in self.all_kinds.of_version(group, version):
            if kind.resource == resource:
                return kind
        raise KeyError(f"{group}/{version} {resource}")

    def knows(self, api_version: str, kind: str) -> bool:
        """Whether the scheme of the release's API server has a kind, served or not."""
        if kind in UNVERSIONED_KINDS:
            return True
        registered = self.all_kinds.tables.registered.get(api_version)
        return registered is not None and (kind in registered or kind in COMMON_KINDS)

    def version_info(self) -> dict[str, str]:
        """The body of GET /version; gitCommit is empty if it was not published with the modules."""
        major, _, minor = self.name.partition(".")
        info = {"major": major, "minor": minor}
        if self.minor >= _STATES_COMPATIBILITY:
            info |= {
                "emulationMajor": major,
                "emulationMinor": minor,
                "minCompatibilityMajor": major,
                "minCompatibilityMinor": str(self.minor - 1),
            }
        return info | {
            "gitVersion": self.version,
            "gitCommit": _COMMITS.get(self.name, ""),
            "gitTreeState": "clean",
            "buildDate": self.built,
            "goVersion": self.go_version,
            "compiler": "gc",
            "platform": "linux/amd64",
        }

    def health_checks(self, endpoint: str) -> tuple[str, ...]:
        """The checks behind `healthz`, `livez` or `readyz`, in order."""
        return checks_of(self.minor, endpoint)


def known_name(name: str) -> str:
    """Returns the minor release that `1.31`, `v1.31` or `1.31.14` names.

    A patch release must be the one that the tables were made from. Raises UnknownReleaseError.
    """
    text = str(name).strip().removeprefix("v")  # YAML reads an unquoted 1.30 as the number 1.3
    for known in COMPILED_RELEASES:
        if text == known or f"v{text}" == tables_of(known).index.version:
            return known
    raise UnknownReleaseError(name)


def load_release(name: str, gates: Mapping[str, bool] | str = "") -> Release:
    """Loads a release with the user's gates: a mapping, or the text of `--feature-gates`.

    Raises UnknownReleaseError, UnknownGateError for a gate that the release does not have, and GateError.
    """
    minor = known_name(name)
    chosen = feature_gates.parse(gates) if isinstance(gates, str) else gates
    feature_gates.check(chosen, [int(minor[2:])])
    return release_with(minor, chosen)


def release_with(name: str, chosen: Mapping[str, bool]) -> Release:
    """Loads a release of COMPILED_RELEASES, ignoring gates that it does not have."""
    all_kinds = kinds_of_release(name)
    index, minor = all_kinds.tables.index, int(name[2:])
    return Release(
        name=name,
        version=index.version,
        built=index.built,
        go_version=index.go,
        gates=feature_gates.resolve(chosen, minor),
        limits=limits_of(minor),
        quirks=quirks_of(minor),
        all_kinds=all_kinds,
    )


@cache
def kinds_of_release(name: str) -> ReleaseKinds:
    """The kinds of a release, "1.31", shared by all servers of the process."""
    return ReleaseKinds(tables_of(name))
