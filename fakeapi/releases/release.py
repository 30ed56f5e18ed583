"""One Kubernetes release as a value: what it serves, and by which rules."""

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
"""Every release that there are tables for, oldest first."""

_COMMITS = {
    "1.27": "cbb86e0d7f4a049666fac0551e8b02ef3d6c3d9a",
    "1.28": "841856557ef0f6a399096c42635d114d6f2cf7f4",
    "1.29": "0d0f172cdf9fd42d6feee3467374b58d3e168df0",
    "1.34": "26c89157669bdc7e3657302bc1abde758507095b",
}
"""Commits of the releases' tags, as far as the module proxy states them."""

_STATES_COMPATIBILITY = 33
"""From this minor release on, /version says which release is emulated and which is the oldest compatible."""


class UnknownReleaseError(ValueError):
    """A release that there is no table for, or that is not offered; the message lists those that are."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown Kubernetes release {name!r}; known are: {', '.join(KNOWN_RELEASES)}")


class ReleaseKinds:
    """The kinds and types of one release, made from its tables when they are first asked for.

    Shared by every server in a process: what is compiled from a schema is compiled once.
    """

    def __init__(self, tables: ReleaseTables) -> None:
        self.tables = tables
        quirks = quirks_of(int(tables.release[2:]))
        self.schemas = Schemas(tables, keys_may_be_absent=quirks.list_keys_may_be_absent)
        self._versions = {(each.group, each.version): each for each in tables.index.group_versions}
        self._kinds: dict[tuple[str, str], tuple[Kind, ...]] = {}

    @property
    def group_versions(self) -> tuple[GroupVersionTable, ...]:
        """Every group version that the release can serve, in the order of its discovery."""
        return self.tables.index.group_versions

    def of_version(self, group: str, version: str) -> tuple[Kind, ...]:
        """The kinds of a group version by resource; none of one that the release does not have."""
        found = self._kinds.get((group, version))
        if found is None:
            table = self._versions.get((group, version))
            found = kinds_of(table, self.schemas, self.tables.release) if table else ()
            self._kinds[group, version] = found
        return found

    def type_of(self, api_version: str, kind: str) -> Struct | None:
        """The type of a kind, list, Status or discovery document; None for one that no table has."""
        group, _, version = api_version.rpartition("/")
        package = meta_types.DISCOVERY_PACKAGE if group == meta_types.DISCOVERY_GROUP else ""
        table = self._versions.get((group, version))
        for each in (
            package,
            table.package if table else "",
            meta_types.PACKAGES.get(api_version or "v1", ""),
        ):
            if each:
                try:
                    return self.schemas.struct(f"{each}.{kind}")
                except KeyError:
                    continue
        return None

    def kind_of_subresource(self, kind: Kind, subresource: Subresource) -> Kind:
        """The kind that a subresource of `kind` takes and answers, such as Scale of autoscaling/v1."""
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
        return sorted((version for each, version in self._versions if each == group), key=version_rank)

    @cached_property
    def offered(self) -> tuple[Kind, ...]:
        """The kinds that a server can be asked to serve (see `fakeapi.releases.offered`)."""
        return self.of_groups(offered.GROUPS)


@dataclass(frozen=True, slots=True)
class Release:
    """`name` is the minor release, "1.31", `version` the patch release that it is served as, "v1.31.14".

    `all_kinds` leads to what its tables hold; `kinds` are those that a server can be asked to serve.
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
        """Raises KeyError for a resource that the release does not have."""
        for kind in self.all_kinds.of_version(group, version):
            if kind.resource == resource:
                return kind
        raise KeyError(f"{group}/{version} {resource}")

    def knows(self, api_version: str, kind: str) -> bool:
        """Whether the release's API server has such a kind in its scheme, served or not."""
        if kind in UNVERSIONED_KINDS:
            return True
        registered = self.all_kinds.tables.registered.get(api_version)
        return registered is not None and (kind in registered or kind in COMMON_KINDS)

    def version_info(self) -> dict[str, str]:
        """The body of GET /version; gitCommit is empty where it is not published with the modules."""
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
    """The minor release that `1.31`, `v1.31` or `1.31.14` names, of all that there are tables for.

    A patch release must be the one that the tables are of. Raises UnknownReleaseError.
    """
    text = str(name).strip().removeprefix("v")  # an unquoted 1.30 comes as the number 1.3
    for known in COMPILED_RELEASES:
        if text == known or f"v{text}" == tables_of(known).index.version:
            return known
    raise UnknownReleaseError(name)


def load_release(name: str, gates: Mapping[str, bool] | str = "") -> Release:
    """The release, with its gates as chosen: a mapping, or the text of `--feature-gates`.

    Raises UnknownReleaseError, UnknownGateError for a gate that the release does not have, and GateError.
    """
    minor = known_name(name)
    chosen = feature_gates.parse(gates) if isinstance(gates, str) else gates
    feature_gates.check(chosen, [int(minor[2:])])
    return release_with(minor, chosen)


def release_with(name: str, chosen: Mapping[str, bool]) -> Release:
    """As `load_release`, for a name from COMPILED_RELEASES, passing over gates that the release has not."""
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
