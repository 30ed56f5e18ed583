"""Explains why a node can serve each request of a pod by itself, but not all requests together."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fakeapi.controllers.allocation.constraints import attribute_of
from fakeapi.controllers.allocation.model import Device
from fakeapi.explaining.cluster_objects import reference
from fakeapi.explaining.device_changes import Changes, fewer_change, recreate_text
from fakeapi.explaining.dropped import Describer
from fakeapi.explaining.model import Change, Reason, devices_text, distinct, listed
from fakeapi.explaining.selector_text import value_text
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.explaining.trial import Case, Trial
from fakeapi.machinery.json_types import Object

PAIRS_MAX = 16
"""Maximum number of constraints, and of requests, that are left out one at a time to find the cause."""


async def combination_reason(trial: Trial, describer: Describer, case: Case, tally: NodeTally) -> Reason:
    """Returns the reason why a node cannot serve all requests of the claims together.

    Repeats the allocator's search: for each claim by itself, without constraints, and without one request.
    """
    alone = [claim for claim in case.claims if not await trial.allocates(replace(case, claims=[claim]))]
    if not alone and len(case.claims) > 1:
        return await _claims_compete(trial, describer, case, tally)
    claim = alone[0] if alone else case.claims[0]
    own = replace(case, claims=[claim])
    return (
        await _by_constraint(trial, describer, own, claim, tally)
        or await _by_request(trial, describer, own, claim, tally)
        or await _by_error(trial, own, claim, tally)
    )


async def _by_constraint(
    trial: Trial, describer: Describer, case: Case, claim: Object, tally: NodeTally
) -> Reason | None:
    constraints = (claim["spec"].get("devices") or {}).get("constraints") or ()
    for index, constraint in enumerate(constraints[:PAIRS_MAX]):
        if await trial.allocates(case.with_edit(claim, f"spec.devices.constraints[{index}]", None)):
            reason = _constraint_reason(index, constraint, claim, tally)
            reason.changes += await _changes_for_constraint(trial, describer, case, tally, constraint)
            reason.changes.sort(key=lambda change: change.rank)
            return reason
    path = "spec.devices.constraints"
    if len(constraints) > 1 and await trial.allocates(case.with_edit(claim, path, None)):
        text = f"the {len(constraints)} constraints cannot all hold on node {tally.name}"
        reason = _reason("ConstraintsNotMet", text, claim, path)
        reason.details = [_constraint_text(one) for one in constraints]
        reason.changes.append(_edit(f"no {path}", claim, path, tally))
        return reason
    return None


def _constraint_reason(index: int, constraint: Object, claim: Object, tally: NodeTally) -> Reason:
    path = f"spec.devices.constraints[{index}]"
    attribute = _attribute_of(constraint)
    concerned = _concerned(constraint, claim, tally)
    values: dict[str, list[str]] = {}
    devices = [*{device.id: device for one in concerned for device in one.usable}.values()]
    for device, name in zip(devices, _device_names(devices), strict=True):
        values.setdefault(_value(device, attribute), []).append(name)
    is_match = bool(constraint.get("matchAttribute"))
    count = sum(one.needed for one in concerned)
    of = "one value" if is_match else f"{count} different values"
    names = ", ".join(one.request.full_name for one in concerned)
    whose = f"request {names} needs" if len(concerned) == 1 else f"requests {names} need"
    needed = f"{whose} {devices_text(count)} with {of} of {attribute}"
    offers = [
        f"{attribute} {value or 'missing'}: {listed(names, 6)}" for value, names in sorted(values.items())
    ]
    text = f"{_constraint_text(constraint)}: no set of devices on node {tally.name} satisfies it"
    reason = _reason("ConstraintNotMet", text, claim, path)
    reason.details = [needed, *offers[:8]]
    reason.changes.append(_edit(f"no {path}", claim, path, tally))
    return reason


async def _changes_for_constraint(
    trial: Trial, describer: Describer, case: Case, tally: NodeTally, constraint: Object
) -> list[Change]:
    """Returns changes that let a node satisfy a constraint: request fewer devices, add devices, or free
    devices.
    """
    changes: list[Change] = []
    attribute = _attribute_of(constraint) if constraint.get("matchAttribute") else ""
    for one in _concerned(constraint, case.claims[0], tally):
        finding = Changes(trial, describer, case)
        changes += [*await _fewer(trial, case, one), *await finding.to_make_room(one, attribute)]
    sufficient = {change.text: change for change in changes if change.sufficient}
    return sorted(sufficient.values(), key=lambda change: change.rank)


async def _fewer(trial: Trial, case: Case, tally: RequestTally) -> list[Change]:
    """Returns the change that reduces a request to the largest count that fits; [] if not even one device
    fits.
    """
    path = f"{tally.place}.count"
    for count in range(tally.needed - 1, 0, -1):
        if await trial.allocates(case.with_edit(tally.claim, path, count)):
            return [fewer_change(tally, count, str(case.node["metadata"]["name"]))]
    return []


async def _by_request(
    trial: Trial, describer: Describer, case: Case, claim: Object, tally: NodeTally
) -> Reason | None:
    requests = (claim["spec"].get("devices") or {}).get("requests") or ()
    for index, request in enumerate(requests[:PAIRS_MAX]):
        path = f"spec.devices.requests[{index}]"
        if len(requests) > 1 and await trial.allocates(case.with_edit(claim, path, None)):
            others = ", ".join(other["name"] for other in requests if other is not request)
            text = f"requests {request['name']}, {others} want the same devices of node {tally.name}"
            reason = _reason("RequestsCompete", text, claim, path)
            reason.request = request["name"]
            reason.details = _overlap(claim, tally)
            for choices in tally.requests:
                if choices[0].claim is claim:
                    candidates = await Changes(trial, describer, case).to_make_room(choices[0])
                    reason.changes += [change for change in candidates if change.sufficient]
            reason.changes.append(_edit(f"no {path}", claim, path, tally))
            reason.changes = distinct(sorted(reason.changes, key=lambda change: change.rank))
            return reason
    return None


async def _claims_compete(trial: Trial, describer: Describer, case: Case, tally: NodeTally) -> Reason:
    names = ", ".join(claim["metadata"]["name"] for claim in case.claims[:4])
    text = f"claims {names} want the same devices of node {tally.name}"
    reason = _reason("ClaimsCompete", text, case.claims[-1], "spec.devices.requests")
    reason.details = [line for claim in case.claims for line in _overlap(claim, tally)]
    for choices in tally.requests:
        candidates = await Changes(trial, describer, case).to_make_room(choices[0])
        reason.changes += [change for change in candidates if change.sufficient]
    reason.changes = distinct(sorted(reason.changes, key=lambda change: change.rank))
    return reason


async def _by_error(trial: Trial, case: Case, claim: Object, tally: NodeTally) -> Reason:
    """Returns a reason with the allocator's error, or with the number of devices that fit together."""
    fitting = await _fitting_count(trial, case, claim, tally)
    if fitting is not None:
        return fitting
    text = await trial.error_of(case) or "the devices do not suffice for all requests together"
    return _reason("NotEnoughDevices", text, claim, "spec.devices.requests")


