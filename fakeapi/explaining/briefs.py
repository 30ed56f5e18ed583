"""Builds short texts about requests for which a node lacks devices."""

from collections import Counter
from collections.abc import Mapping, Sequence

from fakeapi.controllers.allocation.model import Pool
from fakeapi.explaining.model import devices_text, listed
from fakeapi.explaining.obstacles import Obstacle
from fakeapi.explaining.pool_facts import drivers_of_class
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.machinery.json_types import Object

CAUSES: Mapping[Obstacle, str] = {
    Obstacle.IN_USE: "in use",
    Obstacle.TAINT: "tainted",
    Obstacle.CAPACITY: "without enough capacity",
    Obstacle.COUNTERS: "blocked by other partitions",
    Obstacle.CONSTRAINT: "without a constraint's attribute",
    Obstacle.POOL_INCOMPLETE: "in an incomplete pool",
    Obstacle.POOL_INVALID: "in an invalid pool",
    Obstacle.NODE_OPERATIONS: "need node operations",
    Obstacle.BINDING_CONDITIONS: "with bindingConditions",
}
"""Short reasons why devices that match the selectors are not usable."""


def brief_of(tally: RequestTally, pools: Sequence[Pool]) -> str:
    """Returns a short reason why a request lacks devices on a node, such as "needs 4, 1 free of 2".

    `pools`: the pools of the node.
    """
    class_name = tally.request.device_class["metadata"]["name"]
    if not tally.in_class:
        drivers = drivers_of_class(tally.request.device_class)
        closed = [pool.id for pool in pools if pool.is_incomplete and pool.id.driver in drivers]
        why = f" (pool {closed[0]} is incomplete)" if closed else ""
        return f"no device of class {class_name}{why}"
    if not tally.selected:
        return f"matches none of {devices_text(tally.in_class)}"
    needs = "all" if tally.request.takes_all else tally.needed
    causes = Counter(CAUSES[one.obstacle] for one in tally.refused if one.obstacle in CAUSES)
    why = ", ".join(f"{count} {cause}" for cause, count in causes.most_common(2))
    return f"needs {needs}, {len(tally.usable)} free of {tally.selected}{f': {why}' if why else ''}"


def _together(tally: NodeTally) -> str:
    """Returns the text that a node has devices for each request alone, but not for all requests together."""
    claims = {one.claim["metadata"]["name"]: one.claim for choices in tally.requests for one in choices}
    whose = "each request alone has" if len(tally.requests) > 1 else "the request has"
    if any((claim["spec"].get("devices") or {}).get("constraints") for claim in claims.values()):
        of = "claim" if len(claims) == 1 else "claims"
        return f"{whose} enough devices, but no choice of them also satisfies the constraints of the {of}"
    if len(claims) > 1:
        return f"{whose} enough devices, but the claims cannot have all of them together"
    return f"{whose} enough devices, but not all requests of the claim together"


def node_brief(tally: NodeTally) -> str:
    """Returns a short reason why a node cannot serve the claims, with a part for each request without
    devices.

    Names at most four requests or subrequests.
    """
    parts = [
        f"request {one.request.full_name}: {brief_of(one, tally.pools)}"
        for choices in tally.short
        for one in choices
    ]
    return "; ".join(parts[:4]) or tally.problem or _together(tally)


def counted(count: int, verb: str) -> str:
    """Returns a count and a verb that agree, such as "1 matches" or "2 match".

    `verb`: the plural form: "match" or "are".
    """
    return f"{count} {_SINGULAR[verb] if count == 1 else verb}"


_SINGULAR = {"match": "matches", "are": "is"}


def claim_name(claim: Object) -> str:
    """Returns the text "claim NAME"."""
    return f"claim {claim['metadata']['name']}"


def no_nodes_have(nodes: Sequence[NodeTally]) -> str:
    """Returns the text "node NAME has no" or "none of 3 nodes has", before a noun."""
    return f"node {nodes[0].name} has no" if len(nodes) == 1 else f"none of {len(nodes)} nodes has"


def lacking_nodes(nodes: Sequence[NodeTally]) -> str:
    """Returns the text "node NAME has no device" or "3 nodes have no device"."""
    return f"node {nodes[0].name} has no device" if len(nodes) == 1 else f"{len(nodes)} nodes have no device"


def node_names(names: Sequence[str], shown: int = 3) -> str:
    """Returns node names as text, such as "node a", "nodes a, b" or "no node".

    `shown`: the maximum number of names.
    """
    if not names:
        return "no node"
    return f"{'node' if len(names) == 1 else 'nodes'} {listed(names, shown)}"
