"""Reinvocation: the state for a second round of mutating admission.

Follows k8s.io/apiserver `pkg/admission/reinvocation.go`.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Reinvocation:
    """Whether the mutating steps of a write run a second time, and their state."""

    is_wanted: bool = False
    """Set by a step that changed the object, so that the other steps run again on the result."""

    is_second: bool = False
    """Whether the second round is running."""

    states: dict[type, Any] = field(default_factory=dict)
    """The data that steps keep from the first round for the second, by type."""
