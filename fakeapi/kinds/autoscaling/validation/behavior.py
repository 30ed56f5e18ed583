"""Validates the scaling behavior of a HorizontalPodAutoscaler."""

from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.meta.counters import NEGATIVE

PERIOD_MAX = 1800
WINDOW_MAX = 3600
_SELECT_POLICIES = ("Disabled", "Max", "Min")
_POLICIES = ("Percent", "Pods")


def validate_behavior(behavior: Object | None, path: str) -> list[FieldError]:
    directions = behavior or {}
    return [
        error
        for name in ("scaleUp", "scaleDown")
        if directions.get(name) is not None
        for error in _scaling_errors(directions[name], f"{path}.{name}")
    ]


def _scaling_errors(scaling: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    window, at = scaling.get("stabilizationWindowSeconds"), f"{path}.stabilizationWindowSeconds"
    if window is not None and window < 0:
        errors.append(invalid(at, window, "must be greater than or equal to zero"))
    if window is not None and window > WINDOW_MAX:
        errors.append(invalid(at, window, f"must be less than or equal to {WINDOW_MAX}"))
    choice = scaling.get("selectPolicy")
    if choice is not None and choice not in _SELECT_POLICIES:
        errors.append(not_supported(f"{path}.selectPolicy", choice, _SELECT_POLICIES))
    policies = scaling.get("policies") or []
    if not policies:
        errors.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies):
        errors += _policy_errors(policy, f"{path}.policies[{index}]")
    tolerance = scaling.get("tolerance")
    if tolerance is not None and quantity.compare(tolerance, "0") < 0:
        errors.append(invalid(f"{path}.tolerance", tolerance, NEGATIVE))
    return errors


def _policy_errors(policy: Object, path: str) -> list[FieldError]:
    kind, value, period = policy.get("type", ""), policy.get("value", 0), policy.get("periodSeconds", 0)
    errors: list[FieldError] = []
    if kind not in _POLICIES:
        errors.append(not_supported(f"{path}.type", kind, _POLICIES))
    if value <= 0:
        errors.append(invalid(f"{path}.value", value, "must be greater than zero"))
    if period <= 0:
        errors.append(invalid(f"{path}.periodSeconds", period, "must be greater than zero"))
    if period > PERIOD_MAX:
        problem = f"must be less than or equal to {PERIOD_MAX}"
        errors.append(invalid(f"{path}.periodSeconds", period, problem))
    return errors
