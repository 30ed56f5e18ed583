"""Enables and disables group versions and resources of a release, like kube-apiserver's `--runtime-config`.

Follows k8s.io/apiserver `pkg/server/resourceconfig` and `pkg/server/options`. The defaults are the defaults
of the release, with one exception: all versions of resource.k8s.io are enabled.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec

from fakeapi.releases.tables import GroupVersionTable

_STAGES = {
    "api/all": re.compile(r""),
    "api/ga": re.compile(r"v\d+\Z", re.ASCII),
    "api/beta": re.compile(r"v\d+beta\d+\Z", re.ASCII),
    "api/alpha": re.compile(r"v\d+alpha\d+\Z", re.ASCII),
}
"""Settings that apply to many API versions at once, in the order of their application.

Each value is a pattern that matches the names of these versions.
"""

_TRUE = frozenset({"", "1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_ALL_VERSIONS_ON = frozenset({"resource.k8s.io"})


class RuntimeConfigError(ValueError):
    """Raised for an invalid setting of `--runtime-config`. The message names the setting."""


class EnabledAPIs(msgspec.Struct, frozen=True):
    """The enabled APIs of a release.

    - `versions`: whether each group and version is enabled
    - `resources`: whether single resources are enabled; takes precedence over `versions`
    """

    versions: Mapping[tuple[str, str], bool]
    resources: Mapping[tuple[str, str, str], bool]

    def has(self, group: str, version: str, resource: str) -> bool:
        """Whether a resource of a group version is enabled."""
        return self.resources.get((group, version, resource), self.versions.get((group, version), False))


def parse_runtime_config(text: str) -> dict[str, str]:
    """Parses the value of `--runtime-config`, such as `api/beta=false,storage.k8s.io/v1beta1`.

    The last value of a key takes precedence. Raises RuntimeConfigError for settings that are wrong in every
    release. Does not check whether a version exists.
    """
    settings: dict[str, str] = {}
    for setting in text.split(","):
        if setting:
            key, _, value = setting.partition("=")
            settings[key.strip()] = value.strip()
    if settings == {"api/all": "false"}:
        raise RuntimeConfigError("invalid runtime-config with only api/all=false")
    for key, value in settings.items():
        _check(key, value)
    return settings


def check_groups(settings: Mapping[str, str], tables: Iterable[GroupVersionTable]) -> None:
    """Raises RuntimeConfigError if the settings name a group or version that none of the releases has."""
    known = {(table.group, table.version) for table in tables}
    groups = {group for group, _ in known}
    named = sorted({_group_version(key) for key in settings if key not in _STAGES})
    unknown = [f"{group}/{version}" for group, version in named if group not in groups]
    if unknown:
        raise RuntimeConfigError(f"unknown api groups {','.join(unknown)}")
    for group, version in named:
        if (group, version) not in known:
            name = f"{group}/{version}" if group else version
            raise RuntimeConfigError(f"group version {name} that has not been registered")


def enabled_apis(tables: Iterable[GroupVersionTable], settings: Mapping[str, str]) -> EnabledAPIs:
    """Returns the enabled APIs of a release, from its tables and parsed settings.

    Ignores settings for APIs that the release does not have; `check_groups` rejects them.
    """
    versions: dict[tuple[str, str], bool] = {}
    resources: dict[tuple[str, str, str], bool] = {}
    for table in tables:
        versions[table.group, table.version] = table.default or table.group in _ALL_VERSIONS_ON
        resources |= {(table.group, table.version, name): True for name in table.default_resources}
    for key, pattern in _STAGES.items():
        if key in settings:
            for gv in versions:
                if pattern.match(gv[1]):
                    _set_version(versions, resources, gv, on=settings[key] in _TRUE)
    single = {key: value for key, value in settings.items() if key not in _STAGES}
    for key, value in single.items():
        if key.count("/") == 1 and _group_version(key) in versions:
            _set_version(versions, resources, _group_version(key), on=value in _TRUE)
    for key, value in single.items():
        if key.count("/") == 2 and _group_version(key) in versions:
            resources[*_group_version(key), key.rpartition("/")[2]] = value in _TRUE
    return EnabledAPIs(versions, resources)


def _set_version(
    versions: dict[tuple[str, str], bool],
    resources: dict[tuple[str, str, str], bool],
    gv: tuple[str, str],
    *,
    on: bool,
) -> None:
    """Enables (`on`) or disables the group version `gv`.

    Discards earlier settings of its single resources.
    """
    versions[gv] = on
    for key in [key for key in resources if key[:2] == gv]:
        del resources[key]


def _check(key: str, value: str) -> None:
    if key in _STAGES:
        if value not in ("true", "false"):
            raise RuntimeConfigError(f"invalid value {key}={value}")
        return
    if key.count("/") not in (1, 2):
        raise RuntimeConfigError(f"runtime-config invalid key {key}")
    if value not in _TRUE | _FALSE:
        raise RuntimeConfigError(
            f'invalid value of {key}: {value}, err: strconv.ParseBool: parsing "{value}": invalid syntax'
        )
    resource = key.split("/")[2:]
    if resource and resource[0] != resource[0].lower():
        raise RuntimeConfigError(
            f"invalid key {key}: group/version/resource and resource is always lowercase plural, "
            f'not "{resource[0]}"'
        )


def _group_version(key: str) -> tuple[str, str]:
    group, version, *_ = key.split("/")
    return group, version
