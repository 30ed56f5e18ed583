"""Which group versions a server answers for, and as which release it answers for each."""

from collections.abc import Mapping
from dataclasses import dataclass

from fakeapi.releases import gates
from fakeapi.releases.kinds import Kind
from fakeapi.releases.offered import RELEASES
from fakeapi.releases.release import Release, UnknownReleaseError, load_release, release_with
from fakeapi.releases.version_order import version_rank

GROUP = "resource.k8s.io"

SIDE_BY_SIDE: dict[tuple[str, str], str] = {
    ("", "v1"): "1.33",
    (GROUP, "v1beta2"): "1.33",
    (GROUP, "v1beta1"): "1.33",
    (GROUP, "v1alpha3"): "1.33",
    (GROUP, "v1alpha2"): "1.30",
}
"""With no release named: each version of the API as the newest offered release whose claims it has."""


def default_description() -> str:
    """As what a server without a named release serves: "1.33, and v1alpha2 as in 1.30,"."""
    newest = SIDE_BY_SIDE["", "v1"]
    others = [f"{version} as in {name}" for (_, version), name in SIDE_BY_SIDE.items() if name != newest]
    return f"{newest}, and {', '.join(others)}," if others else newest


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """One group version, the release whose rules it follows, and the kinds of it that are served."""

    group: str
    version: str
    release: Release
    kinds: tuple[Kind, ...]

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class Serving:
    """`primary` answers for /version, discovery and whatever belongs to no group version.

    `versions`: the core group first; a group's preferred version before its others.
    """

    primary: Release
    versions: tuple[ServedVersion, ...]

    @property
    def releases(self) -> tuple[Release, ...]:
        """Each release once, the primary one first."""
        return tuple(dict.fromkeys([self.primary, *(each.release for each in self.versions)]))


def served(release: str | None = None, feature_gates: Mapping[str, bool] | str = "") -> Serving:
    """What a server of the named release serves; of none named, every version side by side.

    Side by side, a gate holds for every release that has it. Raises UnknownReleaseError, UnknownGateError
    for a gate that no served release has, and GateError.
    """
    if release is not None:
        exact = load_release(release, feature_gates)
        if exact.name not in RELEASES:
            raise UnknownReleaseError(release)
        return _serving(exact, dict.fromkeys(_group_versions(exact), exact))
    chosen = gates.parse(feature_gates) if isinstance(feature_gates, str) else feature_gates
    names = sorted(set(SIDE_BY_SIDE.values()))
    gates.check(chosen, [int(name[2:]) for name in names])
    releases = {name: release_with(name, chosen) for name in names}
    return _serving(
        releases[SIDE_BY_SIDE["", "v1"]],
        {group_version: releases[name] for group_version, name in SIDE_BY_SIDE.items()},
    )


def _group_versions(release: Release) -> list[tuple[str, str]]:
    return list(dict.fromkeys((kind.group, kind.version) for kind in release.kinds))


def _serving(primary: Release, releases: Mapping[tuple[str, str], Release]) -> Serving:
    versions = [
        ServedVersion(group, version, release, kinds)
        for (group, version), release in releases.items()
        if (kinds := _kinds(release, group, version))
    ]
    order = {each.group: at for at, each in reversed(list(enumerate(primary.all_kinds.group_versions)))}
    versions.sort(key=lambda each: version_rank(each.version), reverse=True)
    versions.sort(key=lambda each: order[each.group])
    return Serving(primary, tuple(versions))


def _kinds(release: Release, group: str, version: str) -> tuple[Kind, ...]:
    return tuple(kind for kind in release.kinds if (kind.group, kind.version) == (group, version))
