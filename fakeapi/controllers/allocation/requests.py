"""Request: one request of a claim, or one choice of a request with several, as the search sees it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fakeapi.controllers.allocation.model import Device
from fakeapi.machinery.json_types import Object

RESULTS_MAX = 32
"""Devices of one claim (AllocationResultsMaxSize)."""

ALL = "All"
EXACT_COUNT = "ExactCount"


@dataclass(eq=False, slots=True)
class Request:
    """`parent` is the name of the request that this is a choice of; empty for a request without choices.

    `count`: how many devices it takes; for all devices they are in `devices`.
    """

    name: str
    parent: str
    spec: Object
    device_class: Object
    count: int = 0
    devices: list[Device] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """The name of the request, or `request/subrequest`, as the status of a claim writes it."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    @property
    def takes_all(self) -> bool:
        return bool(self.spec.get("allocationMode", EXACT_COUNT) == ALL)

    @property
    def is_admin(self) -> bool:
        return bool(self.spec.get("adminAccess")) and not self.parent

    @property
    def capacity(self) -> Mapping[str, str]:
        """The capacities that are asked for, by name."""
        return (self.spec.get("capacity") or {}).get("requests") or {}


def choices_of(request: Object) -> Iterator[tuple[str, str, Object]]:
    """Name, name of the parent, and spec: of the request itself, or of each of its choices."""
    if request.get("firstAvailable"):
        for choice in request["firstAvailable"]:
            yield choice["name"], request["name"], choice
    else:
        yield request["name"], "", request["exactly"]


def name_of_claim(claim: Object) -> str:
    """NAMESPACE/NAME, as errors have it."""
    return f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
