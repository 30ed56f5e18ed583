"""Layouts of claims and slices: where an API version has the fields of device requests and of devices."""

import re
from enum import Enum
from typing import Final

from fakeapi.releases import Kind


class Layout(Enum):
    """The two layouts of exact device requests and of devices in API versions.

    - NESTED: fields of an exact request are in the request itself, fields of a device under `basic`.
    - FLAT: fields of an exact request are under `exactly`, fields of a device in the device itself.
    """

    NESTED = "v1alpha3, v1beta1"
    FLAT = "v1beta2, v1"


NESTED_PATHS: Final = (
    (
        re.compile(
            r"spec\.devices\.requests\[(\d+)\]\."
            r"(deviceClassName|selectors|allocationMode|count|adminAccess|tolerations|derivedAttributes)"
        ),
        r"spec.devices.requests[\1].exactly.\2",
    ),
    (re.compile(r"spec\.devices\[(\d+)\]\.basic\."), r"spec.devices[\1]."),
)
"""Patterns of v1beta1 field paths, each with its replacement for the hub version (the stored layout).

Follows `ResourceNormalizationRules` of k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

_NESTED = frozenset(("v1alpha3", "v1beta1"))


def layout_of(kind: Kind) -> Layout:
    """Returns the layout of a kind's API version. The hub version, in which objects are stored, uses FLAT."""
    return Layout.NESTED if kind.version in _NESTED else Layout.FLAT
