"""Finds changes for a request that lacks devices, and tries them with the allocator's search."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from fakeapi.controllers.allocation.constraints import attribute_of
from fakeapi.controllers.allocation.model import Device
from fakeapi.controllers.claim_generator import ANNOTATION
from fakeapi.controllers.scheduler.extended_resources import IN_MEMORY
from fakeapi.explaining.cluster_objects import ClusterObjects, consumers_of, reference
from fakeapi.explaining.consumption import Consumed, counter_set_of, exceeded_capacity, largest_request
from fakeapi.explaining.dropped import (
    Describer,
    SelectorGroup,
    selector_place,
    taint_owners,
    taint_text,
    taints_of,
    untolerated,
)
from fakeapi.explaining.harms import deletion, harm_to_class_users, pods_of
from fakeapi.explaining.model import Change, devices_text
from fakeapi.explaining.obstacles import Obstacle, Refused
from fakeapi.explaining.pool_facts import drivers_of_class, slices_of_pool
from fakeapi.explaining.selector_changes import Rewritten, driver_only, improved, rewritten
from fakeapi.explaining.selector_text import short_path, value_text
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.explaining.trial import Case, Trial
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

CLAIMS_MAX = 16
"""Maximum number of claims, and of constraints, whose removal is tried for one request."""

TEMPLATE_AND_POD = "the template and the pod"
"""Stands for the names of a ResourceClaimTemplate and a pod in the text of a change, until
`template_names` replaces it.
"""

CAPACITY_PATH = ".capacity.requests"
"""The path of the requested capacities below the path of a request."""

_USES = (Obstacle.IN_USE, Obstacle.CAPACITY, Obstacle.COUNTERS)


@dataclass(frozen=True, slots=True)
class Changes:
    """Finds changes for the requests of a pod on one node."""

    trial: Trial
    describer: Describer
    case: Case

    async def for_request(self, tally: RequestTally, node: NodeTally) -> list[Change]:
        """Returns changes that could give a request its devices on a node; sufficient changes first."""
        changes = [
            *await self._free(tally),
            *await self._tolerate(tally),
            *await self._change_selectors(tally),
            *await self._drop_constraints(tally),
            *await self._complete_pools(tally, node),
            *await self._ask_less(tally),
            *await self._ask_less_capacity(tally),
            *await self._add_devices(tally),
        ]
        return sorted(changes, key=lambda change: change.rank)

    async def to_make_room(self, tally: RequestTally, attribute: str = "") -> list[Change]:
        """Returns the changes that add devices for a request, or free devices that other claims use.

        `attribute`: the attribute that must have one value on all devices; "" without such a constraint.
        """
        changes = [*await self._add_some(tally), *await self._free(tally)]
        model = model_of(tally)
        value = None if model is None or not attribute else attribute_of(model, attribute)
        if value is None:
            return changes
        note = f", with {attribute} {value_text('attributes', value)}, on node"
        return [
            msgspec.structs.replace(change, text=change.text.replace(" on node", note, 1))
            if change.action == "add"
            else change
            for change in changes
        ]

    async def _add_some(self, tally: RequestTally) -> list[Change]:
        model = model_of(tally)
        for count in () if model is None else range(1, tally.needed + 1):
            change = None if model is None else await self._add(model, count)
            if change is not None:
                return [change]
        return []

    async def _free(self, tally: RequestTally) -> list[Change]:
        claims = using_claims(self.describer, tally.refused)
        changes = []
        for key, claim in list(claims.items())[:CLAIMS_MAX]:
            if await self.trial.allocates(self.trial.without_claims(self.case, [key])):
                changes.append(free_change(self.describer.cluster, [claim], self._node_name, sufficient=True))
        if changes or not claims:
            return changes
        return await self._free_several(list(claims.items())[:CLAIMS_MAX])

    async def _free_several(self, claims: Sequence[tuple[tuple[str, str], Object]]) -> list[Change]:
        for count in range(2, len(claims) + 1):
            keys = [key for key, _ in claims[:count]]
            if await self.trial.allocates(self.trial.without_claims(self.case, keys)):
                needed = await self._needed_claims(list(claims[:count]))
                return [free_change(self.describer.cluster, needed, self._node_name, sufficient=True)]
        return []

    async def _needed_claims(self, claims: list[tuple[tuple[str, str], Object]]) -> list[Object]:
        """Returns the claims that must release their devices for the request. Omits claims that can keep
        their devices.
        """
        for entry in list(claims):
            rest = [other for other in claims if other is not entry]
            if rest and await self.trial.allocates(
                self.trial.without_claims(self.case, [key for key, _ in rest])
            ):
                claims = rest
        return [claim for _, claim in claims]

    async def _tolerate(self, tally: RequestTally) -> list[Change]:
        change, tolerations = toleration_change(tally, self._node_name)
        if change is None:
            return []
        works = await self.trial.allocates(self.case.with_edit(tally.claim, change.path, tolerations))
        return [msgspec.structs.replace(change, sufficient=works), await self._untaint(tally)]

    async def _untaint(self, tally: RequestTally) -> Change:
        """Returns the change that removes the taints: it deletes DeviceTaintRules or edits slices."""
        devices = [one.device for one in tally.refused if one.obstacle is Obstacle.TAINT]
        rules, slices = taint_owners(self.describer.cluster, tally, devices)
        works = await self.trial.allocates(self.trial.without_taints(self.case, devices))
        texts = [f"delete {one}" for one in rules]
        if slices:
            taints = ", ".join(taints_of(tally, devices))
            texts.append(f"remove the taint {taints} from {', '.join(map(str, slices[:3]))}")
        action = "edit" if slices else "delete"
        path = "spec.devices" if slices else ""
        text = ", and ".join(texts)
        node, objects = self._node_name, [*rules, *slices]
        harm = f"it lifts a taint of {devices_text(len(devices))} for all pods"
        if rules:
            harm = "it lifts the taint for all pods, on all devices that the rule selects"
        return Change(text, action, objects, path, node=node, sufficient=works, harm=harm)

    async def _change_selectors(self, tally: RequestTally) -> list[Change]:
        """Returns the smallest sufficient change for each refusing selector; if no change suffices, the
        largest.

        Also returns changes that add devices with the required value. Skips selectors that cannot be relaxed.
        """
        groups: dict[tuple[Obstacle, int], list[Refused]] = {}
        for one in tally.refused:
            if one.obstacle in {Obstacle.CLASS_SELECTOR, Obstacle.REQUEST_SELECTOR}:
                groups.setdefault((one.obstacle, one.selector), []).append(one)
        changes = []
        for refused in groups.values():
            group = (await self.describer.selector_groups(tally, refused))[0]
            if driver_only(group.expression) is None:
                continue
            for option in rewritten(group):
                change = await self._with_selector(tally, refused[0], option)
                if change.sufficient:
                    break
            changes.append(change)
            changes += await self._add_improved(tally, refused, group)
        return changes

    async def _with_selector(self, tally: RequestTally, refused: Refused, option: Rewritten) -> Change:
        owner, path = selector_place(tally, refused)
        text = option.advice(f"{path} of {owner}")
        return await selector_change(self.trial, self.case, tally, refused, option, text)

    async def _add_improved(
        self, tally: RequestTally, refused: Sequence[Refused], group: SelectorGroup
    ) -> list[Change]:
        """Returns the change that adds devices with the value that a selector requires.

        Returns [] if the change does not suffice, or if the value cannot be corrected.
        """
        values = group.seen[:1]
        if len({one.path for one in group.seen}) != 1 or values[0].missing or tally.request.takes_all:
            return []
        if tally.selected:  # the node has devices with the value; a copy of these is offered
            return []
        seen, wanted, count = values[0], group.dissected.wanted, max(1, tally.missing)
        device = refused[0].device
        entry = improved(device, seen, wanted)
        if entry is None:
            return []
        if not await self.trial.allocates(self.trial.with_devices(self.case, device, count, entry)):
            return []
        text = f"{devices_text(count)} with {short_path(seen.path)} {wanted} on node {self._node_name}"
        change = add_change(device, count, self._node_name, sufficient=True)
        return [msgspec.structs.replace(change, text=text, path=seen.path, value=wanted)]

    async def _drop_constraints(self, tally: RequestTally) -> list[Change]:
        if not any(one.obstacle is Obstacle.CONSTRAINT for one in tally.refused):
            return []
        changes = []
        constraints = (tally.claim["spec"].get("devices") or {}).get("constraints") or ()
        for index in range(len(constraints[:CLAIMS_MAX])):
            path = f"spec.devices.constraints[{index}]"
            if await self.trial.allocates(self.case.with_edit(tally.claim, path, None)):
                claim = reference("ResourceClaim", tally.claim)
                text = recreate_text(tally.claim, f"no {path}")
                change = Change(
                    text, "edit", [claim], path, node=self._node_name, sufficient=True, relaxes=True
                )
                changes.append(change)
        return changes

    async def _complete_pools(self, tally: RequestTally, node: NodeTally) -> list[Change]:
        pools = [pool for pool in node.pools if pool.is_incomplete]
        if not pools or not await self.trial.allocates(self.trial.with_complete_pools(self.case)):
            return []
        known = [slices_of_pool(self.describer.cluster, pool.id) for pool in pools]
        drivers = drivers_of_class(tally.request.device_class)
        own = [one for one in known if not drivers or one.pool.driver in drivers]
        text = ", and ".join(one.advice for one in (own or known)[:3])
        return [
            Change(text, "wait", [], "spec.pool.resourceSliceCount", node=self._node_name, sufficient=True)
        ]

    async def _ask_less(self, tally: RequestTally) -> list[Change]:
        usable = len(tally.usable)
        if not usable or tally.request.takes_all or usable >= tally.needed:
            return []
        path = f"{tally.place}.count"
        if not await self.trial.allocates(self.case.with_edit(tally.claim, path, usable)):
            return []
        return [fewer_change(tally, usable, self._node_name)]

    async def _ask_less_capacity(self, tally: RequestTally) -> list[Change]:
        """Returns the change that requests only the capacity that is left on a shared device.

        Uses the device with the most capacity left.
        """
        best: tuple[Consumed, str] | None = None
        for device in [one.device for one in tally.refused if one.obstacle is Obstacle.CAPACITY][:CLAIMS_MAX]:
            exceeded = exceeded_capacity(self.describer.cluster, tally, device)
            published = device.spec.get("capacity") or {}
            amount = "" if exceeded is None else largest_request(published[exceeded.name], exceeded.left)
            if exceeded and amount and (best is None or quantity.compare(amount, best[1]) > 0):
                best = exceeded, amount
        if best is None:
            return []
        exceeded, amount = best
        path = f"{tally.place}{CAPACITY_PATH}"
        requests = {**tally.request.capacity, exceeded.name: amount}
        if not await self.trial.allocates(self.case.with_edit(tally.claim, path, requests)):
            return []
        what = f"at most {amount} instead of {exceeded.wanted} for {exceeded.name} in {path}"
        text, claim = recreate_text(tally.claim, what), reference("ResourceClaim", tally.claim)
        node = self._node_name
        return [Change(text, "edit", [claim], path, node=node, sufficient=True, value=amount, relaxes=True)]

    async def _add_devices(self, tally: RequestTally) -> list[Change]:
        model = model_of(tally)
        if model is None or tally.request.takes_all or tally.missing <= 0:
            return []
        change = await self._add(model, tally.missing)
        return [] if change is None else [change]

    async def _add(self, model: Device, count: int) -> Change | None:
        case = self.trial.with_devices(self.case, model, count)
        if not await self.trial.allocates(case):
            return None
        return add_change(model, count, self._node_name, sufficient=True)

    @property
    def _node_name(self) -> str:
        return str(self.case.node["metadata"]["name"])


def recreate_text(claim: Object, what: str) -> str:
    """Returns the advice to create a claim again with a change, because the spec of a claim is immutable.

    `what`: the change, such as "no spec.devices.constraints".
    """
    metadata = claim["metadata"]
    if metadata["name"] == IN_MEMORY:
        return f"delete the pod and create it again so that its claim for extended resources has {what}"
    if ANNOTATION in (metadata.get("annotations") or {}):
        return f"create {TEMPLATE_AND_POD} again with {what}"
    return f"delete claim {metadata.get('namespace', '')}/{metadata['name']} and create it again with {what}"


async def selector_change(
    trial: Trial, case: Case, tally: RequestTally, refused: Refused, option: Rewritten, text: str
) -> Change:
    """Returns the change that replaces the expression of a selector.

    The change is marked as sufficient if the allocator then succeeds. `text`: the advice to change a
    DeviceClass. For a selector of a claim, the advice is to create the claim again.
    """
    owner, path = selector_place(tally, refused)
    if owner.kind == "ResourceClaim":
        text = recreate_text(tally.claim, f"{option.text} in {path}")
    works = await trial.allocates(trial.with_expression(case, tally, refused, option.expression))
    return Change(
        text,
        "edit",
        [owner],
        path,
        node=str(case.node["metadata"]["name"]),
        sufficient=works,
        value=option.expression,
        harm=harm_to_class_users(trial.cluster, owner, tally.claim),
        relaxes=option.relaxes,
    )


def fewer_change(tally: RequestTally, count: int, node: str) -> Change:
    """Returns the change that reduces the count of a request to `count`."""
    path = f"{tally.place}.count"
    text = recreate_text(tally.claim, f"{count} instead of {tally.needed} in {path}")
    claim = reference("ResourceClaim", tally.claim)
    return Change(text, "edit", [claim], path, count, node, sufficient=True, value=str(count), relaxes=True)


def add_change(model: Device, count: int, node: str, *, sufficient: bool | None) -> Change:
    """Returns the change that adds `count` devices like `model` to a node."""
    noun = "device" if count == 1 else "devices"
    text = f"add {count} {noun} like {model.id.device} of {model.id.driver} on node {node}"
    if model.slice.spec.get("nodeName", node) != node:
        text = f"add {count} {noun} like {model.id} on node {node}"
    counter_set = counter_set_of(model)
    if counter_set:  # a further partition of the same device would consume the same counters
        text = (
            f"add {count} physical {noun} on node {node} (counters like {counter_set}), "
            f"{'each ' if count > 1 else ''}with a partition like {model.id.device} of {model.id.driver}"
        )
    return Change(
        text, "add", count=count, node=node, sufficient=sufficient, driver=model.id.driver, like=str(model.id)
    )


def toleration_change(tally: RequestTally, node: str) -> tuple[Change | None, list[Object]]:
    """Returns a change that tolerates the taints of refused devices, and the new list of tolerations.

    The change is None if no taint refuses a device.
    """
    tainted = [one.device for one in tally.refused if one.obstacle is Obstacle.TAINT]
    taints = {taint_text(taint): taint for taint in untolerated(tally, tainted)}
    if not taints:
        return None, []
    path = f"{tally.place}.tolerations"
    tolerations = [*(tally.request.spec.get("tolerations") or ()), *map(_toleration_for, taints.values())]
    text = recreate_text(tally.claim, f"a toleration of {', '.join(taints)} in {path}")
    return Change(text, "edit", [reference("ResourceClaim", tally.claim)], path, node=node), tolerations


def using_claims(describer: Describer, refused: Sequence[Refused]) -> dict[tuple[str, str], Object]:
    """Returns the claims that use refused devices or their shared counters, by namespace and name."""
    claims: dict[tuple[str, str], Object] = {}
    for obstacle in _USES:
        devices = [one.device for one in refused if one.obstacle is obstacle]
        for claim in describer.claims_using(obstacle, devices):
            claims[claim["metadata"]["namespace"], claim["metadata"]["name"]] = claim
    return claims


def start_change(driver: str) -> Change:
    """Returns the change that starts a driver, so that the driver publishes its devices."""
    return Change(f"start driver {driver} so that it publishes its devices", "create")


def model_of(tally: RequestTally) -> Device | None:
    """Returns a device on the node that the selectors of a request match; None without such a device."""
    if tally.usable:
        return tally.usable[0]
    matching = (one.device for one in tally.refused if one.obstacle in {*_USES, Obstacle.TAINT})
    return next(matching, None)


def _toleration_for(taint: Object) -> Object:
    """Returns the toleration of a device request for a device taint."""
    toleration = {"key": taint["key"], "operator": "Equal", "value": taint.get("value", "")}
    return toleration if taint.get("value") else {"key": taint["key"], "operator": "Exists"}


def free_change(
    cluster: ClusterObjects, claims: Sequence[Object], node: str, *, sufficient: bool | None
) -> Change:
    """Returns the change that deletes the pods of claims, so that the claims free their devices.

    Claims without pods are deleted themselves.
    """
    pods = [user for claim in claims for user in consumers_of(claim)]
    idle = [reference("ResourceClaim", claim) for claim in claims if not consumers_of(claim)]
    objects = [*dict.fromkeys(pods), *idle]
    change = deletion(objects, pods_of(cluster, objects), node)
    return msgspec.structs.replace(change, sufficient=sufficient)
