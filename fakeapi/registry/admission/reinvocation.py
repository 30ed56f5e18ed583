"""Reinvocation: the data that a write keeps for a second round of mutating admission steps.

Follows k8s.io/apiserver `pkg/admission/reinvocation.go`.
"""

from typing import Any

import msgspec


class Reinvocation(msgspec.Struct):
    """Records whether the mutating admission steps of a write must run a second time.

    Also keeps the data of plugins between the two rounds.
    """

    is_wanted: bool = False
    """Whether the mutating steps must run again, because a webhook or policy changed the object."""

    is_second: bool = False
    """Whether the second round is running."""

    states: dict[type, Any] = msgspec.field(default_factory=dict)
    """The data that each plugin keeps from the first round for the second round, by plugin class."""
