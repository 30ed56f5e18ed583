"""Sets defaults for pod-level resources from the resources of the containers.

Follows k8s.io/kubernetes `pkg/apis/core/v1/defaults.go` (defaultPodRequests, defaultHugePagePodLimits),
`pkg/api/pod` (DefaultPodLevelResources) and k8s.io/component-helpers `resource`. The functions do not change
pods without pod-level requests and limits.
"""

from fakeapi.kinds.common.pod_resources import container_totals, greater, is_pod_level
from fakeapi.kinds.common.resource_names import HUGE_PAGES
from fakeapi.machinery.json_types import Object

_LISTS = ("containers", "initContainers", "ephemeralContainers")


def set_by_request_defaults(spec: Object) -> None:
    """Sets the default pod-level limits of huge pages and the default pod-level requests, in place.

    Requests get defaults only if the pod has pod-level limits. The server calls this function when it sets
    the other defaults of a request, but only while the gate PodLevelResourcesFixDefaulting is off.
    """
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return
    _huge_page_limits(spec, resources)
    if resources.get("limits"):
        _requests(spec, resources)


def set_by_strategy(spec: Object) -> None:
    """Sets the default pod-level requests and limits of a pod spec, in place.

    A requested resource gets a limit if every container limits the resource. The server calls this function
    after admission, if the gate PodLevelResourcesFixDefaulting is on.
    """
    resources = spec.get("resources")
    if not resources or not (resources.get("limits") or resources.get("requests")):
        return
    _huge_page_limits(spec, resources)
    _requests(spec, resources)
    _limits(spec, resources)


def _huge_page_limits(spec: Object, resources: Object) -> None:
    requests = resources.get("requests") or {}
    limits = {
        name: amount
        for name, amount in container_totals(spec, "limits").items()
        if name.startswith(HUGE_PAGES) and name not in requests
    }
    _fill(resources, "limits", limits)


def _requests(spec: Object, resources: Object) -> None:
    totals = {
        name: amount
        for name, amount in container_totals(spec, "requests").items()
        if name in ("cpu", "memory")
    }
    limits = resources.get("limits") or {}
    _fill(resources, "requests", {**{name: limits[name] for name in limits if is_pod_level(name)}, **totals})


def _limits(spec: Object, resources: Object) -> None:
    """Sets the default pod-level limits, in place.

    A requested resource gets a limit if every container limits the resource. The limit is at least the
    request.
    """
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    containers = [container for name in _LISTS for container in spec.get(name) or ()]
    total = container_totals(spec, "limits")
    added_limits: Object = {}
    for name, requested in requests.items():
        if not is_pod_level(name) or name in limits or name not in total:
            continue
        if all(name in ((container.get("resources") or {}).get("limits") or {}) for container in containers):
            added_limits |= greater({name: total[name]}, {name: requested})
    _fill(resources, "limits", added_limits)


def _fill(resources: Object, kind: str, found: Object) -> None:
    amounts = {**found, **(resources.get(kind) or {})}
    if amounts:
        resources[kind] = dict(sorted(amounts.items()))
        for name in ("limits", "requests", "claims"):  # Responses contain the fields in this order.
            if name in resources:
                resources[name] = resources.pop(name)
