"""Converts metrics between autoscaling/v2 and the annotations of autoscaling/v1.

Follows the metric conversions of k8s.io/kubernetes `pkg/apis/autoscaling/v1/conversion.go`.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.json_types import Object

ZERO = "0"
Converted = Callable[[Object], Object]


def _given(**members: Any) -> Object:
    """Returns a dict of the keyword arguments that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def _reference(obj: Object) -> Object:
    reference = {"kind": obj.get("kind", ""), "name": obj.get("name", "")}
    return {**reference, "apiVersion": obj["apiVersion"]} if obj.get("apiVersion") else reference


def _identifier(name: str, selector: Object | None) -> Object:
    return _given(name=name, selector=selector)


# specs ---------------------------------------------------------------------------------------------


def spec_to_v1(metric: Object) -> Object:
    """Converts a metric of a v2 spec to its form in the v1 annotation."""
    converted: Object = {"type": metric.get("type", "")}
    for name, convert in _SPECS_TO_V1.items():
        if metric.get(name) is not None:
            converted[name] = convert(metric[name])
    return converted


def _object_to_v1(source: Object) -> Object:
    target, metric = source["target"], source["metric"]
    return _given(
        target=_reference(source["describedObject"]),
        metricName=metric["name"],
        targetValue=target.get("value", ZERO),
        selector=metric.get("selector"),
        averageValue=target.get("averageValue"),
    )


def _pods_to_v1(source: Object) -> Object:
    metric = source["metric"]
    return _given(
        metricName=metric["name"],
        targetAverageValue=source["target"].get("averageValue", ZERO),
        selector=metric.get("selector"),
    )


def _resource_to_v1(source: Object) -> Object:
    target = source["target"]
    return _given(
        name=source["name"],
        targetAverageUtilization=target.get("averageUtilization"),
        targetAverageValue=target.get("averageValue"),
        container=source.get("container"),
    )


def _external_to_v1(source: Object) -> Object:
    target, metric = source["target"], source["metric"]
    return _given(
        metricName=metric["name"],
        metricSelector=metric.get("selector"),
        targetValue=target.get("value"),
        targetAverageValue=target.get("averageValue"),
    )


_SPECS_TO_V1: dict[str, Converted] = {
    "object": _object_to_v1,
    "pods": _pods_to_v1,
    "resource": _resource_to_v1,
    "containerResource": _resource_to_v1,
    "external": _external_to_v1,
}


def spec_from_v1(metric: Object, *, drops_zero: bool) -> Object:
    """Converts a metric of a v1 annotation to the form of a v2 spec.

    `drops_zero`: whether to drop a target `value` of 0 if the metric also has an `averageValue`. Raises
    AttributeError, TypeError or KeyError if the metric does not have the expected structure.
    """
    converted: Object = {"type": metric.get("type", "")}
    if metric.get("object") is not None:
        converted["object"] = _object_from_v1(metric["object"], drops_zero=drops_zero)
    for name, convert in _SPECS_FROM_V1.items():
        if metric.get(name) is not None:
            converted[name] = convert(metric[name])
    return converted


def _object_from_v1(source: Object, *, drops_zero: bool) -> Object:
    value, average = source.get("targetValue", ZERO), source.get("averageValue")
    target_value = None if drops_zero and average is not None and value == ZERO else value
    return {
        "describedObject": _reference(source.get("target") or {}),
        "target": _given(
            type="Value" if average is None else "AverageValue", value=target_value, averageValue=average
        ),
        "metric": _identifier(source.get("metricName", ""), source.get("selector")),
    }


def _pods_from_v1(source: Object) -> Object:
    return {
        "metric": _identifier(source.get("metricName", ""), source.get("selector")),
        "target": {"type": "AverageValue", "averageValue": source.get("targetAverageValue", ZERO)},
    }


def _resource_from_v1(source: Object) -> Object:
    utilization = source.get("targetAverageUtilization")
    target = _given(
        type="AverageValue" if utilization is None else "Utilization",
        averageValue=source.get("targetAverageValue"),
        averageUtilization=utilization,
    )
    return _given(name=source.get("name", ""), target=target, container=source.get("container"))


