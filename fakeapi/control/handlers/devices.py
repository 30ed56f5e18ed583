"""Returns nodes with their pools and devices, and claims and pending pods with their states."""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from fakeapi.control.devices.causes import Waiting
from fakeapi.control.devices.claim_states import (
    ClaimState,
    ClaimView,
    PodView,
)
from fakeapi.control.devices.natural_order import natural_key
from fakeapi.control.devices.pool_details import DeviceDetails, device_details
from fakeapi.control.devices.pools import DeviceState, NodeView, node_views
from fakeapi.control.devices.reading import read_claims_and_pods, read_objects
from fakeapi.control.devices.workloads import WorkloadView
from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route

CLAIMS_MAX = 1_000
"""Maximum number of claims, and of pending pods, in one response. Clients read further claims with `skip`."""

UNFOLDED_MAX = 5
"""Maximum number of claims with the same cause that a list with `fold` returns one by one."""

CLAIM_BYTES = 512
"""Estimated size of one claim in a response, in bytes."""

DEVICE_BYTES = 256
"""Estimated size of one device in a response, in bytes."""

DETAILS_BYTES = 2048
"""Estimated size of one device with its attributes and capacity in a response, in bytes."""


class DeviceQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query for devices.

    `unless`: a resourceVersion. If no object has changed since then, the response has no nodes.
    """

    unless: str = ""


class PoolQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query for one pool: the names of its driver and of the pool."""

    driver: str
    pool: str


class PoolDevices(msgspec.Struct, rename="camel"):
    """The devices of one pool with their attributes, capacity and taints; [] if the pool does not exist."""

    devices: list[DeviceDetails]


class DriverView(msgspec.Struct, rename="camel"):
    """The numbers of devices of one driver, by state.

    - `free`: the number of devices that no claim has and that have no taint.
    - `free_unschedulable`: the number of those free devices on nodes that take no pods, because the node is
      not ready, is cordoned or does not exist.
    - `in_use`: the number of devices that a claim has.
    - `allocated`, `reserved` and `prepared`: the numbers of devices that a claim in this state has. A device
      counts in several states if claims in several states share the device.
    - `tainted` and `unhealthy`: the numbers of tainted and of unhealthy devices, allocated or not.
    """

    driver: str
    devices: int
    free: int
    free_unschedulable: int
    in_use: int
    allocated: int
    reserved: int
    prepared: int
    tainted: int
    unhealthy: int


class DeviceMap(msgspec.Struct, rename="camel"):
    """All nodes with their devices.

    `changed`: whether objects changed since the query's `unless`; False if the response has no nodes.
    """

    resource_version: str
    changed: bool
    drivers: list[DriverView] = []
    nodes: list[NodeView] = []


class ClaimQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query for claims.

    - `state`: the state of the claims; "" for all.
    - `namespace`: the namespace of claims and pods; "" for all.
    - `search`: a text in NAMESPACE/NAME, the node, the devices, the pods or the reason of a claim, or the
      complete name of a DeviceClass of the claim; "" for all. The text matches in any case of letters.
    - `cause`: the `cause` of claims that wait; "" for all claims.
    - `fold`: whether to return only the first claim of each cause that more than UNFOLDED_MAX claims have.
    - `skip`: the number of claims to skip at the beginning.
    - `limit`: the maximum number of claims, and of pending pods, to return.
    """

    state: str = ""
    namespace: str = ""
    search: str = ""
    cause: str = ""
    fold: bool = False
    skip: int = 0
    limit: int = CLAIMS_MAX


class ClaimList(msgspec.Struct, rename="camel"):
    """Claims and the pods that do not run yet.

    Pending claims come first, then claims that are being deleted, then the others, each in the order of their
    names.

    - `states`: the number of claims in each state, before the query's filters.
    - `total`: the number of claims that match the query.
    - `rows`: the number of these claims without those that `fold` leaves out.
    - `folded`: the number of claims of each cause, if `fold` leaves out claims with this cause.
    - `pending_pods`: the number of pending pods, before the query's filters.
    """

    claims: list[ClaimView]
    pods: list[PodView]
    states: dict[str, int]
    total: int
    rows: int
    folded: dict[str, int]
    pending_pods: int


_ORDER = {ClaimState.PENDING: 0, ClaimState.DELETING: 1}
"""The states of the claims that come first, because these claims wait for something."""


async def devices(call: Call) -> DeviceMap:
    cluster = call.server.cluster
    revision = str(cluster.storage.revision)
    if call.query.unless == revision:
        return DeviceMap(revision, changed=False)
    nodes = node_views(await read_objects(cluster))
    size = sum(len(pool.devices) for node in nodes for pool in node.pools) * DEVICE_BYTES
    async with call.room(size):
        return DeviceMap(revision, changed=True, drivers=drivers_of(nodes), nodes=nodes)


async def device_pool(call: Call) -> PoolDevices:
    details = device_details(await read_objects(call.server.cluster), call.query.driver, call.query.pool)
    async with call.room(len(details) * DETAILS_BYTES):
        return PoolDevices(details)


def drivers_of(nodes: Iterable[NodeView]) -> list[DriverView]:
    """Counts the devices of each driver by state. Sorts the drivers by name."""
    counted: dict[str, Counter[str]] = {}
    for node, pool in ((each, pool) for each in nodes for pool in each.pools):
        counts = counted.setdefault(pool.driver, Counter())
        for device in pool.devices:
            counts["devices"] += 1
            if device.state is not DeviceState.FREE or not device.taints:
                counts.update(device.all_states)
                counts["unschedulable"] += device.state is DeviceState.FREE and not node.takes_pods
            counts["in use"] += device.state is not DeviceState.FREE
            counts["tainted"] += bool(device.taints)
            counts["unhealthy"] += device.unhealthy
    return [
        DriverView(
            driver,
            counts["devices"],
            counts[DeviceState.FREE],
            counts["unschedulable"],
            counts["in use"],
            counts[DeviceState.ALLOCATED],
            counts[DeviceState.RESERVED],
            counts[DeviceState.PREPARED],
            counts["tainted"],
            counts["unhealthy"],
        )
        for driver, counts in sorted(counted.items())
    ]


async def claims(call: Call) -> ClaimList:
    query: ClaimQuery = call.query
    if query.state and query.state not in [*ClaimState]:
        raise refused(400, f"state: {query.state!r} is not one of {', '.join(ClaimState)}")
    if not 1 <= query.limit <= CLAIMS_MAX or query.skip < 0:
        raise refused(400, f"limit must be from 1 to {CLAIMS_MAX}, and skip must not be negative")
    cluster = call.server.cluster
    stored, pods = await read_claims_and_pods(cluster)
    waiting = Waiting(stored, pods)
    matching = [
        view
        for view in waiting.views
        if query.state in ("", view.state) and matches(view, query.namespace, query.search)
    ]
    matching.sort(
        key=lambda view: (_ORDER.get(view.state, len(_ORDER)), view.namespace, natural_key(view.name))
    )
    for view in matching:
        view.cause = waiting.cause_of_claim(view)
    if query.cause:
        matching = [view for view in matching if view.cause == query.cause]
    folded = _folded(matching) if query.fold else {}
    rows = [*_first_of_each(matching, folded)]
    selected = rows[query.skip : query.skip + query.limit]
    async with call.room(CLAIM_BYTES * (len(selected) + len(waiting.pods))):
        return ClaimList(
            selected,
            [pod for pod in waiting.pods if matches(pod, query.namespace, query.search)][: query.limit],
            Counter(str(view.state) for view in waiting.views),
            len(matching),
            len(rows),
            folded,
            len(waiting.pods),
        )


def _folded(claims: Iterable[ClaimView]) -> dict[str, int]:
    """Returns the number of claims of each cause that more than UNFOLDED_MAX claims have."""
    numbers = Counter(claim.cause for claim in claims if claim.cause)
    return {cause: number for cause, number in numbers.items() if number > UNFOLDED_MAX}


def _first_of_each(claims: Iterable[ClaimView], folded: dict[str, int]) -> Iterator[ClaimView]:
    """Yields the first claim of each cause in `folded`, and all claims with other causes."""
    seen: set[str] = set()
    for claim in claims:
        if claim.cause not in seen:
            yield claim
        if claim.cause in folded:
            seen.add(claim.cause)


def matches(view: ClaimView | PodView | WorkloadView, namespace: str, search: str) -> bool:
    """Whether a claim, pod or workload matches `namespace` and `search` of a ClaimQuery."""
    if namespace not in ("", view.namespace):
        return False
    if not search or (isinstance(view, ClaimView) and search in view.classes):
        return True
    place = f"{view.namespace}/{view.name}"
    if isinstance(view, WorkloadView):
        texts = [place, view.kind, view.message]
    elif isinstance(view, ClaimView):
        texts = [place, view.reason, view.node, *view.pods, *view.devices]
    else:
        texts = [place, view.reason, view.node, *view.claims, view.message]
    return any(search.lower() in text.lower() for text in texts)


ROUTES = (
    Route(
        "GET",
        "/devices",
        devices,
        "All nodes with their pools and devices, and the state of each device.",
        answer=DeviceMap,
        query=DeviceQuery,
    ),
    Route(
        "GET",
        "/device-pool",
        device_pool,
        "The devices of one pool with their attributes, capacity and taints.",
        answer=PoolDevices,
        query=PoolQuery,
    ),
    Route(
        "GET",
        "/claims",
        claims,
        "Claims with their states, and the pods that do not run yet.",
        answer=ClaimList,
        query=ClaimQuery,
    ),
)
