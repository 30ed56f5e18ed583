"""Derives the pools of each node and the state of each device, for the live page and `fakeapi top`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from fakeapi.control.devices.claim_states import ClaimState, Place, place_of, pods_by_claim, state_of
from fakeapi.control.devices.natural_order import natural_key
from fakeapi.control.devices.objects import (
    Claim,
    CounterSet,
    Device,
    DeviceFields,
    Node,
    Pod,
    Result,
    Slice,
    Taint,
    TaintRule,
)
from fakeapi.control.devices.reading import Objects
from fakeapi.machinery.meta import quantity

PRODUCT_ATTRIBUTES = ("productName", "product", "model", "type")
"""The names of attributes with the product name of a device. The first existing attribute is used."""


class DeviceState(StrEnum):
    """The state of a device: FREE, or the furthest state of the claims that have the device."""

    FREE = "free"
    ALLOCATED = "allocated"
    RESERVED = "reserved"
    PREPARED = "prepared"


_FURTHEST_FIRST = tuple(reversed(DeviceState))

_STATES = {ClaimState.RESERVED: DeviceState.RESERVED, ClaimState.PREPARED: DeviceState.PREPARED}


class DeviceUser(msgspec.Struct, rename="camel", omit_defaults=True):
    """A claim to which a device is allocated, with the pods for which the claim is reserved.

    `admin`: whether the claim has admin access. Such a claim leaves the device free for others.
    """

    namespace: str
    name: str
    state: ClaimState
    pods: list[str]
    admin: bool = False


class DeviceView(msgspec.Struct, rename="camel", omit_defaults=True):
    """A device with its state.

    - `states`: the states of the claims that share the device, the furthest first; [] if all claims have the
      state of the device.
    - `product`: the product name, from an attribute such as `productName`.
    - `taints`: taints of the device and of DeviceTaintRules, as KEY=VALUE:EFFECT.
    - `unhealthy`: whether a pod's status reports the device as unhealthy.
    - `shared`: the used fraction of the device's capacity; None if claims cannot share the device.
    - `consumes`: the counters that the device consumes as a partition, as SET/COUNTER=VALUE.
    """

    name: str
    state: DeviceState = DeviceState.FREE
    states: list[DeviceState] = []
    product: str = ""
    users: list[DeviceUser] = []
    taints: list[str] = []
    unhealthy: bool = False
    shared: float | None = None
    consumes: list[str] = []

    @property
    def all_states(self) -> list[DeviceState]:
        """The state of the device, and the other states of the claims that share the device."""
        return self.states or [self.state]


class CounterView(msgspec.Struct, rename="camel"):
    """A shared counter of a pool. `used`: the sum that all allocated partitions consume."""

    set: str
    name: str
    used: str
    total: str
    fraction: float


class PoolView(msgspec.Struct, rename="camel"):
    """A resource pool. `complete`: whether all ResourceSlices of its newest generation exist."""

    driver: str
    name: str
    generation: int
    complete: bool
    devices: list[DeviceView]
    counters: list[CounterView]


class NodeView(msgspec.Struct, rename="camel"):
    """A node with its resource pools.

    - `name`: the name of the node; "" for pools that several nodes use.
    - `exists`: whether the Node object exists. A driver can publish devices before the Node exists.
    - `pods`: the number of pods on the node.
    """

    name: str
    exists: bool
    ready: bool
    schedulable: bool
    pods: int
    pools: list[PoolView]

    @property
    def takes_pods(self) -> bool:
        """Whether the scheduler may place pods on the node. True for pools that several nodes use."""
        return not self.name or (self.exists and self.ready and self.schedulable)


class _Use(NamedTuple):
    result: Result
    user: DeviceUser


_DeviceKey = tuple[str, str, str]
"""The driver, pool and name of a device."""


def node_views(read: Objects) -> list[NodeView]:
    """Returns all nodes with their pools, in the natural order of their names.

    Pools that several nodes use come last.
    """
    uses = _allocations_by_device(read.claims, pods_by_claim(read.pods))
    unhealthy = _unhealthy(read.pods)
    pools: dict[str, list[PoolView]] = defaultdict(list)
    for slices in newest_slices(read.slices):
        spec = slices[0].spec
        view = _pool(slices, uses, unhealthy, read.taint_rules)
        pools[spec.node_name or ""].append(view)
    pods: dict[str, int] = defaultdict(int)
    for pod in read.pods:
        pods[pod.spec.node_name or ""] += 1
    nodes = {node.metadata.name: node for node in read.nodes}
    names = [*sorted(({*nodes} | {*pools}) - {""}, key=natural_key), *([""] if "" in pools else [])]
    return [_node(name, nodes.get(name), pods[name] if name else 0, pools[name]) for name in names]


def _node(name: str, node: Node | None, pods: int, pools: list[PoolView]) -> NodeView:
    conditions = {} if node is None else {each.type: each.status for each in node.status.conditions or ()}
    pools.sort(key=lambda pool: (pool.driver, natural_key(pool.name)))
    return NodeView(
        name,
        exists=node is not None,
        ready=conditions.get("Ready", "True") == "True",
        schedulable=node is None or not node.spec.unschedulable,
        pods=pods,
        pools=pools,
    )


def newest_slices(slices: Iterable[Slice]) -> Iterable[list[Slice]]:
    """Groups ResourceSlices by pool. Yields only the slices of the newest generation, like the scheduler."""
    pools: dict[tuple[str, str], list[Slice]] = defaultdict(list)
    for each in slices:
        pools[each.spec.driver, each.spec.pool.name].append(each)
    for group in pools.values():
        newest = max(each.spec.pool.generation for each in group)
        yield [each for each in group if each.spec.pool.generation == newest]


def _pool(
    slices: list[Slice],
    uses: Mapping[_DeviceKey, list[_Use]],
    unhealthy: frozenset[str],
    rules: list[TaintRule],
) -> PoolView:
    spec = slices[0].spec
    driver, pool = spec.driver, spec.pool.name
    devices = [device for each in slices for device in each.spec.devices or ()]
    rules = [rule for rule in rules if _may_match(rule, driver, pool)]
    views = []
    for device in devices:
        key = driver, pool, device.name
        taints = [*(device.fields.taints or ()), *_taints(rules, key)]
        views.append(_device(device, uses.get(key, ()), taints, is_unhealthy="/".join(key) in unhealthy))
    used = {view.name for view in views if view.users}
    sets = [each for one in slices for each in one.spec.shared_counters or ()]
    consumers = [device.fields for device in devices if device.name in used]
    return PoolView(
        driver,
        pool,
        spec.pool.generation,
        len(slices) >= spec.pool.resource_slice_count,
        views,
        _counters(sets, consumers) if sets else [],
    )


def _device(
    device: Device, uses: Iterable[_Use], taints: Iterable[Taint], *, is_unhealthy: bool
) -> DeviceView:
    fields, users = device.fields, [use.user for use in uses]
    exclusive = [use for use in uses if not use.user.admin]
    states = {_STATES.get(use.user.state, DeviceState.ALLOCATED) for use in exclusive}
    ordered = [each for each in _FURTHEST_FIRST if each in states]
    return DeviceView(
        device.name,
        ordered[0] if ordered else DeviceState.FREE,
        ordered if len(ordered) > 1 else [],
        _product(fields),
        users,
        [str(taint) for taint in taints],
        is_unhealthy,
        _used_fraction(fields, [use.result for use in exclusive])
        if fields.allow_multiple_allocations
        else None,
        [
            f"{each.counter_set}/{name}={counter.value}"
            for each in fields.consumes_counters or ()
            for name, counter in (each.counters or {}).items()
        ],
    )


def _product(fields: DeviceFields) -> str:
    attributes = {name.rpartition("/")[2]: value for name, value in (fields.attributes or {}).items()}
    for name in PRODUCT_ATTRIBUTES:
        text = attributes.get(name, {}).get("string")
        if isinstance(text, str) and text:
            return text
    return ""


def _used_fraction(fields: DeviceFields, results: list[Result]) -> float:
    """Returns the fraction of a device's capacity that allocations use; 0.0 for a device without capacity.

    For several capacities, returns the largest fraction.
    """
    most = 0.0
    for name, capacity in (fields.capacity or {}).items():
        total = _amount(capacity.get("value") if isinstance(capacity, dict) else capacity)
        used = sum(_amount((result.consumed_capacity or {}).get(name)) for result in results)
        most = max(most, float(used / total) if total else 0.0)
    return round(min(most, 1.0), 3)


def _counters(sets: Iterable[CounterSet], consumers: Iterable[DeviceFields]) -> list[CounterView]:
    used: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for fields in consumers:
        for each in fields.consumes_counters or ():
            for name, counter in (each.counters or {}).items():
                used[each.counter_set, name] += _amount(counter.value)
    views = []
    for one in sets:
        for name, counter in (one.counters or {}).items():
            total, amount = _amount(counter.value), used[one.name, name]
            fraction = round(float(min(amount / total, Decimal(1))), 3) if total else 0.0
            spelled = _as_quantity(amount, counter.value)
            views.append(CounterView(one.name, name, spelled, counter.value, fraction))
    return views


def _as_quantity(amount: Decimal, like: str) -> str:
    """Formats an amount as a quantity. If `like` has a binary suffix, as in 10Gi, the result has one too."""
    whole = int(amount)
    if like.endswith("i"):
        return quantity.canonical_binary(whole)
    return str(whole) if amount == whole else str(amount.normalize())


def _amount(value: Any) -> Decimal:
    """Returns the amount of a quantity as a Decimal; 0 for a value that is not a quantity."""
    try:
        return quantity.parse(value).amount if isinstance(value, str) else Decimal(0)
    except ValueError:
        return Decimal(0)


def _allocations_by_device(
    claims: Iterable[Claim], users: Mapping[Place, list[Pod]]
) -> dict[_DeviceKey, list[_Use]]:
    """Groups the allocations of claims by device."""
    uses: dict[_DeviceKey, list[_Use]] = defaultdict(list)
    for claim in claims:
        if not claim.results:
            continue
        state = state_of(claim, users.get(place_of(claim), ()))
        for result in claim.results:
            user = DeviceUser(*place_of(claim), state, claim.pods, admin=bool(result.admin_access))
            uses[result.driver, result.pool, result.device].append(_Use(result, user))
    return uses


def _unhealthy(pods: Iterable[Pod]) -> frozenset[str]:
    """Returns the resource IDs that pods report as unhealthy; DRIVER/POOL/DEVICE for DRA devices."""
    return frozenset(
        resource.resource_id
        for pod in pods
        for container in pod.status.container_statuses or ()
        for status in container.allocated_resources_status or ()
        for resource in status.resources or ()
        if resource.health == "Unhealthy"
    )


def _may_match(rule: TaintRule, driver: str, pool: str) -> bool:
    selector = rule.spec.device_selector
    return selector is None or (selector.driver in (None, driver) and selector.pool in (None, pool))


def _taints(rules: Iterable[TaintRule], key: _DeviceKey) -> list[Taint]:
    selected = ((rule.spec.device_selector, rule.spec.taint) for rule in rules)
    return [taint for selector, taint in selected if selector is None or selector.matches(*key)]
