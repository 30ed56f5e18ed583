"""Reinvocation: whether mutating admission is asked a second time about a write.

Follows k8s.io/apiserver `pkg/admission/reinvocation.go`.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Reinvocation:
    """`is_wanted` is set by a step whose change the others are to see; `is_second` while they are asked
    again. `states` are what steps keep from the first time.
    """

    is_wanted: bool = False
    is_second: bool = False
    states: dict[type, Any] = field(default_factory=dict)
