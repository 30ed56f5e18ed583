"""Combines suggested changes of `fakeapi explain`, such as adding or freeing devices, into one.

Used if no single change lets a node serve the requests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from fakeapi.controllers.allocation.model import Device
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.device_changes import (
    add_change,
    free_change,
    model_of,
    recreate_text,
    toleration_change,
    using_claims,
)
from fakeapi.explaining.dropped import Describer, expression_of, selector_place
from fakeapi.explaining.model import Change
from fakeapi.explaining.obstacles import Obstacle
from fakeapi.explaining.selector_changes import driver_only
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.explaining.trial import Case, Trial
from fakeapi.machinery.json_types import Object

STEPS_MAX = 12
"""Maximum number of changes to combine; further changes are not tried."""


@dataclass(frozen=True, slots=True)
class Step:
    """A change, and the function that applies it to the claims and slices of a Case."""

    change: Change
    apply: Callable[[Trial, Case], Case]


async def plan_of(trial: Trial, case: Case, steps: Sequence[Step]) -> Change | None:
    """Combines steps into one change that lets the allocator succeed. Drops unnecessary steps.

    Returns None without steps, and if the first STEPS_MAX steps together do not suffice.
    """
    needed = [*steps[:STEPS_MAX]]
    if not needed or not await trial.allocates(await _after(trial, case, needed)):
        return None
    for step in reversed(steps[:STEPS_MAX]):
        rest = [other for other in needed if other is not step]
        if rest and await trial.allocates(await _after(trial, case, rest)):
            needed = rest
    changes = [step.change for step in needed]
    if len(changes) == 1:
        return msgspec.structs.replace(changes[0], sufficient=True)
    text = ", and ".join(change.text for change in changes)
    objects = list(dict.fromkeys(one for change in changes for one in change.objects))
    node = str(case.node["metadata"]["name"])
    harm = "; ".join(dict.fromkeys(change.harm for change in changes if change.harm))
    relaxes = any(change.relaxes for change in changes)
    return Change(text, "all", objects, node=node, sufficient=True, steps=changes, harm=harm, relaxes=relaxes)


async def _after(trial: Trial, case: Case, steps: Sequence[Step]) -> Case:
    for step in steps:
        case = step.apply(trial, case)
        await trial.effort.give_turn_if_over()
    return case


def adding_steps(
    describer: Describer, node: NodeTally, models: Mapping[str, Device] | None = None
) -> list[Step]:
    """Returns steps that add the needed devices to a node: one step for each request.

    Skips requests for all devices, and requests for which no device can be copied.

    `models`: by DeviceClass, a device of another node to copy if the node has no matching device.
    """
    steps = []
    for tally in _tallies(node):
        class_name = tally.request.device_class["metadata"]["name"]
        model = model_of(tally) or (models or {}).get(class_name)
        if model is not None and not tally.request.takes_all:
            steps.append(_add(model, tally.needed, node.name))
    return steps


def _add(model: Device, count: int, node: str) -> Step:
    change = add_change(model, count, node, sufficient=None)
    return Step(change, lambda trial, case: trial.with_devices(case, model, count))


def freeing_steps(describer: Describer, node: NodeTally) -> list[Step]:
    """Returns all steps that could let a node serve the requests.

    The steps in order: tolerate taints, free used devices, relax selectors, remove constraints, add devices.
    """
    tallies = _tallies(node)
    tolerating = [step for tally in tallies for step in _tolerations(tally, node.name)]
    freeing = _frees(describer, tallies, node.name)
    relaxing = [step for tally in tallies for step in _selectors(tally)]
    constraints = [step for claim in _claims_with_constraints(tallies) for step in _constraint_removal(claim)]
    return [*tolerating, *freeing, *relaxing, *constraints, *adding_steps(describer, node)]


def _tallies(node: NodeTally) -> list[RequestTally]:
    return [choices[0] for choices in node.requests]


def _tolerations(tally: RequestTally, node: str) -> list[Step]:
    change, tolerations = toleration_change(tally, node)
    return [] if change is None else [_edit(change, tally.claim, tolerations)]


def _frees(describer: Describer, tallies: Sequence[RequestTally], node: str) -> list[Step]:
    claims = using_claims(describer, [one for tally in tallies for one in tally.refused])
    return [_free(describer.cluster, key, claim, node) for key, claim in claims.items()]


def _free(cluster: ClusterObjects, key: tuple[str, str], claim: Object, node: str) -> Step:
    change = free_change(cluster, [claim], node, sufficient=None)
    return Step(change, lambda trial, case: trial.without_claims(case, [key]))


def _selectors(tally: RequestTally) -> list[Step]:
    refused = {one.selector: one for one in tally.refused if one.obstacle is Obstacle.REQUEST_SELECTOR}
    steps = []
    for one in refused.values():
        relaxed = driver_only(expression_of(tally, one))
        if relaxed is None:
            continue
        claim, path = selector_place(tally, one)
        text = recreate_text(tally.claim, f"{relaxed.text} in {path}")
        change = Change(text, "edit", [claim], path, value=relaxed.expression, relaxes=True)
        steps.append(_edit(change, tally.claim, relaxed.expression))
    return steps


def _claims_with_constraints(tallies: Sequence[RequestTally]) -> list[Object]:
    """Returns the claims whose constraints refuse devices."""
    claims = {
        tally.claim["metadata"]["uid"]: tally.claim
        for tally in tallies
        if any(one.obstacle is Obstacle.CONSTRAINT for one in tally.refused)
    }
    return [*claims.values()]


def _constraint_removal(claim: Object) -> list[Step]:
    """Returns a list with one step, which removes all constraints of a claim."""
    path = "spec.devices.constraints"
    text = recreate_text(claim, f"no {path}")
    change = Change(text, "edit", [reference("ResourceClaim", claim)], path, relaxes=True)
    return [_edit(change, claim, None)]


def _edit(change: Change, claim: Object, value: object) -> Step:
    """Returns the step that sets the field `change.path` of a claim to `value`. None removes the field."""
    return Step(change, lambda _trial, case: case.with_edit(claim, change.path, value))
