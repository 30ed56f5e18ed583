"""Validates the metrics of a HorizontalPodAutoscaler in the layout of autoscaling/v2."""

from collections.abc import Callable, Sequence

from fakeapi.kinds.autoscaling.validation.references import ReferenceRules, validate_reference
from fakeapi.kinds.common.printing.quantities import printed_quantity
from fakeapi.kinds.common.resource_names import validate_container_resource_name
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.meta.names import is_dns1123_label, is_valid_path_segment_name
from fakeapi.releases.rules import ReleaseRules

CONTAINER_METRICS = "HPAContainerMetrics"
_SOURCES = {
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
    "External": "external",
    "ContainerResource": "containerResource",
}
_IN_ORDER = ("object", "external", "pods", "resource", "containerResource")
_TYPES = tuple(sorted(_SOURCES))
_TARGETS = ("Utilization", "Value", "AverageValue")
_MISSING = "must populate information for the given metric source"


def validate_metrics(
    metrics: Sequence[Object], path: str, least: int | None, described: ReferenceRules, rules: ReleaseRules
) -> list[FieldError]:
    """Validates the metrics of a HorizontalPodAutoscaler.

    - `least`: the minimum number of replicas; None if unset
    - `described`: the rules for references to the objects that metrics describe
    """
    errors = [
        error
        for index, metric in enumerate(metrics)
        for error in _metric_errors(metric, f"{path}[{index}]", described, rules)
    ]
    if least == 0 and not any(metric.get("type") in ("Object", "External") for metric in metrics):
        problem = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden(path, problem))
    return errors


def _metric_errors(
    metric: Object, path: str, described: ReferenceRules, rules: ReleaseRules
) -> list[FieldError]:
    kind, errors = metric.get("type", ""), list[FieldError]()
    if not kind:
        errors.append(required(f"{path}.type", "must specify a metric source type"))
    unknown = [] if kind in _SOURCES else [not_supported(f"{path}.type", kind, _TYPES)]
    errors += unknown
    present = [name for name in _IN_ORDER if metric.get(name) is not None]
    if present:
        errors += _source_errors(present[0], metric[present[0]], f"{path}.{present[0]}", described, rules)
    expected = _SOURCES.get(kind)
    if expected is not None and expected not in present:
        errors.append(required(f"{path}.{expected}", _missing(expected, rules)))
    errors += unknown
    if len(present) != 1:
        errors += [
            forbidden(f"{path}.{name}", "must populate the given metric source only")
            for name in sorted(present)
            if name != expected
        ]
    return errors


def _missing(name: str, rules: ReleaseRules) -> str:
    if name != "containerResource" or rules.gates.enabled(CONTAINER_METRICS):
        return _MISSING
    return f"{_MISSING} (only allowed when {CONTAINER_METRICS} feature is enabled)"


def _source_errors(
    name: str, source: Object, path: str, described: ReferenceRules, rules: ReleaseRules
) -> list[FieldError]:
    errors: list[FieldError] = []
    if name == "object":
        errors += validate_reference(source["describedObject"], f"{path}.describedObject", described)
    if name in ("resource", "containerResource"):
        errors += _resource_errors(name, source, path, rules)
    else:
        errors += _identifier_errors(source["metric"], f"{path}.metric")
    target, at = source["target"], f"{path}.target"
    return [*errors, *_target_errors(target, at, rules), *_AIMS[name](target, at)]


def _resource_errors(name: str, source: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    if not source.get("name"):
        errors.append(required(f"{path}.name", "must specify a resource name"))
    elif name == "containerResource":
        errors += validate_container_resource_name(
            source["name"],
            f"{path}.name",
            rules.quirks.wording,
            quotes_unqualified=rules.quirks.workloads.autoscalers_quote_resource_names,
        )
    if name != "containerResource":
        return errors
    container = source.get("container", "")
    if not container:
        return [*errors, required(f"{path}.container", "must specify a container")]
    return errors + [
        invalid(f"{path}.container", container, message) for message in is_dns1123_label(container)
    ]


def _identifier_errors(metric: Object, path: str) -> list[FieldError]:
    name = metric.get("name", "")
    if not name:
        return [required(f"{path}.name", "must specify a metric name")]
    return [invalid(f"{path}.name", name, message) for message in is_valid_path_segment_name(name)]


def _target_errors(target: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    kind, errors = target.get("type", ""), list[FieldError]()
    if not kind:
        errors.append(required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGETS:
        errors.append(invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue"))
    for name in ("value", "averageValue"):
        value = target.get(name)
        if value is not None and quantity.compare(value, "0") <= 0:
            errors.append(
                invalid(f"{path}.{name}", printed_quantity(value, rules.quirks.wording), "must be positive")
            )
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        errors.append(invalid(f"{path}.averageUtilization", utilization, "must be greater than 0"))
    return errors


def _object_aims(target: Object, path: str) -> list[FieldError]:
    if target.get("value") is not None or target.get("averageValue") is not None:
        return []
    return [required(f"{path}.averageValue", "must set either a target value or averageValue")]


def _external_aims(target: Object, path: str) -> list[FieldError]:
    values = [target.get(name) is not None for name in ("value", "averageValue")]
    if not any(values):
        problem = "must set either a target value for metric or a per-pod target"
        return [required(f"{path}.averageValue", problem)]
    problem = "may not set both a target value for metric and a per-pod target"
    return [forbidden(f"{path}.value", problem)] if all(values) else []


def _pods_aims(target: Object, path: str) -> list[FieldError]:
    if target.get("averageValue") is not None:
        return []
    return [required(f"{path}.averageValue", "must specify a positive target averageValue")]


def _resource_aims(target: Object, path: str) -> list[FieldError]:
    values = [target.get(name) is not None for name in ("averageUtilization", "averageValue")]
    if not any(values):
        problem = "must set either a target raw value or a target utilization"
        return [required(f"{path}.averageUtilization", problem)]
    problem = "may not set both a target raw value and a target utilization"
    return [forbidden(f"{path}.averageValue", problem)] if all(values) else []


_AIMS: dict[str, Callable[[Object, str], list[FieldError]]] = {
    "object": _object_aims,
    "external": _external_aims,
    "pods": _pods_aims,
    "resource": _resource_aims,
    "containerResource": _resource_aims,
}
