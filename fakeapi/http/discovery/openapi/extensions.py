"""OpenAPI extensions of Go types: `x-kubernetes-group-version-kind` and `x-kubernetes-unions`.

The kinds come from the tables of the release, and the unions (`+union`) from the Go source of k8s.io/api.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.releases.tables import ReleaseTables

GroupVersionKind = dict[str, str]

COMMON = ("meta/v1.DeleteOptions", "meta/v1.WatchEvent")
"""The Go types of the kinds that Kubernetes registers in every API version."""

_BY_SUBRESOURCE = {
    "authentication/v1.TokenRequest": ("authentication.k8s.io", "v1"),
    "autoscaling/v1.Scale": ("autoscaling", "v1"),
    "policy/v1.Eviction": ("policy", "v1"),
    "meta/v1.APIResourceList": ("", "v1"),
    "meta/v1.Status": ("", "v1"),
}
"""Maps Go types to the API group and version, for kinds that belong to a subresource or to no resource."""

_OF_OTHER_SERVERS = ("apiextensions.k8s.io", "apiregistration.k8s.io")
"""The API groups that kube-apiserver registers in separate Go schemes."""

_PRIORITY_LEVEL = ("type", ("exempt", "limited"))
_SUBJECT = ("kind", ("group", "serviceAccount", "user"))
_PROFILE = ("type", ("localhostProfile",))
_GANG, _DISRUPTION = ("", ("basic", "gang")), ("", ("all", "single"))
_UNIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "lifecycle/v1alpha1.EvictionRequestTarget": ("", ("pod",)),
    "lifecycle/v1alpha1.EvictionTarget": ("", ("pod",)),
    "core/v1.AppArmorProfile": _PROFILE,
    "core/v1.PodSchedulingGroup": ("", ("podGroupName",)),
    "core/v1.SeccompProfile": _PROFILE,
    **{
        f"flowcontrol/{version}.{name}": union
        for version in ("v1", "v1beta2", "v1beta3")
        for name, union in (
            ("LimitResponse", ("type", ("queuing",))),
            ("PriorityLevelConfigurationSpec", _PRIORITY_LEVEL),
            ("Subject", _SUBJECT),
        )
    },
    "scheduling/v1alpha2.PodGroupSchedulingPolicy": _GANG,
    "scheduling/v1alpha2.PodGroupTemplateReference": ("", ("workload",)),
    "scheduling/v1alpha3.WorkloadPodGroupDisruptionMode": _DISRUPTION,
    "scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy": _GANG,
    **{
        f"scheduling/{version}.{name}": union
        for version in ("v1alpha3", "v1beta1")
        for name, union in (
            ("CompositeDisruptionMode", _DISRUPTION),
            ("CompositePodGroupSchedulingPolicy", _GANG),
            ("DisruptionMode", _DISRUPTION),
            ("PodGroupSchedulingPolicy", _GANG),
        )
    },
}
"""The unions by Go type: the discriminator field ("" without one), and the fields that exclude each other."""

GRANULAR = frozenset(("lifecycle/v1alpha1.ResponderStatus",))
"""Go types whose schemas contain the default `x-kubernetes-map-type: granular`.

Other schemas omit this default.
"""


def group_version_kinds(tables: ReleaseTables) -> dict[str, list[GroupVersionKind]]:
    """Returns the `x-kubernetes-group-version-kind` entries of each kind, by Go type."""
    kinds = {name: [_group_version_kind(name, *version)] for name, version in _BY_SUBRESOURCE.items()}
    versions = [(group_version.group, group_version.version) for group_version in tables.index.group_versions]
    for group_version in tables.index.group_versions:
        for entry in group_version.kind_entries():
            for name in (entry["type"], entry.get("list_type")):
                if name:
                    kinds[name] = [_group_version_kind(name, group_version.group, group_version.version)]
    if ("resource.k8s.io", "v1alpha2") in versions:  # v1alpha2 also registered Status
        kinds["meta/v1.Status"].append(_group_version_kind("meta/v1.Status", "resource.k8s.io", "v1alpha2"))
    for name in COMMON:
        kinds[name] = [_group_version_kind(name, *version) for version in sorted(_registered(tables))]
    return kinds


def common_kind_entries(name: str, group: str, version: str) -> list[GroupVersionKind]:
    """Returns the `x-kubernetes-group-version-kind` entries of a kind in COMMON for one API version.

    `name`: the Go type of the kind, such as `meta/v1.DeleteOptions`.
    """
    own = [] if not group else [_group_version_kind(name, group, version)]
    return [_group_version_kind(name, "", "v1"), *own]


def union_of(go: str, members: Iterator[str]) -> list[dict[str, Any]]:
    """Returns the `x-kubernetes-unions` of a Go type; empty for most types.

    `members`: the names of the type's fields in this release.
    """
    if go not in _UNIONS:
        return []
    discriminator, names = _UNIONS[go]
    there = set(members)
    fields = {name: name[:1].upper() + name[1:] for name in names if name in there}
    union: dict[str, Any] = {"discriminator": discriminator} if discriminator else {}
    return [{**union, "fields-to-discriminateBy": fields}]


def _registered(tables: ReleaseTables) -> Iterator[tuple[str, str]]:
    """Yields (group, version) of every API version in the Go schemes of a release, served or not."""
    for api_version in tables.registered:
        group, _, version = api_version.rpartition("/")
        yield group, version
    for group in _OF_OTHER_SERVERS:
        yield from ((group, "v1"), (group, "v1beta1"))


def _group_version_kind(name: str, group: str, version: str) -> GroupVersionKind:
    return {"group": group, "kind": name.rpartition(".")[2], "version": version}
