"""The group versions that a server serves, and the release that each group version follows."""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from fakeapi.releases import gates
from fakeapi.releases.kinds import Kind
from fakeapi.releases.offered import RELEASES
from fakeapi.releases.release import Release, UnknownReleaseError, load_release, release_with
from fakeapi.releases.runtime_config import (
    EnabledAPIs,
    RuntimeConfigError,
    check_groups,
    enabled_apis,
    parse_runtime_config,
)
from fakeapi.releases.version_order import version_rank

GROUP = "resource.k8s.io"
SERVED_CACHED = 32
"""Maximum number of cached results of `served`. Tests start many servers with few different settings."""

GATED = {
    ("authentication.k8s.io", "selfsubjectreviews"): "APISelfSubjectReview",
    ("certificates.k8s.io", "clustertrustbundles"): "ClusterTrustBundle",
    ("certificates.k8s.io", "podcertificaterequests"): "PodCertificateRequest",
    ("lifecycle.k8s.io", "evictionrequests"): "EvictionRequestAPI",
    ("lifecycle.k8s.io", "evictions"): "EvictionRequestAPI",
    ("scheduling.k8s.io", "compositepodgroups"): "CompositePodGroup",
    ("scheduling.k8s.io", "podgroups"): "GenericWorkload",
    ("scheduling.k8s.io", "workloads"): "GenericWorkload",
    ("storagemigration.k8s.io", "storageversionmigrations"): "StorageVersionMigrator",
}
"""Resources that are served only while a feature gate is on, even if their version is enabled.

Follows the storage providers of k8s.io/kubernetes `pkg/registry/*/rest`.
"""

OLDER: dict[tuple[str, str], str] = {
    (GROUP, "v1alpha3"): "1.33",
    (GROUP, "v1alpha2"): "1.30",
}
"""Older API versions that a server without `--release` serves in addition to the newest release.

Each version follows the last release in which it has ResourceClaims.
"""


def default_description() -> str:
    """Returns a description of the releases that a server serves by default.

    The description fits into a sentence, such as "1.33 (resource.k8s.io/v1alpha2 as in 1.30)".
    """
    newest = RELEASES[-1]
    others = [f"{version} as in {name}" for (_, version), name in OLDER.items() if name != newest]
    return f"{newest} ({GROUP}/{', '.join(others)})" if others else newest


class ServedVersion(msgspec.Struct, frozen=True):
    """A group version, the release whose rules it follows, and its served kinds."""

    group: str
    version: str
    release: Release
    kinds: tuple[Kind, ...]

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


class Serving(msgspec.Struct, frozen=True):
    """The group versions that a server serves.

    - `primary`: the release for requests outside of group versions, such as /version and discovery
    - `versions`: the group versions. The core group comes first. In each group, the preferred version comes
      first.
    """

    primary: Release
    versions: tuple[ServedVersion, ...]

    @property
    def releases(self) -> tuple[Release, ...]:
        """The releases of all group versions, without duplicates; the primary release is first."""
        return tuple(dict.fromkeys([self.primary, *(version.release for version in self.versions)]))


def served(
    release: str | None = None,
    feature_gates: Mapping[str, bool] | str = "",
    runtime_config: str = "",
) -> Serving:
    """Returns the group versions of a server: of one release, or of the newest release and OLDER.

    `release`: the release, such as "1.31"; None for the newest release and OLDER. With several releases,
    gates and settings of `runtime_config` apply to each release that has them.

    Raises UnknownReleaseError for an unknown release, UnknownGateError for a gate that no served release has,
    and GateError or RuntimeConfigError for invalid settings.
    """
    chosen = gates.parse(feature_gates) if isinstance(feature_gates, str) else feature_gates
    return _served(release, tuple(sorted(chosen.items())), runtime_config)


@lru_cache(SERVED_CACHED)
def _served(release: str | None, feature_gates: tuple[tuple[str, bool], ...], runtime_config: str) -> Serving:
    chosen = dict(feature_gates)
    settings = parse_runtime_config(runtime_config)
    if release is not None:
        primary = load_release(release, chosen)
        if primary.name not in RELEASES:
            raise UnknownReleaseError(release)
        older = {}
    else:
        names = sorted({RELEASES[-1], *OLDER.values()})
        gates.check(chosen, [int(name[2:]) for name in names])
        releases = {name: release_with(name, chosen) for name in names}
        primary = releases[RELEASES[-1]]
        older = {group_version: releases[name] for group_version, name in OLDER.items()}
    return _serving(primary, older, settings)


def _serving(
    primary: Release, older: Mapping[tuple[str, str], Release], settings: Mapping[str, str]
) -> Serving:
    releases = dict.fromkeys([primary, *older.values()])
    tables = [table for release in releases for table in release.all_kinds.group_versions]
    check_groups(settings, tables)
    enabled = {release.name: enabled_apis(release.all_kinds.group_versions, settings) for release in releases}
    if not enabled[primary.name].has("", "v1", "namespaces"):
        raise RuntimeConfigError("namespaces of v1 cannot be switched off")
    by_version = {**dict.fromkeys(_group_versions(primary), primary), **older}
    versions = [
        ServedVersion(group, version, release, kinds)
        for (group, version), release in by_version.items()
        if (kinds := _kinds(release, enabled[release.name], group, version))
    ]
    order = list(dict.fromkeys(table.group for table in tables))
    versions.sort(key=lambda served_version: version_rank(served_version.version), reverse=True)
    versions.sort(key=lambda served_version: order.index(served_version.group))
    return Serving(primary, tuple(versions))


def _group_versions(release: Release) -> list[tuple[str, str]]:
    return list(dict.fromkeys((kind.group, kind.version) for kind in release.kinds))


def _kinds(release: Release, enabled: EnabledAPIs, group: str, version: str) -> tuple[Kind, ...]:
    return tuple(
        kind
        for kind in release.kinds
        if (kind.group, kind.version) == (group, version)
        and enabled.has(group, version, kind.resource)
        and _gate_allows(release, kind)
    )


def _gate_allows(release: Release, kind: Kind) -> bool:
    gate = GATED.get((kind.group, kind.resource))
    return gate is None or release.gates.get(gate, True)
