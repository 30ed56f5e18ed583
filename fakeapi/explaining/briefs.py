"""Builds short texts about requests for which a node lacks devices."""

from collections import Counter
from collections.abc import Mapping

from fakeapi.explaining.model import devices_text
from fakeapi.explaining.obstacles import Obstacle
from fakeapi.explaining.tally import NodeTally, RequestTally

CAUSES: Mapping[Obstacle, str] = {
    Obstacle.IN_USE: "in use",
    Obstacle.TAINT: "tainted",
    Obstacle.CAPACITY: "without enough capacity",
    Obstacle.COUNTERS: "without enough counters",
    Obstacle.CONSTRAINT: "without a constraint's attribute",
    Obstacle.POOL_INCOMPLETE: "in an incomplete pool",
    Obstacle.POOL_INVALID: "in an invalid pool",
    Obstacle.NODE_OPERATIONS: "need node operations",
    Obstacle.BINDING_CONDITIONS: "with bindingConditions",
}
"""Short reasons why devices that match the selectors are not usable."""


def brief_of(tally: RequestTally) -> str:
    """Returns a short reason why a request lacks devices on a node, such as "needs 4, 1 free of 2"."""
    class_name = tally.request.device_class["metadata"]["name"]
    if not tally.published:
        return "no devices"
    if not tally.in_class:
        return f"no device of class {class_name}"
    if not tally.selected:
        return f"matches none of {devices_text(tally.in_class)}"
    needs = "all" if tally.request.takes_all else tally.needed
    causes = Counter(CAUSES[one.obstacle] for one in tally.refused if one.obstacle in CAUSES)
    why = ", ".join(f"{count} {cause}" for cause, count in causes.most_common(2))
    return f"needs {needs}, {len(tally.usable)} free of {tally.selected}{f': {why}' if why else ''}"


_TOGETHER = "each request has its devices, but the claims cannot have all of them together"


def node_brief(tally: NodeTally) -> str:
    """Returns a short reason why a node cannot serve the claims, with a part for each request without
    devices.

    Names at most four requests or subrequests.
    """
    parts = [
        f"request {one.request.full_name}: {brief_of(one)}" for choices in tally.short for one in choices
    ]
    return "; ".join(parts[:4]) or tally.problem or _TOGETHER
