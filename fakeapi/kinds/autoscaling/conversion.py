"""Converts HorizontalPodAutoscalers between autoscaling/v1 and the stored layout, which is the layout of v2.

In v1, annotations contain the fields that only v2 has. Follows k8s.io/kubernetes
`pkg/apis/autoscaling/v1/conversion.go`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

from fakeapi.kinds.autoscaling import metrics_v1
from fakeapi.machinery import codec
from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Conversion
from fakeapi.registry.model.object_meta import in_order
from fakeapi.releases.rules import ReleaseRules

METRICS = "autoscaling.alpha.kubernetes.io/metrics"
CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics"
CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions"
BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior"
SCALE_DOWN_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-down-tolerance"
SCALE_UP_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-up-tolerance"
ROUND_TRIP = frozenset(
    (METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR, SCALE_DOWN_TOLERANCE, SCALE_UP_TOLERANCE)
)
"""Annotations of v1 objects that contain the fields of v2. Objects of v2 never have these annotations."""

DEFAULT_UTILIZATION = 80
_SPEC = ("scaleTargetRef", "minReplicas", "maxReplicas")
_STATUS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_CONDITION = ("type", "status", "lastTransitionTime", "reason", "message", "observedGeneration")
_NOT_THERE = (AttributeError, KeyError, TypeError)
"""Exceptions that a conversion raises if the JSON in an annotation does not have the expected structure."""


def conversions_of(rules: ReleaseRules) -> Mapping[str, Conversion]:
    """Maps the API version v1 to its conversion to and from the stored layout, for a release."""
    return {"v1": Conversion(lambda obj: _to_hub(obj, rules), lambda obj: _from_hub(obj, rules))}


class MetricsText(str):  # noqa: SLOT000 - has an attribute
    """The annotation CURRENT_METRICS of a request, together with its metrics in the stored layout.

    The text prints a missing `averageValue` as 0. Kubernetes converts a request only once, and so stores no
    `averageValue` for a `currentCPUUtilizationPercentage`.

    - `metrics`: the metrics in the layout of v2
    """

    metrics: list[Object]

    def __new__(cls, text: str, metrics: list[Object]) -> Self:
        made = super().__new__(cls, text)
        made.metrics = metrics
        return made


def as_decoded(obj: Object, conversion: Conversion) -> Object:
    """Converts a v1 object of a request to the stored layout and back.

    In the result, the annotation contains the metrics of the status, see `MetricsText`.
    """
    hub = conversion.to_hub(obj)
    converted: Object = conversion.from_hub(hub)
    annotations, metrics = converted["metadata"].get("annotations"), hub["status"].get("currentMetrics")
    if annotations and metrics:
        annotations[CURRENT_METRICS] = MetricsText(annotations[CURRENT_METRICS], metrics)
    return converted


def without_round_trip(obj: Object) -> Object:
    """Returns `obj` without the annotations that the conversion to v1 adds."""
    annotations = obj["metadata"].get("annotations") or {}
    if not ROUND_TRIP.intersection(annotations):
        return obj
    return _annotated(obj, {key: text for key, text in annotations.items() if key not in ROUND_TRIP})


def _annotated(obj: Object, annotations: Mapping[str, str]) -> Object:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "annotations"}
    if annotations:
        metadata["annotations"] = dict(sorted(annotations.items()))
    return {**obj, "metadata": in_order(metadata)}


def _is_cpu(metric: Object) -> bool:
    """Whether a metric is the average CPU utilization, the only metric for which v1 has a field."""
    source = metric.get("resource") or {}
    return (
        metric.get("type") == "Resource"
        and source.get("name") == "cpu"
        and source["target"].get("averageUtilization") is not None
    )


def _cpu_metric(utilization: int) -> Object:
    target = {"type": "Utilization", "averageUtilization": utilization}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _from_hub(obj: Object, rules: ReleaseRules) -> Object:
    spec, status = obj["spec"], obj["status"]
    metrics, current = spec.get("metrics") or [], status.get("currentMetrics") or []
    v1_spec = {name: spec[name] for name in _SPEC if name in spec}
    cpu = next((metric for metric in metrics if _is_cpu(metric)), None)
    if cpu is not None:
        v1_spec["targetCPUUtilizationPercentage"] = cpu["resource"]["target"]["averageUtilization"]
    annotations = dict(without_round_trip(obj)["metadata"].get("annotations") or {})
    others = [metrics_v1.spec_to_v1(metric) for metric in metrics if not _is_cpu(metric)]
    if others:
        annotations[METRICS] = _json(others)
    if current:
        annotations[CURRENT_METRICS] = _json([metrics_v1.status_to_v1(metric) for metric in current])
    if spec.get("behavior") is not None:
        annotations[BEHAVIOR] = _json(_behavior_to_v1(spec["behavior"], rules))
    if status.get("conditions"):
        annotations[CONDITIONS] = _json([_condition(condition, rules) for condition in status["conditions"]])
    return {**_annotated(obj, annotations), "spec": v1_spec, "status": _status_to_v1(status)}


def _status_to_v1(status: Object) -> Object:
    v1_status = {"currentReplicas": 0, **{name: status[name] for name in _STATUS if name in status}}
    for metric in status.get("currentMetrics") or ():
        source = metric.get("resource") or {}
        if metric.get("type") == "Resource" and source.get("name") == "cpu":
            utilization = source["current"].get("averageUtilization")
            if utilization is not None:
                v1_status["currentCPUUtilizationPercentage"] = utilization
    return {
        name: v1_status[name] for name in (*_STATUS, "currentCPUUtilizationPercentage") if name in v1_status
    }


def _condition(condition: Object, rules: ReleaseRules) -> Object:
    fields = {name: condition[name] for name in _CONDITION if condition.get(name) is not None}
    if rules.quirks.zero_creation_timestamp_is_null:
        fields.setdefault("lastTransitionTime", None)
    return {name: fields[name] for name in _CONDITION if name in fields}


def _behavior_to_v1(behavior: Object, rules: ReleaseRules) -> Object:
    """Converts `behavior` for its v1 annotation. Like upstream, the keys are Go field names (`ScaleUp`)."""
    return {
        "ScaleUp": _scaling_to_v1(behavior.get("scaleUp"), rules),
        "ScaleDown": _scaling_to_v1(behavior.get("scaleDown"), rules),
    }


def _scaling_to_v1(scaling: Object | None, rules: ReleaseRules) -> Object | None:
    if scaling is None:
        return None
    policies = scaling.get("policies")
    fields = {
        "StabilizationWindowSeconds": scaling.get("stabilizationWindowSeconds"),
        "SelectPolicy": scaling.get("selectPolicy"),
        "Policies": policies
        and [
            {
                "Type": policy.get("type", ""),
                "Value": policy.get("value", 0),
                "PeriodSeconds": policy.get("periodSeconds", 0),
            }
            for policy in policies
        ],
    }
    tolerant = rules.quirks.workloads.scaling_has_tolerance
    return {**fields, "Tolerance": scaling.get("tolerance")} if tolerant else fields


def _to_hub(obj: Object, rules: ReleaseRules) -> Object:
    spec, status = obj["spec"], obj["status"]
    annotations = obj["metadata"].get("annotations") or {}
    hub_spec = {name: spec[name] for name in _SPEC if name in spec}
    utilization = spec.get("targetCPUUtilizationPercentage")
    metrics = [] if utilization is None else [_cpu_metric(utilization)]
    drops_zero = rules.quirks.workloads.zero_targets_are_dropped
    others = _read(
        annotations.get(METRICS),
        lambda value: [metrics_v1.spec_from_v1(metric, drops_zero=drops_zero) for metric in value],
    )
    hub_spec["metrics"] = [*(others or ()), *metrics] or [_cpu_metric(DEFAULT_UTILIZATION)]
    behavior = _read(annotations.get(BEHAVIOR), _behavior_from_v1)
    if behavior:
        hub_spec["behavior"] = behavior
    return {**without_round_trip(obj), "spec": hub_spec, "status": _status_to_hub(status, annotations)}


def _status_to_hub(status: Object, annotations: Mapping[str, str]) -> Object:
    hub_status = {name: status[name] for name in _STATUS if status.get(name)}
    if status.get("observedGeneration") is not None:  # The field is a pointer in Go, so Go keeps 0.
        hub_status = {"observedGeneration": status["observedGeneration"], **hub_status}
    hub_status.setdefault("desiredReplicas", 0)
    utilization = status.get("currentCPUUtilizationPercentage")
    current: list[Object] | None = None
    if utilization is not None:
        value = {"averageUtilization": utilization}
        current = [{"type": "Resource", "resource": {"name": "cpu", "current": value}}]
    text = annotations.get(CURRENT_METRICS)
    if isinstance(text, MetricsText):
        read = text.metrics
    else:
        read = _read(text, lambda value: [metrics_v1.status_from_v1(metric) for metric in value])
    hub_status["currentMetrics"] = current if read is None else read
    conditions = _read(
        annotations.get(CONDITIONS), lambda value: [_condition_from_v1(condition) for condition in value]
    )
    if conditions:
        hub_status["conditions"] = conditions
    return hub_status


def _condition_from_v1(condition: Object) -> Object:
    converted = {"type": condition.get("type", ""), "status": condition.get("status", "")}
    converted["lastTransitionTime"] = condition.get("lastTransitionTime")
    return converted | {name: condition[name] for name in _CONDITION[3:] if condition.get(name)}


def _behavior_from_v1(behavior: Object) -> Object:
    members = _lowered(behavior)
    directions = {"scaleUp": members.get("scaleup"), "scaleDown": members.get("scaledown")}
    return {name: _scaling_from_v1(value) for name, value in directions.items() if value is not None}


def _scaling_from_v1(scaling: Object) -> Object:
    members = _lowered(scaling)
    policies = members.get("policies")
    fields = {
        "stabilizationWindowSeconds": members.get("stabilizationwindowseconds"),
        "selectPolicy": members.get("selectpolicy"),
        "policies": policies and [_policy_from_v1(policy) for policy in policies],
        "tolerance": members.get("tolerance"),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _policy_from_v1(policy: Object) -> Object:
    members = _lowered(policy)
    return {
        "type": members.get("type", ""),
        "value": members.get("value", 0),
        "periodSeconds": members.get("periodseconds", 0),
    }


def _lowered(obj: Object) -> Object:
    """Returns the object with lower-case keys. Go's encoding/json also ignores the case of field names."""
    return {name.lower(): value for name, value in obj.items()}


def _read(text: str | None, convert: Callable[[Any], Any]) -> Any:
    """Decodes the JSON in an annotation, and converts the value with `convert`.

    `text`: the annotation; None for a missing annotation. Returns None if the annotation is missing or
    malformed.
    """
    if text is None:
        return None
    try:
        return convert(codec.decode(text))
    except (JsonError, *_NOT_THERE):
        return None


def _json(value: Any) -> str:
    return go_encode(value).decode()
