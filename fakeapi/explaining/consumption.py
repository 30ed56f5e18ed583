"""Describes the capacities and shared counters of devices that other claims consume."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fakeapi.controllers.allocation import capacity as capacities
from fakeapi.controllers.allocation.compatibility import consumed_sets
from fakeapi.controllers.allocation.counters import consumption, counter_sets
from fakeapi.controllers.allocation.model import Device, DeviceID, Pool, PoolID
from fakeapi.explaining.cluster_objects import ClusterObjects
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
    used = cluster.in_use.state.shared.get(device.id, {})
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
    taken: dict[tuple[str, str], str] = {}
    for spec in _specs(device.pool):
        if DeviceID(*device.pool.id, spec["name"]) in cluster.users:
            for key, amount in consumption(spec):
                taken[key] = quantity.add(taken.get(key, "0"), amount)
    sets = counter_sets([device.slice]) | device.pool.counter_sets
    for (set_name, name), wanted in consumption(device.spec):
        total, used = sets.get(set_name, {}).get(name, "0"), taken.get((set_name, name), "0")
        if quantity.compare(quantity.add(used, wanted), total) > 0:
            lead = f"the partitions of one device (counterSet {set_name}) share counter {name}"
            return f"{lead}: {_amounts(name, total, wanted, used).text(users)}"
    return f"its counters are consumed{f' by {users}' if users else ''}"


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
