"""One Kubernetes release as a value: what it serves, and by which rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from fakeapi.releases import gates as feature_gates
from fakeapi.releases import tables
from fakeapi.releases.gates import Gates
from fakeapi.releases.health import checks_of
from fakeapi.releases.kinds import COMMON_KINDS, UNVERSIONED_KINDS, Kind, kinds_of
from fakeapi.releases.limits import Limits, limits_of
from fakeapi.releases.quirks import Quirks, quirks_of
from fakeapi.releases.schemas import Schemas

KNOWN_RELEASES = ("1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33")

_COMMITS = {
    "1.27": "cbb86e0d7f4a049666fac0551e8b02ef3d6c3d9a",
    "1.28": "841856557ef0f6a399096c42635d114d6f2cf7f4",
    "1.29": "0d0f172cdf9fd42d6feee3467374b58d3e168df0",
}
"""Commits of the releases' tags, as far as the module proxy states them."""

_STATES_COMPATIBILITY = 33
"""From this minor release on, /version says which release is emulated and which is the oldest compatible."""


class UnknownReleaseError(ValueError):
    """A release that there is no table for; the message lists those that there are."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown Kubernetes release {name!r}; known are: {', '.join(KNOWN_RELEASES)}")


@dataclass(frozen=True, slots=True)
class Release:
    """`name` is the minor release, "1.31", `version` the patch release that it is served as, "v1.31.14".

    `registered` are the kinds that its API server has in its scheme, by apiVersion.
    """

    name: str
    version: str
    built: str
    go_version: str
    kinds: tuple[Kind, ...] = field(repr=False)
    gates: Gates
    limits: Limits = field(repr=False)
    quirks: Quirks = field(repr=False)
    schemas: Schemas = field(repr=False, compare=False)
    registered: Mapping[str, Sequence[str]] = field(repr=False, compare=False)

    @property
    def minor(self) -> int:
        return int(self.name.partition(".")[2])

    def kind(self, group: str, version: str, resource: str) -> Kind:
        """Raises KeyError for a resource that the release does not have."""
        for kind in self.kinds:
            if (kind.group, kind.version, kind.resource) == (group, version, resource):
                return kind
        raise KeyError(f"{group}/{version} {resource}")

    def knows(self, api_version: str, kind: str) -> bool:
        """Whether the release's API server has such a kind in its scheme, served or not."""
        if kind in UNVERSIONED_KINDS:
            return True
        registered = self.registered.get(api_version)
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
    """The minor release that `1.31`, `v1.31` or `1.31.14` names.

    A patch release must be the one that is served. Raises UnknownReleaseError.
    """
    text = str(name).strip().removeprefix("v")  # an unquoted 1.30 comes as the number 1.3
    for known in KNOWN_RELEASES:
        if text == known or f"v{text}" == tables.read(known)["version"]:
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
    """As `load_release`, for a name from KNOWN_RELEASES, passing over gates that the release has not."""
    table = tables.read(name)
    minor = int(name[2:])
    kinds, schemas = _described(name)
    return Release(
        name=name,
        version=table["version"],
        built=table["built"],
        go_version=table["go"],
        kinds=kinds,
        gates=feature_gates.resolve(chosen, minor),
        limits=limits_of(minor),
        quirks=quirks_of(minor),
        schemas=schemas,
        registered=table["registered"],
    )


@cache
def _described(name: str) -> tuple[tuple[Kind, ...], Schemas]:
    """Shared by every server in a process: what is compiled from a schema is compiled once."""
    table = tables.read(name)
    schemas = Schemas(table["types"])
    return kinds_of(table, schemas), schemas
