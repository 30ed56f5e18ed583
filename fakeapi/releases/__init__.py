"""Data about each Kubernetes release: kinds, schemas, feature gates, limits of objects, and quirks.

A quirk is behaviour that differs between releases.
"""

from fakeapi.releases.gates import GateError, Gates, UnknownGateError
from fakeapi.releases.kinds import Kind, Lifecycle, Subresource
from fakeapi.releases.limits import Limits
from fakeapi.releases.quirks import Quirks
from fakeapi.releases.release import (
    COMPILED_RELEASES,
    KNOWN_RELEASES,
    Release,
    UnknownReleaseError,
    load_release,
)
from fakeapi.releases.runtime_config import RuntimeConfigError
from fakeapi.releases.serving import ServedVersion, Serving, served

__all__ = [
    "COMPILED_RELEASES",
    "KNOWN_RELEASES",
    "GateError",
    "Gates",
    "Kind",
    "Lifecycle",
    "Limits",
    "Quirks",
    "Release",
    "RuntimeConfigError",
    "ServedVersion",
    "Serving",
    "Subresource",
    "UnknownGateError",
    "UnknownReleaseError",
    "load_release",
    "served",
]
