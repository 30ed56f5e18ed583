"""Says in few words why a node does not have the devices of a request."""

from fakeapi.explaining.model import devices_text
from fakeapi.explaining.tally import NodeTally, RequestTally


def brief_of(tally: RequestTally) -> str:
    """Returns why a request lacks devices on one node, such as "needs 4, 1 free of 2"."""
    class_name = tally.request.device_class["metadata"]["name"]
    if not tally.published:
        return "no devices"
    if not tally.in_class:
        return f"no device of class {class_name}"
    if not tally.selected:
        return f"matches none of {devices_text(tally.in_class)}"
    needs = "all" if tally.request.takes_all else tally.needed
    return f"needs {needs}, {len(tally.usable)} free of {tally.selected}"


def node_brief(tally: NodeTally) -> str:
    """Returns why a node cannot serve its claims, one part for each request that lacks devices."""
    parts = [
        f"request {one.request.full_name}: {brief_of(one)}" for choices in tally.short for one in choices
    ]
    return "; ".join(parts[:4]) or "the devices do not fit together"
