"""Builds texts about the numbers of devices that several nodes have for one request."""

from collections import Counter
from collections.abc import Sequence

from fakeapi.explaining.briefs import CAUSES, node_names
from fakeapi.explaining.model import NAMES_SHOWN, devices_text
from fakeapi.explaining.obstacles import Obstacle
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.registry.offloading.turns import Turns

OnNode = tuple[NodeTally, RequestTally]
"""A node, and the devices that it has for the request."""

OF_SELECTORS = frozenset((
    Obstacle.CLASS_SELECTOR, Obstacle.REQUEST_SELECTOR, Obstacle.OTHER_NODE,
))  # fmt: skip
"""The checks that refuse a device because the request does not want it, or not on this node."""


async def with_devices(pairs: Sequence[OnNode], turns: Turns) -> list[OnNode]:
    """Returns the nodes that have a device for the request, in use or free."""
    having = []
    for node, tally in pairs:
        await turns.give_turn_if_over()
        if tally.selected:
            having.append((node, tally))
    return having


async def free_text(pairs: Sequence[OnNode], turns: Turns) -> str:
    """Returns a text about the free devices, such as "node a has 0 free of 2: 2 in use".

    If none of several nodes has a free device, the numbers are the sums of all these nodes.

    `pairs`: the nodes that have devices for the request; the best node comes first.
    """
    node, best = pairs[0]
    free, selected, subject = len(best.usable), best.selected, f"node {node.name} has"
    causes = Counter(_obstacles(best))
    is_one = len(pairs) == 1 or best.request.takes_all
    if not is_one and not free:
        names = []
        for other, tally in pairs[1:]:
            await turns.give_turn_if_over()
            names.append(other.name)
            selected += tally.selected
            causes.update(_obstacles(tally))
        subject = f"{node_names([node.name, *names])} have"
    why = "; ".join(f"{count} {CAUSES.get(one, one)}" for one, count in causes.most_common(3))
    text = f"{subject} {free} free of {selected}{f': {why}' if why else ''}"
    return text if is_one or not free else f"{text}; no node has more"


def _obstacles(tally: RequestTally) -> list[Obstacle]:
    return [one.obstacle for one in tally.refused if one.obstacle not in OF_SELECTORS]


async def count_lines(pairs: Sequence[OnNode], turns: Turns) -> list[str]:
    """Returns one line for each number of devices, such as "4 devices, 2 of them free: nodes a, b".

    `pairs`: the nodes that have devices for the request.
    """
    nodes: dict[tuple[int, int], list[str]] = {}
    for node, tally in pairs:
        await turns.give_turn_if_over()
        nodes.setdefault((tally.selected, len(tally.usable)), []).append(node.name)
    return [
        f"{devices_text(selected)}, {usable} of them free: {node_names(names, NAMES_SHOWN)}"
        for (selected, usable), names in sorted(nodes.items(), reverse=True)[:NAMES_SHOWN]
    ]
