"""Layouts of claims and slices: where a version has the parts of requests and devices."""

from enum import Enum

from fakeapi.releases import Kind


class Layout(Enum):
    """NESTED: the fields of an exact request stand in the request, the parts of a device under `basic`. FLAT:
    the fields of an exact request stand under `exactly`, the parts of a device beside its name.
    """

    NESTED = "v1alpha3, v1beta1"
    FLAT = "v1beta2, v1"


_NESTED = frozenset(("v1alpha3", "v1beta1"))


def layout_of(kind: Kind) -> Layout:
    """The layout of a kind's version; FLAT is that of the hub."""
    return Layout.NESTED if kind.version in _NESTED else Layout.FLAT
