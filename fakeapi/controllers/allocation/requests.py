"""Request: prepares one request or subrequest of a claim for the search for devices."""

from collections.abc import Iterator, Mapping

import msgspec

from fakeapi.controllers.allocation.model import Device
from fakeapi.machinery.json_types import Object

RESULTS_MAX = 32
"""Maximum number of devices in the allocation of one claim (AllocationResultsMaxSize).

A claim that needs more devices raises AllocationError. A search that would allocate more devices fails.
"""

ALL = "All"
EXACT_COUNT = "ExactCount"


class Request(msgspec.Struct, eq=False):
    """A request of a claim, or a subrequest in its firstAvailable.

    - `parent`: the name of the request that contains this subrequest; "" for a request.
    - `device_class`: the DeviceClass of the request.
    - `count`: the number of devices to allocate.
    - `devices`: for allocationMode All, the devices to allocate.
    """

    name: str
    parent: str
    spec: Object
    device_class: Object
    count: int = 0
    devices: list[Device] = msgspec.field(default_factory=list)

    @property
    def full_name(self) -> str:
        """The name of the request, or `request/subrequest`, as in the status of a claim."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    @property
    def takes_all(self) -> bool:
        return bool(self.spec.get("allocationMode", EXACT_COUNT) == ALL)

    @property
    def is_admin(self) -> bool:
        return bool(self.spec.get("adminAccess")) and not self.parent

    @property
    def capacity(self) -> Mapping[str, str]:
        """The requested amount of each capacity, by name."""
        return (self.spec.get("capacity") or {}).get("requests") or {}


def choices_of(request: Object) -> Iterator[tuple[str, str, Object]]:
    """Yields (name, name of the parent request, spec) for each subrequest of a request.

    For a request without subrequests, yields the request itself, with "" as parent.
    """
    if request.get("firstAvailable"):
        for choice in request["firstAvailable"]:
            yield choice["name"], request["name"], choice
    else:
        yield request["name"], "", request["exactly"]


def name_of_claim(claim: Object) -> str:
    """Returns NAMESPACE/NAME of a claim, for error messages."""
    return f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
