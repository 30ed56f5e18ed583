"""Reinvocation: the state for a second round of mutating admission.

Follows k8s.io/apiserver `pkg/admission/reinvocation.go`.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Reinvocation:
    """The state of a write for running its mutating admission steps a second time."""

    is_wanted: bool = False
    """Whether the mutating steps must run again, because a step changed the object."""

    is_second: bool = False
    """Whether the second round is running."""

    states: dict[type, Any] = field(default_factory=dict)
    """The data that each plugin keeps from the first round for the second round, by plugin class."""
