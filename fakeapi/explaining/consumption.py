"""Describes the capacities and shared counters of devices that other claims consume."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fakeapi.controllers.allocation import capacity as capacities
from fakeapi.controllers.allocation.compatibility import consumed_sets
from fakeapi.controllers.allocation.model import Device, DeviceID, Pool, PoolID
from fakeapi.explaining.cluster_objects import ClusterObjects, device_of, results_of
from fakeapi.explaining.tally import RequestTally
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity


@dataclass(frozen=True, slots=True)
class Consumed:
    """The amounts of one capacity or counter. All amounts have the format of `total`.

    - `wanted`: the amount that the request would consume.
    - `taken`: the amount that other claims consume.
    """

    name: str
    total: str
    wanted: str
    taken: str

    @property
    def left(self) -> str:
        """The amount that no claim consumes."""
        return quantity.subtract(self.total, self.taken)

    def text(self, users: str) -> str:
        """Returns the amounts as text. `users`: the consumers, as text; "" if unknown."""
        by = f" by {users}" if users else ""
        return f"{self.wanted} wanted, {self.left} of {self.total} left; {self.taken} consumed{by}"


def _amounts(name: str, total: str, wanted: str, taken: str) -> Consumed:
    """Returns amounts in the format of `total`, because the server stores some of them in binary units."""
    return Consumed(name, total, _like(total, wanted), _like(total, taken))


def _like(amount: str, other: str) -> str:
    """Returns the quantity `other` in the format of `amount`."""
    return quantity.subtract(amount, quantity.subtract(amount, other))


def exceeded_capacity(cluster: ClusterObjects, tally: RequestTally, device: Device) -> Consumed | None:
    """Returns the first capacity of a device that is too small for a request beside the other claims.

    Returns None if each capacity suffices.
    """
    published = device.spec.get("capacity") or {}
    needed = capacities.consumed(tally.request.capacity, published)
    used: dict[str, str] = {}
    for claim in cluster.users.get(device.id, ()):
        for result in results_of(claim):
            if device_of(result) == device.id:
                used = capacities.total(used, result.get("consumedCapacity") or {})
    for name, spec in published.items():
        wanted, taken = needed.get(name, "0"), used.get(name, "0")
        if quantity.compare(quantity.add(wanted, taken), spec["value"]) > 0:
            return _amounts(name, spec["value"], wanted, taken)
    return None


def capacity_text(cluster: ClusterObjects, tally: RequestTally, device: Device, users: str) -> str:
    """Returns the reason why a device has too little capacity for a request."""
    published = device.spec.get("capacity") or {}
    unknown = sorted(tally.request.capacity.keys() - published.keys())
    if unknown:
        names = ", ".join(sorted(published)) or "none"
        return f"the device has no capacity {', '.join(unknown)}; it has {names}"
    exceeded = exceeded_capacity(cluster, tally, device)
    if exceeded is not None:
        return f"capacity {exceeded.name}: {exceeded.text(users)}"
    name = next(iter(tally.request.capacity), "")
    return f"the requestPolicy of capacity {name} does not allow {tally.request.capacity.get(name, '')}"


def largest_request(capacity: Object, left: str) -> str:
    """Returns the largest amount of a capacity that a request can ask for; "" if nothing is possible.

    - `capacity`: the capacity of a device, with its requestPolicy.
    - `left`: the amount that no claim consumes.
    """
    policy = capacity.get("requestPolicy") or {}
    values = [one for one in policy.get("validValues") or () if quantity.compare(one, left) <= 0]
    if policy.get("validValues"):
        return str(values[-1]) if values else ""
    valid_range = policy.get("validRange") or {}
    least = valid_range.get("min")
    if least is not None and quantity.compare(left, least) < 0:
        return ""
    if least is not None and valid_range.get("step") is not None:
        start, step = quantity.whole(least), quantity.whole(valid_range["step"])
        return _like(left, str(start + (quantity.whole(left) - start) // step * step))
    return left if quantity.compare(left, "0") > 0 else ""


def counter_text(cluster: ClusterObjects, device: Device, users: str) -> str:
    """Returns the reason why the shared counters of a device do not suffice."""
    consumers = [one for one in of_same_counters([device]) if one in cluster.users]
    for used in device.spec.get("consumesCounters") or ():
        set_name = used["counterSet"]
        values = device.pool.counter_sets.get(set_name) or _sets_of_slice(device).get(set_name, {})
        for name, counter in (used.get("counters") or {}).items():
            taken = "0"
            for other in consumers:
                taken = quantity.add(taken, _amount(device, other, set_name, name))
            total = values.get(name, "0")
            if quantity.compare(quantity.add(taken, counter["value"]), total) > 0:
                amounts = _amounts(name, total, counter["value"], taken)
                return f"{partitions_text(set_name)} counter {name}: {amounts.text(users)}"
    return f"its counters are consumed{f' by {users}' if users else ''}"


def partitions_text(counter_set: str) -> str:
    """Returns the start of a sentence about a counter of a counter set."""
    return f"the partitions of one device (counterSet {counter_set}) share"


def counter_set_of(device: Device) -> str:
    """Returns the first counter set that a device consumes; "" for a device that is not a partition."""
    return next((name for name, _ in consumed_sets(device.spec)), "")


def of_same_counters(devices: Iterable[Device]) -> list[DeviceID]:
    """Returns all devices that share a pool and a counter set with one of `devices`."""
    pools: dict[PoolID, tuple[Pool, set[str]]] = {}
    for device in devices:
        sets = pools.setdefault(device.pool.id, (device.pool, set()))[1]
        sets.update(name for name, _ in consumed_sets(device.spec))
    return [
        DeviceID(*pool.id, spec["name"])
        for pool, sets in pools.values()
        for spec in _specs(pool)
        if any(name in sets for name, _ in consumed_sets(spec))
    ]


def _specs(pool: Pool) -> Sequence[Object]:
    """Returns the devices of a pool, also those of other nodes, as in the slices."""
    return [spec for one in (*pool.slices, *pool.elsewhere) for spec in one.spec.get("devices") or ()]


def _amount(device: Device, other: DeviceID, set_name: str, counter: str) -> str:
    """Returns the amount of a counter that the device `other` of the same pool consumes."""
    for spec in _specs(device.pool):
        for used in (spec.get("consumesCounters") or ()) if spec["name"] == other.device else ():
            if used["counterSet"] == set_name and counter in (used.get("counters") or {}):
                return str(used["counters"][counter]["value"])
    return "0"


def _sets_of_slice(device: Device) -> dict[str, dict[str, str]]:
    return {
        one["name"]: {name: value["value"] for name, value in (one.get("counters") or {}).items()}
        for one in device.slice.spec.get("sharedCounters") or ()
    }
