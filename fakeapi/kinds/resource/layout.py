"""Layouts of claims and slices: where a version has the parts of requests and devices."""

import re
from enum import Enum
from typing import Final

from fakeapi.releases import Kind


class Layout(Enum):
    """NESTED: the fields of an exact request stand in the request, the parts of a device under `basic`. FLAT:
    the fields of an exact request stand under `exactly`, the parts of a device beside its name.
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
"""Paths in v1beta1, and those in the layout of the hub. Follows `ResourceNormalizationRules` of
k8s.io/kubernetes `pkg/apis/resource/validation`."""

_NESTED = frozenset(("v1alpha3", "v1beta1"))


def layout_of(kind: Kind) -> Layout:
    """The layout of a kind's version; FLAT is that of the hub."""
    return Layout.NESTED if kind.version in _NESTED else Layout.FLAT
