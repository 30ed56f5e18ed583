"""Table cells of HorizontalPodAutoscalers.

Follows `printHorizontalPodAutoscaler` of k8s.io/kubernetes `pkg/printers/internalversion`.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.workload_cells import number_at
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.releases import Quirks

SHOWN_METRICS = 2
"""Maximum number of metrics in a table row. The row also contains the number of metrics not shown."""
_UNKNOWN = "<unknown>"
_SOURCES = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def autoscaler_cells(quirks: Quirks) -> Mapping[str, Cell]:
    named = quirks.workloads.targets_name_the_resource
    return {
        "Reference": _reference,
        "Targets": lambda obj, now: _targets(obj, named=named),
        "MinPods": _least,
        "MaxPods": number_at("spec", "maxReplicas"),
        "Replicas": number_at("status", "currentReplicas"),
    }


def _reference(obj: Object, now: float) -> str:
    target = obj["spec"]["scaleTargetRef"]
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _least(obj: Object, now: float) -> str:
    least = obj["spec"].get("minReplicas")
    return "<unset>" if least is None else str(least)


def _targets(obj: Object, *, named: bool) -> str:
    metrics = obj["spec"].get("metrics") or []
    current = (obj.get("status") or {}).get("currentMetrics") or []
    if not metrics:
        return "<none>"
    texts = [
        _target(metric, current[index] if index < len(current) else {}, named=named)
        for index, metric in enumerate(metrics)
    ]
    text = ", ".join(texts[:SHOWN_METRICS])
    more = len(texts) - SHOWN_METRICS
    return f"{text} + {more} more..." if more > 0 else text


def _target(metric: Object, status: Object, *, named: bool) -> str:
    name = _SOURCES.get(metric.get("type", ""))
    if name is None:
        return "<unknown type>"
    source = metric.get(name) or {}
    target, current = source.get("target") or {}, (status.get(name) or {}).get("current")
    average = target.get("averageValue")
    if name in ("resource", "containerResource"):
        prefix = f"{source.get('name', '')}: " if named else ""
        if average is not None:
            return f"{prefix}{_value(current, 'averageValue')}/{average}"
        target_percent = target.get("averageUtilization")
        target_text = "<auto>" if target_percent is None else f"{target_percent}%"
        used = (current or {}).get("averageUtilization")
        return f"{prefix}{_UNKNOWN if used is None else f'{used}%'}/{target_text}"
    if name == "pods":
        return f"{_value(current, 'averageValue')}/{average or '0'}"
    if average is not None:
        current_average = (current or {}).get("averageValue")
        return f"{_UNKNOWN if current_average is None else current_average}/{average} (avg)"
    return f"{_value(current, 'value')}/{target.get('value', '0')}"


def _value(current: Object | None, name: str) -> str:
    """Returns one of the current quantities of a metric, such as `averageValue`, for the table.

    - `current`: the current quantities; if None, returns "<unknown>"
    - `name`: the name of the quantity; if the quantity is missing, returns "0"
    """
    return _UNKNOWN if current is None else current.get(name) or "0"
