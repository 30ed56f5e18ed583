"""The group, version and kind of types, and the unions among them, as OpenAPI marks them.

Kinds are from the tables of the release; unions (`+union`) from the Go source of k8s.io/api.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.releases.tables import ReleaseTables

Mark = dict[str, str]

COMMON = ("meta/v1.DeleteOptions", "meta/v1.WatchEvent")
"""Kinds that every group has."""

_BY_SUBRESOURCE = {
    "authentication/v1.TokenRequest": ("authentication.k8s.io", "v1"),
    "autoscaling/v1.Scale": ("autoscaling", "v1"),
    "policy/v1.Eviction": ("policy", "v1"),
    "meta/v1.APIResourceList": ("", "v1"),
    "meta/v1.Status": ("", "v1"),
}
"""Kinds that no resource has."""

_OF_OTHER_SERVERS = ("apiextensions.k8s.io", "apiregistration.k8s.io")
"""Groups whose kinds kube-apiserver serves by a scheme of their own."""

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
"""By Go type: the member that says which one is set, if any, and those of which one is set."""

GRANULAR = frozenset(("lifecycle/v1alpha1.ResponderStatus",))
"""Structs that are marked as having fields of their own for apply, as nearly all have without a mark."""


def marks_of(tables: ReleaseTables) -> dict[str, list[Mark]]:
    """The marks of every type that is a kind, by Go name."""
    found = {name: [_mark(name, *version)] for name, version in _BY_SUBRESOURCE.items()}
    versions = [(each.group, each.version) for each in tables.index.group_versions]
    for each in tables.index.group_versions:
        for entry in each.kind_entries():
            for name in (entry["type"], entry.get("list_type")):
                if name:
                    found[name] = [_mark(name, each.group, each.version)]
    if ("resource.k8s.io", "v1alpha2") in versions:  # which registered it again
        found["meta/v1.Status"].append(_mark("meta/v1.Status", "resource.k8s.io", "v1alpha2"))
    for name in COMMON:
        found[name] = [_mark(name, *version) for version in sorted(_registered(tables))]
    return found


def own_marks(name: str, group: str, version: str) -> list[Mark]:
    """The marks of a kind of all groups in the document of one version."""
    own = [] if not group else [_mark(name, group, version)]
    return [_mark(name, "", "v1"), *own]


def union_of(go: str, members: Iterator[str]) -> list[dict[str, Any]]:
    """The unions of a type that has these members; none for most."""
    if go not in _UNIONS:
        return []
    discriminator, names = _UNIONS[go]
    there = set(members)
    fields = {name: name[:1].upper() + name[1:] for name in names if name in there}
    union: dict[str, Any] = {"discriminator": discriminator} if discriminator else {}
    return [{**union, "fields-to-discriminateBy": fields}]


def _registered(tables: ReleaseTables) -> Iterator[tuple[str, str]]:
    """All API versions that the release has in its schemes, served or not."""
    for api_version in tables.registered:
        group, _, version = api_version.rpartition("/")
        yield group, version
    for group in _OF_OTHER_SERVERS:
        yield from ((group, "v1"), (group, "v1beta1"))


def _mark(name: str, group: str, version: str) -> Mark:
    return {"group": group, "kind": name.rpartition(".")[2], "version": version}