def _external_from_v1(source: Object) -> Object:
    value = source.get("targetValue")
    target = _given(
        type="AverageValue" if value is None else "Value",
        value=value,
        averageValue=source.get("targetAverageValue"),
    )
    metric = _identifier(source.get("metricName", ""), source.get("metricSelector"))
    return {"metric": metric, "target": target}


_SPECS_FROM_V1: dict[str, Converted] = {
    "pods": _pods_from_v1,
    "resource": _resource_from_v1,
    "containerResource": _resource_from_v1,
    "external": _external_from_v1,
}


# statuses ------------------------------------------------------------------------------------------


def status_to_v1(metric: Object) -> Object:
    """Converts a metric of a v2 status to its form in the v1 annotation."""
    converted: Object = {"type": metric.get("type", "")}
    for name, convert in _STATUSES_TO_V1.items():
        if metric.get(name) is not None:
            converted[name] = convert(metric[name])
    return converted


def _object_status_to_v1(source: Object) -> Object:
    current, metric = source["current"], source["metric"]
    return _given(
        target=_reference(source["describedObject"]),
        metricName=metric["name"],
        currentValue=current.get("value", ZERO),
        selector=metric.get("selector"),
        averageValue=current.get("averageValue"),
    )


def _pods_status_to_v1(source: Object) -> Object:
    metric = source["metric"]
    return _given(
        metricName=metric["name"],
        currentAverageValue=source["current"].get("averageValue", ZERO),
        selector=metric.get("selector"),
    )


def _resource_status_to_v1(source: Object) -> Object:
    current = source["current"]
    return _given(
        name=source["name"],
        currentAverageUtilization=current.get("averageUtilization"),
        currentAverageValue=current.get("averageValue", ZERO),
        container=source.get("container"),
    )


def _external_status_to_v1(source: Object) -> Object:
    current, metric = source["current"], source["metric"]
    return _given(
        metricName=metric["name"],
        metricSelector=metric.get("selector"),
        currentValue=current.get("value", ZERO),
        currentAverageValue=current.get("averageValue"),
    )


_STATUSES_TO_V1: dict[str, Converted] = {
    "object": _object_status_to_v1,
    "pods": _pods_status_to_v1,
    "resource": _resource_status_to_v1,
    "containerResource": _resource_status_to_v1,
    "external": _external_status_to_v1,
}


def status_from_v1(metric: Object) -> Object:
    """Converts a metric of a v1 annotation to the form of a v2 status.

    Raises AttributeError, TypeError or KeyError if the metric does not have the expected structure.
    """
    converted: Object = {"type": metric.get("type", "")}
    for name, convert in _STATUSES_FROM_V1.items():
        if metric.get(name) is not None:
            converted[name] = convert(metric[name])
    return converted


def _object_status_from_v1(source: Object) -> Object:
    return {
        "metric": _identifier(source.get("metricName", ""), source.get("selector")),
        "current": _given(value=source.get("currentValue", ZERO), averageValue=source.get("averageValue")),
        "describedObject": _reference(source.get("target") or {}),
    }


def _pods_status_from_v1(source: Object) -> Object:
    return {
        "metric": _identifier(source.get("metricName", ""), source.get("selector")),
        "current": {"averageValue": source.get("currentAverageValue", ZERO)},
    }


def _resource_status_from_v1(source: Object) -> Object:
    current = _given(
        averageValue=source.get("currentAverageValue", ZERO),
        averageUtilization=source.get("currentAverageUtilization"),
    )
    return _given(name=source.get("name", ""), current=current, container=source.get("container"))


def _external_status_from_v1(source: Object) -> Object:
    current = _given(value=source.get("currentValue", ZERO), averageValue=source.get("currentAverageValue"))
    metric = _identifier(source.get("metricName", ""), source.get("metricSelector"))
    return {"metric": metric, "current": current}


_STATUSES_FROM_V1: dict[str, Converted] = {
    "object": _object_status_from_v1,
    "pods": _pods_status_from_v1,
    "resource": _resource_status_from_v1,
    "containerResource": _resource_status_from_v1,
    "external": _external_status_from_v1,
}
