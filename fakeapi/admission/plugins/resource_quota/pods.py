"""Quota usage of pods: the resource requests and limits of their containers, until the pods have ended.

Follows k8s.io/kubernetes `pkg/quota/v1/evaluator/core/pods.go` and k8s.io/component-helpers `resource`.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fakeapi.admission.plugins.resource_quota.evaluators import Count, ScopeSelector
from fakeapi.kinds.common.label_matching import compiled
from fakeapi.kinds.common.pod_resources import Resources, added, greater, is_pod_level, pod_totals
from fakeapi.kinds.common.resource_names import HUGE_PAGES
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.objects import ClusterObjects

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

REQUESTS, LIMITS = "requests.", "limits."
CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"
"""The name prefix of the implicit extended resource that each DeviceClass has."""

_COUNTED = ("cpu", "memory", "ephemeral-storage")
_NAMES = frozenset(("count/pods", "pods", *_COUNTED)) | {
    f"{prefix}{name}" for name in _COUNTED for prefix in (REQUESTS, LIMITS)
}
_REQUIRED = frozenset(
    ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"),
)
"""If a quota limits one of these compute resources, every container of a new pod must set the resource.

Pods with pod-level resources are exempt.
"""
_OWN = "kubernetes.io/"
_RESIZING = "InPlacePodVerticalScaling"


class Pods(Count):
    def __init__(self, resource: "Resource", objects: ClusterObjects) -> None:
        super().__init__(resource.qualified)
        self._store = objects.store
        release = resource.release
        self._follows_scopes = release.quirks.quota_follows_scopes
        self._class_names = release.quirks.quota_counts_extended_devices
        self._resizes = release.gates.enabled(_RESIZING)
        self._pod_level = release.gates.enabled("PodLevelResources")
        self._resizes_by_update = self._resizes and resource.kind.subresource("resize") is None

    def handles(self, attributes: Attributes) -> bool:
        created = attributes.operation is Operation.CREATE
        if attributes.subresource:
            return attributes.subresource == "resize" and not created
        if created or self._resizes_by_update:
            return True
        assert attributes.old is not None, "an update has an old object"
        terminates = _is_terminating(attributes.new_object()) != _is_terminating(attributes.old)
        return self._follows_scopes and terminates

    def counted(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self._is_counted(name)]

    def _is_counted(self, name: str) -> bool:
        if name in _NAMES or name.startswith((HUGE_PAGES, f"{REQUESTS}{HUGE_PAGES}")):
            return True
        return is_extended_for_quota(name, class_names=self._class_names)

    def is_in_scope(self, selector: ScopeSelector, obj: Object) -> bool:
        match selector["scopeName"]:
            case "Terminating":
                return _is_terminating(obj)
            case "NotTerminating":
                return not _is_terminating(obj)
            case "BestEffort":
                return _is_best_effort(obj)
            case "NotBestEffort":
                return not _is_best_effort(obj)
            case "PriorityClass":
                return is_selected(selector, [obj["spec"].get("priorityClassName")])
            case "CrossNamespacePodAffinity":
                return _looks_at_other_namespaces(obj["spec"].get("affinity") or {})
        return False

    def unmet(self, required: list[str], obj: Object) -> str:
        """Returns an error that lists the containers without an amount that a quota requires, such as cpu.

        Returns "" if all containers set the required amounts, or if the pod has pod-level resources. Checks
        only cpu and memory.
        """
        spec = obj["spec"]
        if self._pod_level and _has_pod_level_resources(spec.get("resources") or {}):
            return ""
        missing: dict[str, set[str]] = {}
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
            resources = container.get("resources") or {}
            present = self._computed(resources.get("requests") or {}, resources.get("limits") or {})
            for name in _REQUIRED.intersection(required) - present.keys():
                missing.setdefault(name, set()).add(container["name"])
        if not missing:
            return ""
        parts = (f"{name} for: {','.join(sorted(names))}" for name, names in sorted(missing.items()))
        return f"must specify {'; '.join(parts)}"

    def usage(self, obj: Object) -> Resources:
        if self._is_over(obj):
            return {"count/pods": "1"}
        spec = _effective(obj) if self._resizes else obj["spec"]
        requests, limits = (
            pod_totals(spec, member, pod_level=self._pod_level) for member in ("requests", "limits")
        )
        overhead = spec.get("overhead") or {}
        requests = added(requests, overhead)
        for name, amount in overhead.items():
            if quantity.compare(limits.get(name, "0"), "0"):
                limits[name] = quantity.add(limits[name], amount)
        return {"count/pods": "1", **self._computed(requests, limits)}

    def _computed(self, requests: Mapping[str, str], limits: Mapping[str, str]) -> Resources:
        amounts = {"pods": "1"}
        for name, amount in requests.items():
            if name in _COUNTED or name.startswith(HUGE_PAGES):
                amounts |= {name: amount, f"{REQUESTS}{name}": amount}
            elif _is_extended(name) or (self._class_names and name.startswith(CLASS_PREFIX)):
                amounts[f"{REQUESTS}{name}"] = amount
        return amounts | {f"{LIMITS}{name}": limits[name] for name in _COUNTED if name in limits}

    def _is_over(self, pod: Object) -> bool:
        """Whether a pod has ended, or the grace period of its deletion is over.

        Quotas do not count the resources of such a pod.
        """
        if (pod.get("status") or {}).get("phase") in ("Failed", "Succeeded"):
            return True
        at, grace = (pod["metadata"].get(f"deletion{name}") for name in ("Timestamp", "GracePeriodSeconds"))
        if at is None or grace is None:
            return False
        return self._store.now() > times.later(at, grace)


def is_extended_for_quota(name: str, *, class_names: bool) -> bool:
    """Whether a name in a quota limits the requests of an extended resource.

    `class_names`: whether the implicit extended resources of DeviceClasses count too.
    """
    if not name.startswith(REQUESTS):
        return False
    return not _is_native(name) or (class_names and name.startswith(f"{REQUESTS}{CLASS_PREFIX}"))


def is_selected(selector: ScopeSelector, values: Iterable[str | None]) -> bool:
    """Whether a scope selector of a quota matches an object.

    `values`: the object's values for the scope, such as the name of its PriorityClass. If all values are
    empty, only the operators NotIn and DoesNotExist match.
    """
    scope, operator = selector["scopeName"], selector["operator"]
    present = [value for value in values if value]
    if operator == "Exists":
        return bool(present)
    requirement = compiled(
        {"matchExpressions": [{"key": scope, "operator": operator, "values": selector.get("values")}]}
    )
    assert requirement is not None, "there is a selector"
    return any(requirement.matches(labels) for labels in [{scope: value} for value in present] or [{}])


def _is_native(name: str) -> bool:
    return "/" not in name or _OWN in name


def _is_extended(name: str) -> bool:
    return not _is_native(name) and not name.startswith(REQUESTS)


def _is_terminating(pod: Object) -> bool:
    seconds: int | None = pod["spec"].get("activeDeadlineSeconds")
    return seconds is not None and seconds >= 0


def _is_best_effort(pod: Object) -> bool:
    return (pod.get("status") or {}).get("qosClass") == "BestEffort"


def _looks_at_other_namespaces(affinity: Mapping[str, Any]) -> bool:
    terms: list[Mapping[str, Any]] = []
    for rules in (affinity.get("podAffinity") or {}, affinity.get("podAntiAffinity") or {}):
        terms += rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        weighted = rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        terms += [term["podAffinityTerm"] for term in weighted]
    return any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms)


def _has_pod_level_resources(resources: Mapping[str, Any]) -> bool:
    names = [*(resources.get("requests") or ()), *(resources.get("limits") or ())]
    return any(is_pod_level(name) for name in names)


def _effective(pod: Object) -> Object:
    """Returns the spec of a pod with the resource requests that a quota counts.

    Each container with resources in its status gets the larger of its requested and its actual resources. If
    a resize is infeasible, such a container gets its actual resources. Init containers that are not sidecars
    keep their requests.
    """
    status: Object = pod.get("status") or {}
    spec: Object = pod["spec"]
    known = {
        container_status["name"]: container_status
        for field in ("containerStatuses", "initContainerStatuses")
        for container_status in status.get(field) or ()
        if container_status.get("resources") is not None
    }
    if not known:
        return spec
    pending: Object = next(
        (
            condition
            for condition in status.get("conditions") or ()
            if condition["type"] == "PodResizePending"
        ),
        {},
    )
    infeasible = pending.get("reason") == "Infeasible"
    effective = dict(spec)
    for field in ("containers", "initContainers"):
        effective[field] = [
            _with_status(container, known[container["name"]], infeasible=infeasible)
            if container["name"] in known
            and (field == "containers" or container.get("restartPolicy") == "Always")
            else container
            for container in spec.get(field) or ()
        ]
    return effective


def _with_status(container: Object, status: Object, *, infeasible: bool) -> Object:
    desired, has = container.get("resources") or {}, status["resources"]
    requests = greater(has.get("requests") or {}, status.get("allocatedResources") or {})
    limits = has.get("limits") or {}
    if not infeasible:
        requests = greater(desired.get("requests") or {}, requests)
        limits = greater(desired.get("limits") or {}, limits)
    return {**container, "resources": {"requests": requests, "limits": limits}}
