"""A Kubernetes release: its kinds, types, feature gates, limits of objects, and quirks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from fakeapi.machinery.base_error import FakeAPIError
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
"""All releases with compiled tables, oldest first."""

_COMMITS = {
    "1.27": "cbb86e0d7f4a049666fac0551e8b02ef3d6c3d9a",
    "1.28": "841856557ef0f6a399096c42635d114d6f2cf7f4",
    "1.29": "0d0f172cdf9fd42d6feee3467374b58d3e168df0",
    "1.34": "26c89157669bdc7e3657302bc1abde758507095b",
}
"""Git commits of the releases' tags. Only for releases whose commit the Go module proxy states."""

_STATES_COMPATIBILITY = 33
"""First minor release whose /version contains the emulated release and the oldest compatible release."""


class UnknownReleaseError(FakeAPIError, ValueError):
    """Raised for a release without tables, or a release that fakeapi does not serve.

    The message lists the known releases.
    """

    def __init__(self, name: str) -> None:
        minor = ".".join(str(name).strip().removeprefix("v").split(".")[:2])
        hint = f"; write {minor}" if minor in KNOWN_RELEASES else ""
        super().__init__(f"unknown Kubernetes release {name!r}{hint}; known are: {', '.join(KNOWN_RELEASES)}")


class ReleaseKinds:
    """The kinds and types of one release, created from its tables on first use.

    All servers of a process share one instance, so that each schema is compiled only once.
    """

    def __init__(self, tables: ReleaseTables) -> None:
        self.tables = tables
        quirks = quirks_of(int(tables.release[2:]))
        self.schemas = Schemas(tables, keys_may_be_absent=quirks.list_keys_may_be_absent)
        self._versions = {(table.group, table.version): table for table in tables.index.group_versions}
        self._kinds: dict[tuple[str, str], tuple[Kind, ...]] = {}

    @property
    def group_versions(self) -> tuple[GroupVersionTable, ...]:
        """All group versions of the release, in the order of discovery."""
        return self.tables.index.group_versions

    def of_version(self, group: str, version: str) -> tuple[Kind, ...]:
        """Returns the kinds of a group version, in the order of their resources.

        Returns an empty tuple if the release does not have the group version.
        """
        kinds = self._kinds.get((group, version))
        if kinds is None:
            table = self._versions.get((group, version))
            kinds = kinds_of(table, self.schemas, self.tables.release) if table else ()
            self._kinds[group, version] = kinds
        return kinds

    def type_of(self, api_version: str, kind: str) -> Struct | None:
        """Returns the schema of a kind, list kind, Status or discovery document; None if no table has it."""
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
        """Returns the kind of a subresource's requests and responses, such as Scale of autoscaling/v1."""
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
        """Returns the kinds of the groups.

        The order is by group as in `groups`, then by version, oldest first, then by resource.
        """
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
        """The kinds that a server can serve; see `fakeapi.releases.offered`."""
        return self.of_groups(offered.GROUPS)


@dataclass(frozen=True, slots=True)
class Release:
    """A release with its feature gates.

    - `name`: the minor release, such as "1.31"
    - `version`: the patch release, such as "v1.31.14"
    - `built`, `go_version`: the build date and the Go version in GET /version
    - `all_kinds`: all kinds in the tables of the release, served or not
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
        """The kinds that a server can serve.

        The order is by group, with the core group first, then by version, oldest first, then by resource.
        """
        return self.all_kinds.offered

    @property
    def schemas(self) -> Schemas:
        return self.all_kinds.schemas

    @property
    def minor(self) -> int:
        return int(self.name.partition(".")[2])

    def kind(self, group: str, version: str, resource: str) -> Kind:
        """Returns the kind of a resource. Raises KeyError if the release does not have the resource."""
        for kind in self.all_kinds.of_version(group, version):
            if kind.resource == resource:
                return kind
        raise KeyError(f"{group}/{version} {resource}")

    def knows(self, api_version: str, kind: str) -> bool:
        """Whether the scheme of the release's API server has a kind, even if it is not served."""
        if kind in UNVERSIONED_KINDS:
            return True
        registered = self.all_kinds.tables.registered.get(api_version)
        return registered is not None and (kind in registered or kind in COMMON_KINDS)

    def version_info(self) -> dict[str, str]:
        """Returns the body of GET /version. `gitCommit` is empty for releases with an unknown commit."""
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
        """Returns the names of the health checks behind `healthz`, `livez` or `readyz`, in order."""
        return checks_of(self.minor, endpoint)


def known_name(name: str) -> str:
    """Returns the minor release for a name such as `1.31`, `v1.31` or `1.31.14`.

    A patch release must be the release from which the tables were compiled. Raises UnknownReleaseError for
    any other name.
    """
    # `name` may be a float, because YAML reads an unquoted 1.31 as a number.
    text = str(name).strip().removeprefix("v")
    for known in COMPILED_RELEASES:
        if text == known or f"v{text}" == tables_of(known).index.version:
            return known
    raise UnknownReleaseError(name)


def load_release(name: str, gates: Mapping[str, bool] | str = "") -> Release:
    """Returns a release with settings of its feature gates.

    `gates`: a mapping, or a text in the syntax of `--feature-gates`. Gates without a setting have defaults.

    Raises UnknownReleaseError for an unknown release, UnknownGateError for a gate that the release does not
    have, and GateError for an invalid setting.
    """
    minor = known_name(name)
    chosen = feature_gates.parse(gates) if isinstance(gates, str) else gates
    feature_gates.check(chosen, [int(minor[2:])])
    return release_with(minor, chosen)


def release_with(name: str, chosen: Mapping[str, bool]) -> Release:
    """Returns a release of COMPILED_RELEASES with the settings `chosen` of its feature gates.

    Ignores gates that the release does not have. Raises GateError if a choice contradicts a locked gate, or
    if a gate is on without the gates that it requires.
    """
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
    """Returns the resource kinds of a Kubernetes release, such as "1.31".

    All servers in the process share the result.
    """
    return ReleaseKinds(tables_of(name))
