"""Defaults of the resources of a pod as a whole, from those of its containers.

Follows k8s.io/kubernetes `pkg/apis/core/v1/defaults.go` (defaultPodRequests, defaultHugePagePodLimits),
`pkg/api/pod` (DefaultPodLevelResources) and k8s.io/component-helpers `resource`. All of them only add to
resources of which the pod says something already.
"""

from fakeapi.kinds.common.pod_resources import container_totals, greater, is_pod_level
from fakeapi.kinds.common.resource_names import HUGE_PAGES
from fakeapi.machinery.json_types import Object

_LISTS = ("containers", "initContainers", "ephemeralContainers")


def set_by_request_defaults(spec: Object) -> None:
    """Limits of huge pages, and requests where there are limits, in place."""
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return
    _huge_page_limits(spec, resources)
    if resources.get("limits"):
        _requests(spec, resources)


def set_by_strategy(spec: Object) -> None:
    """The same for a release that does it after admission: requests, and limits where every container has
    them, in place.
    """
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return
    _huge_page_limits(spec, resources)
    _requests(spec, resources)
    _limits(spec, resources)


def _huge_page_limits(spec: Object, resources: Object) -> None:
    requests = resources.get("requests") or {}
    found = {
        name: amount
        for name, amount in container_totals(spec, "limits").items()
        if name.startswith(HUGE_PAGES) and name not in requests
    }
    _fill(resources, "limits", found)


def _requests(spec: Object, resources: Object) -> None:
    found = {
        name: amount
        for name, amount in container_totals(spec, "requests").items()
        if name in ("cpu", "memory")
    }
    limits = resources.get("limits") or {}
    _fill(resources, "requests", {**{name: limits[name] for name in limits if is_pod_level(name)}, **found})


def _limits(spec: Object, resources: Object) -> None:
    """A limit that every container has, but not less than what the pod requests."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    containers = [each for name in _LISTS for each in spec.get(name) or ()]
    total = container_totals(spec, "limits")
    found: Object = {}
    for name, requested in requests.items():
        if not is_pod_level(name) or name in limits or name not in total:
            continue
        if all(name in ((each.get("resources") or {}).get("limits") or {}) for each in containers):
            found |= greater({name: total[name]}, {name: requested})
    _fill(resources, "limits", found)


def _fill(resources: Object, kind: str, found: Object) -> None:
    amounts = {**found, **(resources.get(kind) or {})}
    if amounts:
        resources[kind] = dict(sorted(amounts.items()))
        for name in ("limits", "requests", "claims"):  # their order on the wire
            if name in resources:
                resources[name] = resources.pop(name)
