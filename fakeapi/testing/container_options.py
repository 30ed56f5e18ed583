"""Checks the option `containers` before a server starts."""

from pathlib import Path
from typing import Any


def check_behaviours(source: Any, controllers: list[str]) -> None:
    """Checks the option `containers`. Raises ValueError if it is invalid, or if no kubelet runs."""
    if not isinstance(source, str | Path | tuple | list) or not source:
        return
    from fakeapi.controllers.kubelet.containers.behaviour_reading import (  # noqa: PLC0415 - loaded when used
        read_behaviours,
    )

    read_behaviours(source)
    if "kubelet" not in controllers:
        raise ValueError("containers: the controller kubelet does not run: add it to --controllers")
