"""Counts the usable and refused devices of each node for each request of a pod's claims."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from fakeapi.controllers.allocation.allocator import Inventory
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import Device, Pool
from fakeapi.controllers.allocation.pools import gather_pools
from fakeapi.controllers.allocation.requests import Request, choices_of
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.allocation.selectors import DeviceMatcher
from fakeapi.explaining.obstacles import Obstacle, Refused, RequestCheck
from fakeapi.machinery.json_types import Object

_BEFORE_CLASS = frozenset((Obstacle.POOL_INCOMPLETE, Obstacle.POOL_INVALID, Obstacle.BINDING_CONDITIONS))
_BEFORE_REQUEST = _BEFORE_CLASS | {Obstacle.CLASS_SELECTOR}
_BEFORE_STATE = _BEFORE_REQUEST | {Obstacle.REQUEST_SELECTOR, Obstacle.OTHER_NODE}


@dataclass(eq=False, slots=True)
class RequestTally:
    """The devices of one node, divided into usable and refused devices for one request.

    - `place`: the path of the request in its claim, such as `spec.devices.requests[0].exactly`.
    - `needed`: the number of devices that the request needs; 0 for allocationMode All.
    - `usable`: the devices that the request could get if it were the only request.
    - `in_class`: the number of devices that match the DeviceClass.
    - `selected`: the number of devices that match all selectors, and that the node can use.
    """

    claim: Object
    request: Request
    place: str
    needed: int
    usable: list[Device] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    in_class: int = 0
    selected: int = 0

    def add(self, result: Refused | Device) -> None:
        """Adds a device: the device itself if the request could get it, a Refused otherwise."""
        if isinstance(result, Refused):
            self.refused.append(result)
            self.in_class += result.obstacle not in _BEFORE_REQUEST
            self.selected += result.obstacle not in _BEFORE_STATE
        else:
            self.usable.append(result)
            self.in_class += 1
            self.selected += 1

    @property
    def published(self) -> int:
        return len(self.usable) + len(self.refused)

    def published_by(self, drivers: Collection[str]) -> int:
        """Returns the number of published devices of these drivers."""
        devices = [*self.usable, *(one.device for one in self.refused)]
        return sum(device.id.driver in drivers for device in devices)

    @property
    def is_enough(self) -> bool:
        """Whether the node has enough devices for this request, if it were the only request.

        For allocationMode All, all selected devices must be usable.
        """
        if self.request.takes_all:
            return bool(self.usable) and self.selected == len(self.usable)
        return len(self.usable) >= self.needed

    @property
    def missing(self) -> int:
        """The number of devices that the request lacks on this node."""
        if self.request.takes_all:
            return max(1, self.selected) - len(self.usable)
        return max(0, self.needed - len(self.usable))


@dataclass(eq=False, slots=True)
class NodeTally:
    """The usable and refused devices of one node for all requests.

    - `requests`: for each request, one RequestTally for each subrequest. A request without subrequests has
      one RequestTally.
    - `problem`: why the node cannot serve all requests together; "" if unknown.
    """

    node: Object
    pools: Sequence[Pool]
    requests: list[list[RequestTally]] = field(default_factory=list)
    problem: str = ""

    @property
    def name(self) -> str:
        return str(self.node["metadata"]["name"])

    @property
    def short(self) -> list[list[RequestTally]]:
        """The requests that the node cannot serve, even if each were the only request."""
        return [choices for choices in self.requests if not any(choice.is_enough for choice in choices)]

    @property
    def missing(self) -> int:
        """The number of devices that all requests lack. Uses the best subrequest of each request."""
        return sum(min(choice.missing for choice in choices) for choices in self.requests)

    def clear(self) -> None:
        """Removes all devices, pools and requests."""
        self.pools, self.requests = (), []


async def tally_node(
    claims: Sequence[Object],
    node: Object,
    inventory: Inventory,
    rules: AllocationRules,
    matcher: DeviceMatcher,
    effort: Effort,
) -> NodeTally:
    """Checks every device that a node can use, for every request of the claims.

    Raises SearchTooLong if the CEL selectors exceed the time limit of an attempt.
    """
    pools = gather_pools(inventory.slices, node, rules)
    tally = NodeTally(node, pools)
    check = RequestCheck(node, pools, inventory, rules, matcher, effort.on_node())
    for claim in claims:
        for path, choices in requests_of_claim(claim, inventory.classes):
            tally.requests.append([])
            for place, request in choices:
                own = RequestTally(claim, request, f"{path}{place}", request.count)
                for result in await check.results(claim, request):
                    own.add(result)
                tally.requests[-1].append(own)
    return tally


def requests_of_claim(
    claim: Object, classes: Mapping[str, Object]
) -> list[tuple[str, list[tuple[str, Request]]]]:
    """Returns the requests of a claim as pairs (path, subrequests). A subrequest is a pair (rest of the path,
    request).

    Leaves out requests and subrequests whose DeviceClass does not exist.
    """
    requests = []
    for number, spec in enumerate((claim["spec"].get("devices") or {}).get("requests") or ()):
        choices = []
        for index, (name, parent, own) in enumerate(choices_of(spec)):
            place = f".firstAvailable[{index}]" if parent else ".exactly"
            device_class = classes.get(own["deviceClassName"])
            if device_class is not None:
                request = Request(name, parent, own, device_class)
                request.count = int(own.get("count", 1)) if not request.takes_all else 0
                choices.append((place, request))
        if choices:
            requests.append((f"spec.devices.requests[{number}]", choices))
    return requests