async def _fitting_count(trial: Trial, case: Case, claim: Object, tally: NodeTally) -> Reason | None:
    """Returns a reason with the largest number of devices that one request could get on a node.

    Returns None if the claim has several requests or subrequests, or if no smaller count fits.
    """
    requests = [one for choices in tally.requests for one in choices if one.claim is claim]
    if len(requests) != 1 or requests[0].request.parent:
        return None
    changes = await _fewer(trial, case, requests[0])
    if not changes:
        return None
    name, needed, count = requests[0].request.full_name, requests[0].needed, changes[0].count
    text = f"request {name} needs {needed} devices; only {count} fit together on node {tally.name}"
    reason = _reason("CountersTogether", text, claim, changes[0].path)
    reason.request, reason.details, reason.changes = name, [*_counter_lines(case)], changes
    return reason


def _counter_lines(case: Case) -> Iterator[str]:
    """Yields one line for each shared counter in the slices of a node, with the counter's value."""
    for one in case.inventory.slices.visible(case.node["metadata"]["name"]):
        for shared in one.spec.get("sharedCounters") or ():
            for name, counter in (shared.get("counters") or {}).items():
                yield f"counter {name} of {shared['name']} in slice {one.name}: {counter['value']} in all"


def _device_names(devices: Sequence[Device]) -> list[str]:
    """Returns the names of devices, as DRIVER/POOL/DEVICE if several drivers publish the devices."""
    are_of_one_driver = len({device.id.driver for device in devices}) == 1
    return [device.id.device if are_of_one_driver else str(device.id) for device in devices]


def _overlap(claim: Object, tally: NodeTally) -> list[str]:
    lines = []
    for choices in tally.requests:
        for one in choices:
            if one.claim is claim:
                names = ", ".join(_device_names(one.usable[:6]))
                needs = "all" if one.request.takes_all else one.needed
                lines.append(f"request {one.request.full_name} needs {needs}; usable: {names}")
    return lines


def _concerned(constraint: Object, claim: Object, tally: NodeTally) -> Sequence[RequestTally]:
    names = constraint.get("requests") or ()
    return [
        one
        for choices in tally.requests
        for one in choices
        if one.claim["metadata"] == claim["metadata"]
        and (not names or one.request.full_name in names or one.request.parent in names)
    ]


def _value(device: Device, attribute: str) -> str:
    value = attribute_of(device, attribute)
    return "" if value is None else value_text("attributes", value)


def _attribute_of(constraint: Object) -> str:
    return str(constraint.get("matchAttribute") or constraint.get("distinctAttribute") or "")


def _constraint_text(constraint: Object) -> str:
    kind = "matchAttribute" if constraint.get("matchAttribute") else "distinctAttribute"
    return f"{kind} {_attribute_of(constraint)}"


def _reason(code: str, text: str, claim: Object, path: str) -> Reason:
    owner = reference("ResourceClaim", claim)
    return Reason(code, text, object=owner, path=path, claim=owner)


def _edit(text: str, claim: Object, path: str, tally: NodeTally) -> Change:
    text = recreate_text(claim, text)
    own = reference("ResourceClaim", claim)
    return Change(text, "edit", [own], path, node=tally.name, sufficient=True, relaxes=True)
