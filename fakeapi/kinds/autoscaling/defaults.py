"""Sets the defaults of HorizontalPodAutoscalers in autoscaling/v2.

Follows k8s.io/kubernetes `pkg/apis/autoscaling/v2/defaults.go`.
"""

from typing import Any, Final

from fakeapi.machinery.json_types import Object
from fakeapi.releases import Gates

UTILIZATION: Final = 80
"""Default target CPU utilization of an autoscaler without metrics, in percent of the requested CPU."""

_PERIOD = 15
_PERCENT: Object = {"type": "Percent", "value": 100, "periodSeconds": _PERIOD}
_PODS: Object = {"type": "Pods", "value": 4, "periodSeconds": _PERIOD}


def metrics(obj: Object, gates: Gates) -> None:
    if not obj["spec"].get("metrics"):
        target = {"type": "Utilization", "averageUtilization": UTILIZATION}
        obj["spec"]["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]


def behavior(obj: Object, gates: Gates) -> None:
    """Sets the defaults for scaling up and scaling down if the spec has a `behavior`."""
    directions = obj["spec"].get("behavior")
    if directions is None:
        return
    up = {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [dict(_PODS), dict(_PERCENT)]}
    down = {"selectPolicy": "Max", "policies": [dict(_PERCENT)]}
    for name, defaults in (("scaleUp", up), ("scaleDown", down)):
        directions[name] = _filled(directions.get(name) or {}, defaults)


def _filled(rules: Object, defaults: Object) -> dict[str, Any]:
    order = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
    values = {**defaults, **{name: value for name, value in rules.items() if value is not None}}
    return {name: values[name] for name in order if name in values}
