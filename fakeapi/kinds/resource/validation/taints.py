"""Sets defaults of device taints, and validates them.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and `pkg/apis/resource/v1alpha3` of 1.33, the first
release with device taints.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

Now: TypeAlias = Callable[[], str]
"""A function that returns the current time in Kubernetes' format: RFC 3339, UTC, whole seconds."""


def default_taint(taint: dict[str, Any], now: Now) -> dict[str, Any]:
    """Returns the taint with `timeAdded`. The default is the current time."""
    return taint if taint.get("timeAdded") is not None else {**taint, "timeAdded": now()}


def validate_taint(
    taint: dict[str, Any], path: str, rules: ReleaseRules, old: dict[str, Any] | None = None
) -> list[FieldError]:
    """Validates a device taint.

    `old`: the stored taint; None on create. An update may keep an effect that the release does not know.
    """
    key, value, effect = taint["key"], taint.get("value", ""), taint["effect"]
    unit = rules.quirks.wording.length_unit
    errors = [invalid(f"{path}.key", key, message) for message in names.is_qualified_name(key, unit)]
    errors += [
        invalid(f"{path}.value", value, message) for message in names.is_valid_label_value(value, unit)
    ]
    effects = rules.quirks.taint_effects
    if old is not None and old["effect"] == effect:
        return errors
    if not effect:
        errors.append(required(f"{path}.effect"))
    elif effect not in effects:
        errors.append(not_supported(f"{path}.effect", printed_plain(effect, rules.quirks.wording), effects))
    return errors
