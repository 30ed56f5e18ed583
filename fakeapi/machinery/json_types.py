"""Types of decoded JSON."""

from typing import Any, TypeAlias

Object: TypeAlias = dict[str, Any]
"""A JSON object: a whole Kubernetes object, or any object inside one."""
