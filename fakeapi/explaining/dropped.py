"""Describes the devices that a request cannot use, grouped by the check or selector that refuses them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from fakeapi.controllers.allocation.model import Device, DeviceID
from fakeapi.controllers.allocation.selectors import DeviceMatcher
from fakeapi.controllers.allocation.taints import PREVENTING, tolerates
from fakeapi.controllers.scheduler.device_taint_rules import applies_to_names
from fakeapi.explaining.cluster_objects import ClusterObjects, consumers_of, reference
from fakeapi.explaining.consumption import capacity_text, counter_text, of_same_counters
from fakeapi.explaining.model import NAMES_SHOWN, Dropped, Reference, Seen, devices_text, listed
from fakeapi.explaining.obstacles import Obstacle, Refused
from fakeapi.explaining.selector_text import (
    Dissected,
    Hint,
    differs_in_case,
    dissect,
    hints,
    short_path,
    shortened,
)
from fakeapi.explaining.tally import RequestTally
from fakeapi.explaining.type_mismatches import Mismatch, mismatch_of
from fakeapi.machinery.cel.allowance import AllowanceSpent
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.offloading.turns import Turns

DISSECTED_MAX = 64
"""Maximum number of devices whose values are read for one selector. Texts about values ignore further
devices.
"""

DISSECTED_ON_NODE = 32
"""Maximum number of devices of one node whose values are read for one selector."""


_USERS_NAMED = 4
"""Maximum number of claims that the text about users of devices names."""


@dataclass(frozen=True, slots=True)
class SelectorGroup:
    """The devices for which the same part of one selector is false or fails.

    - `expression`: the whole selector, as written.
    - `hints`: the paths at which devices publish a value that the selector looks up under another path.
    - `mismatch`: the refusing part, if it compares a value with a literal of another type; otherwise None.
    """

    dissected: Dissected
    expression: str
    seen: tuple[Seen, ...]
    hints: tuple[Hint, ...]
    devices: int
    mismatch: Mismatch | None = None

    @property
    def _values(self) -> str:
        """The most frequent values that the selector read, each with its number of devices: "16Gi (2), 40Gi
        (1)".

        "" if the selector read several paths, or if all devices have the same value.
        """
        if len(self.seen) < 2 or len({one.path for one in self.seen}) > 1:
            return ""
        values = [f"{'missing' if one.missing else one.value} ({one.devices})" for one in self.seen]
        rest = self.devices - sum(one.devices for one in self.seen)
        return ", ".join([*values, *([f"other values ({rest})"] if rest > 0 else [])])

    @property
    def text(self) -> str:
        """The reason why the selector refuses the devices, as one sentence with the values of the devices."""
        if not self._values:
            return self.dissected.text
        wanted = self.dissected.wanted
        why = f", wanted {wanted}" if wanted else f"; `{shortened(self.dissected.part)}` is false"
        return f"`{self.seen[0].path}` is {self._values}{why}"

    @property
    def shorts(self) -> list[str]:
        """Short forms of the reason why the selector refuses the devices; the longest first."""
        shorts = self.dissected.shorts
        if not self._values or self.seen[0].missing:
            return shorts
        text = f"{shorts[-1].rpartition(' is ')[0]} is {self._values}"
        wanted = self.dissected.wanted
        return [*([f"{text}, wanted {wanted}"] if wanted else []), text, *shorts]

    @property
    def case_text(self) -> str:
        """The wanted and the published string, if only their letter case differs; otherwise ""."""
        wanted = self.dissected.wanted.removeprefix("== ")
        if len(self.seen) != 1 or not differs_in_case(self.dissected.wanted, self.seen[0].value):
            return ""
        name, has = short_path(self.seen[0].path).rpartition(" ")[2], "has" if self.devices == 1 else "have"
        return (
            f"wants {name} {wanted}, {devices_text(self.devices)} {has} {self.seen[0].value}: "
            "only the letter case differs"
        )

    @property
    def wanted_driver(self) -> str:
        """The driver name with which the selector compares `device.driver`; "" if the refusing part compares
        another value.
        """
        wanted = self.dissected.wanted.removeprefix("== ")
        if not self.seen or self.seen[0].path != "device.driver" or wanted == self.dissected.wanted:
            return ""
        return wanted.strip("\"'")

    def silent_driver(self, cluster: ClusterObjects) -> str:
        """Returns the driver that the selector requires if the driver has no ResourceSlices; otherwise ""."""
        driver = self.wanted_driver
        return "" if any(one["spec"]["driver"] == driver for one in cluster.of("resourceslices")) else driver


def unread_lines(refused: Sequence[object], groups: Iterable[SelectorGroup]) -> list[str]:
    """Returns a line with the number of refused devices whose values were not read; [] if all were read.

    `groups`: the groups of the devices whose values were read.
    """
    unread = len(refused) - sum(group.devices for group in groups)
    return [f"the values of {devices_text(unread)} were not read"] if unread else []


@dataclass(frozen=True, slots=True)
class Describer:
    """Describes refused devices, with the objects of the explained cluster."""

    cluster: ClusterObjects
    matcher: DeviceMatcher
    heavy: HeavySteps
    turns: Turns = field(default_factory=Turns, repr=False)

    async def dropped(self, tally: RequestTally) -> list[Dropped]:
        """Groups the refused devices of a request on one node by the refusing check, the largest group first.

        Reads the values of at most DISSECTED_ON_NODE devices for each selector.
        """
        groups: dict[tuple[Obstacle, int], list[Refused]] = {}
        for refused in tally.refused:
            groups.setdefault((refused.obstacle, refused.selector), []).append(refused)
        described = [await self._describe(tally, group) for group in groups.values()]
        return sorted(described, key=lambda dropped: -dropped.devices)

    async def _describe(self, tally: RequestTally, group: Sequence[Refused]) -> Dropped:
        obstacle, devices = group[0].obstacle, [refused.device for refused in group]
        seen: list[Seen] = []
        blame: list[Reference] = []
        match obstacle:
            case Obstacle.CLASS_SELECTOR | Obstacle.REQUEST_SELECTOR:
                parts = await self.selector_groups(tally, group[:DISSECTED_ON_NODE])
                texts = [part.dissected.error or part.text for part in parts[:3]]
                texts += unread_lines(group, parts)
                text = f"{selector_name(tally, group[0])}: {'; '.join(texts)}"
                seen = [value for part in parts for value in part.seen]
            case Obstacle.IN_USE | Obstacle.CAPACITY | Obstacle.COUNTERS:
                text, blame = self.use_text(tally, obstacle, devices)
            case Obstacle.TAINT:
                text = f"tainted: {', '.join(self._taint_origins(tally, devices))}"
            case Obstacle.CONSTRAINT:
                text = f"no value for {', '.join(_attributes(tally.claim))}, which a constraint compares"
            case _:
                text = _FIXED[obstacle]
        names = [str(device.id) for device in devices[:NAMES_SHOWN]]
        return Dropped(obstacle, text, len(devices), names, seen, blame)

    async def selector_groups(self, tally: RequestTally, group: Sequence[Refused]) -> list[SelectorGroup]:
        """Groups the devices that a selector refuses by its false or failing part, the largest group
        first.

        Lets other tasks of the event loop run meanwhile.
        """
        expression = expression_of(tally, group[0])
        by_part: dict[tuple[str, str], list[tuple[Dissected, Device]]] = {}
        for refused in group[:DISSECTED_MAX]:
            dissected = self._dissect(expression, refused.device)
            await self.turns.give_turn_if_over()
            by_part.setdefault((dissected.part, dissected.error), []).append((dissected, refused.device))
        groups = []
        for entries in by_part.values():
            counts = Counter(value for dissected, _ in entries for value in dissected.seen)
            seen = tuple(
                Seen(value.path, value.value, value.missing, count) for value, count in counts.most_common(8)
            )
            first, device = entries[0]
            texts = tuple(dict.fromkeys(hint for value in first.seen for hint in hints(value, device)))
            wrong = mismatch_of(first.part, device, self.cluster.rules)
            groups.append(SelectorGroup(first, expression, seen, texts, len(entries), wrong))
        return sorted(groups, key=lambda one: -one.devices)

    def _dissect(self, expression: str, device: Device) -> Dissected:
        step = partial(dissect, expression, device, self.matcher, self.cluster.rules)
        try:
            return self.heavy.on_event_loop(step)
        except AllowanceSpent:  # The expression is too expensive to evaluate part by part.
            return Dissected(expression)

    def use_text(
        self, tally: RequestTally, obstacle: Obstacle, devices: Sequence[Device]
    ) -> tuple[str, list[Reference]]:
        """Returns the pods and claims that use devices, their capacity or their counters: as text and
        references.
        """
        claims = self.claims_using(obstacle, devices)
        blame = [
            one
            for claim in claims[:NAMES_SHOWN]
            for one in (reference("ResourceClaim", claim), *consumers_of(claim))
        ]
        users = users_text(claims)
        if obstacle is Obstacle.IN_USE:
            return f"in use{f' by {users}' if users else ''}", blame
        if obstacle is Obstacle.CAPACITY:
            return capacity_text(self.cluster, tally, devices[0], users), blame
        return counter_text(self.cluster, devices[0], users), blame

    def claims_using(self, obstacle: Obstacle, devices: Sequence[Device]) -> list[Object]:
        """Returns the claims that use devices or their counters. The claim with the most devices comes
        first.
        """
        ids: Iterable[DeviceID] = (device.id for device in devices)
        if obstacle is Obstacle.COUNTERS:
            ids = of_same_counters(devices)
        uses: Counter[tuple[str, str]] = Counter()
        claims: dict[tuple[str, str], Object] = {}
        for device in ids:
            for claim in self.cluster.users.get(device, ()):
                key = claim["metadata"]["namespace"], claim["metadata"]["name"]
                uses[key] += 1
                claims[key] = claim
        return [claims[key] for key, _ in sorted(uses.items(), key=lambda item: (-item[1], item[0]))]

    def _taint_origins(self, tally: RequestTally, devices: Sequence[Device]) -> list[str]:
        """Returns the taints that the request does not tolerate, each with the object that contains the
        taint.
        """
        origins = []
        for device in devices:
            for taint in untolerated(tally, [device]):
                rule = rule_of(self.cluster, taint, device)
                where = f"DeviceTaintRule {rule.name}" if rule else f"slice {device.slice.name}"
                origins.append(f"{taint_text(taint)} of {where}")
        return list(dict.fromkeys(origins))


_FIXED = {
    Obstacle.POOL_INCOMPLETE: "its pool is incomplete",
    Obstacle.POOL_INVALID: "its pool is invalid",
    Obstacle.OTHER_NODE: "only another node can use it",
    Obstacle.BINDING_CONDITIONS: "it has bindingConditions, and the gate for them is off",
    Obstacle.NODE_OPERATIONS: "its driver skips node operations, and the node does not support skipping them",
}


def expression_of(tally: RequestTally, refused: Refused) -> str:
    """Returns the CEL expression of the selector that refused a device."""
    spec = (
        tally.request.device_class["spec"]
        if refused.obstacle is Obstacle.CLASS_SELECTOR
        else tally.request.spec
    )
    return str(spec["selectors"][refused.selector]["cel"]["expression"])


def selector_place(tally: RequestTally, refused: Refused) -> tuple[Reference, str]:
    """Returns the DeviceClass or claim whose selector refused a device, and the path of the expression."""
    field = f"selectors[{refused.selector}].cel.expression"
    if refused.obstacle is Obstacle.CLASS_SELECTOR:
        return Reference("DeviceClass", tally.request.device_class["metadata"]["name"]), f"spec.{field}"
    return reference("ResourceClaim", tally.claim), f"{tally.place}.{field}"


def selector_name(tally: RequestTally, refused: Refused) -> str:
    """Returns the name of a selector, such as "selectors[0] of class gpu.example.com"."""
    if refused.obstacle is Obstacle.CLASS_SELECTOR:
        return f"selectors[{refused.selector}] of class {tally.request.device_class['metadata']['name']}"
    return f"selectors[{refused.selector}] of request {tally.request.full_name}"


def users_text(claims: Sequence[Object]) -> str:
    """Returns claims with their pods, such as "claim a (pod b), claim c (no pod)"."""
    texts = []
    for claim in claims[:_USERS_NAMED]:
        pods = [user.name for user in consumers_of(claim)]
        whose = f"pod {', '.join(pods[:3])}" if pods else "no pod"
        texts.append(f"{reference('ResourceClaim', claim)} ({whose})")
    return listed(texts, _USERS_NAMED, len(claims))


def taints_of(tally: RequestTally, devices: Iterable[Device]) -> list[str]:
    """Returns the taints of devices that a request does not tolerate: "key=value:effect", without repeats."""
    return list(dict.fromkeys(taint_text(taint) for taint in untolerated(tally, devices)))


def untolerated(tally: RequestTally, devices: Iterable[Device]) -> list[Object]:
    """Returns the taints of devices that prevent their allocation to a request."""
    tolerations = tally.request.spec.get("tolerations") or ()
    return [
        taint
        for device in devices
        for taint in device.spec.get("taints") or ()
        if taint.get("effect") in PREVENTING
        and not any(tolerates(toleration, taint) for toleration in tolerations)
    ]


def rule_of(cluster: ClusterObjects, taint: Object, device: Device) -> Reference | None:
    """Returns the DeviceTaintRule that adds a taint to a device; None for a taint of the ResourceSlice."""
    for one in cluster.of("devicetaintrules"):
        added = one["spec"].get("taint") or {}
        if applies_to_names(one["spec"], *device.id) and taint_text(added) == taint_text(taint):
            own = [each for each in _slice_taints(cluster, device) if taint_text(each) == taint_text(taint)]
            return None if own else reference("DeviceTaintRule", one)
    return None


def lasting_taints(cluster: ClusterObjects, device: Device) -> list[Object]:
    """Returns the taints of a device that new devices of the same driver would also get.

    These are the taints of DeviceTaintRules that do not select by pool or device name.
    """
    lasting = []
    for taint in device.spec.get("taints") or ():
        rule = rule_of(cluster, taint, device)
        obj = None if rule is None else cluster.get("devicetaintrules", "", rule.name)
        selector = {} if obj is None else obj["spec"].get("deviceSelector") or {}
        if obj is not None and not selector.get("pool") and not selector.get("device"):
            lasting.append(taint)
    return lasting


def taint_owners(
    cluster: ClusterObjects, tally: RequestTally, devices: Sequence[Device]
) -> tuple[list[Reference], list[Reference]]:
    """Returns the DeviceTaintRules and the slices whose taints the request does not tolerate."""
    rules: dict[Reference, None] = {}
    slices: dict[Reference, None] = {}
    for device in devices:
        for taint in untolerated(tally, [device]):
            rule = rule_of(cluster, taint, device)
            if rule is None:
                slices[Reference("ResourceSlice", device.slice.name)] = None
            else:
                rules[rule] = None
    return [*rules], [*slices]


def _slice_taints(cluster: ClusterObjects, device: Device) -> Sequence[Object]:
    """Returns the taints of a device in its ResourceSlice, without taints of DeviceTaintRules."""
    resource_slice = cluster.get("resourceslices", "", device.slice.name)
    published = () if resource_slice is None else resource_slice["spec"].get("devices") or ()
    return next((one.get("taints") or () for one in published if one["name"] == device.id.device), ())


def taint_text(taint: Object) -> str:
    """Returns a taint as kubectl prints it: "key=value:effect"."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint.get('effect', '')}"


def _attributes(claim: Object) -> list[str]:
    constraints = (claim["spec"].get("devices") or {}).get("constraints") or ()
    names = (one.get("matchAttribute") or one.get("distinctAttribute") for one in constraints)
    return [shortened(name) for name in names if name]
