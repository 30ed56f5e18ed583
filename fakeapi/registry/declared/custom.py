"""Defines the validation functions for `+k8s:customValidation` markers.

Follows k8s.io/kubernetes `pkg/apis/core/v1` and `pkg/apis/lifecycle/v1alpha1` (validation.go) from 1.37, and
k8s.io/apimachinery `pkg/apis/meta/v1/validation`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.registry.declared.run import Run

_RESERVED_DOMAINS: Final = (".k8s.io", ".kubernetes.io")
_RESERVED_PRIORITIES: Final = range(1000)


def _outside_reserved_domains(run: Run, path: str, new: Any, old: Any) -> Sequence[FieldError]:
    domain = (new or "").partition("/")[0].lower().strip().rstrip(".")
    if not any(domain.endswith(reserved) or domain == reserved.strip(".") for reserved in _RESERVED_DOMAINS):
        return ()
    listed = ", ".join(f"*{reserved}" for reserved in _RESERVED_DOMAINS)
    return [invalid(path, new, f"domain names {listed} are reserved")]


def _outside_reserved_priorities(run: Run, path: str, new: Any, old: Any) -> Sequence[FieldError]:
    if new not in _RESERVED_PRIORITIES:
        return ()
    return [invalid(path, new, "priorities 0-999 are reserved for responders with *.k8s.io suffix")]


def _has_time(run: Run, path: str, new: Any, old: Any) -> Sequence[FieldError]:
    return () if new else [required(path)]


CUSTOM: Final[Mapping[str, Callable[[Run, str, Any, Any], Sequence[FieldError]]]] = {
    "Custom:Condition_LastTransitionTime": _has_time,
    "Custom:EvictionRequestSpec_Requester": _outside_reserved_domains,
    "Custom:EvictionResponder_Name": _outside_reserved_domains,
    "Custom:EvictionResponder_Priority": _outside_reserved_priorities,
}
"""The validation functions, by the name of upstream's function without the prefix `ValidateCustom_`."""
