"""Finds changes of several steps, for requests that no single change can serve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from fakeapi.controllers.allocation.model import Device
from fakeapi.explaining.device_changes import (
    MATCHES_ALL,
    free_change,
    model_of,
    recreate_text,
    toleration_for,
)
from fakeapi.explaining.dropped import Describer, taint_text, untolerated
from fakeapi.explaining.model import Change, Reference
from fakeapi.explaining.obstacles import Obstacle
from fakeapi.explaining.tally import NodeTally, RequestTally
from fakeapi.explaining.trial import Case, Trial, edited, steps_of
from fakeapi.explaining.world import reference
from fakeapi.machinery.json_types import Object

STEPS_MAX = 12
"""Maximum number of steps that one change combines; further steps are not tried."""

_USES = (Obstacle.IN_USE, Obstacle.CAPACITY, Obstacle.COUNTERS)


@dataclass(frozen=True, slots=True)
class Step:
    """Joins a change with the function that makes it in a Case."""

    change: Change
    apply: Callable[[Trial, Case], Case]


async def plan_of(trial: Trial, case: Case, steps: Sequence[Step]) -> Change | None:
    """Returns the smallest change found that takes several of these steps; None if all do not suffice."""
    needed = [*steps[:STEPS_MAX]]
    if not needed or not await trial.allocates(_after(trial, case, needed)):
        return None
    for step in reversed(steps[:STEPS_MAX]):
        rest = [other for other in needed if other is not step]
        if rest and await trial.allocates(_after(trial, case, rest)):
            needed = rest
    changes = [step.change for step in needed]
    if len(changes) == 1:
        return msgspec.structs.replace(changes[0], sufficient=True)
    text = ", and ".join(change.text for change in changes)
    objects = list(dict.fromkeys(one for change in changes for one in change.objects))
    node = str(case.node["metadata"]["name"])
    return Change(text, "all", objects, node=node, sufficient=True, steps=changes)


def _after(trial: Trial, case: Case, steps: Sequence[Step]) -> Case:
    for step in steps:
        case = step.apply(trial, case)
    return case


def adding_steps(describer: Describer, node: NodeTally) -> list[Step]:
    """Returns the steps that add devices to a node, one step for each request."""
    steps = []
    for tally in _tallies(node):
        model = model_of(tally)
        if model is not None and not tally.request.takes_all:
            steps.append(_add(model, tally.needed, node.name))
    return steps


def _add(model: Device, count: int, node: str) -> Step:
    noun = "device" if count == 1 else "devices"
    text = f"{count} more {noun} like {model.id.device} of {model.id.driver} on node {node}"
    change = Change(text, "add", count=count, node=node)
    return Step(change, lambda trial, case: trial.with_devices(case, model.slice, model.spec, count))


def freeing_steps(describer: Describer, node: NodeTally) -> list[Step]:
    """Returns the steps that make devices of a node usable: tolerations, ended pods, changed selectors.

    Then adds devices, if the node still has too few.
    """
    tallies = _tallies(node)
    tolerating = [step for tally in tallies for step in _tolerations(tally, node.name)]
    freeing = _frees(describer, tallies, node.name)
    relaxing = [step for tally in tallies for step in _selectors(tally)]
    constraints = [step for claim in _constrained(tallies) for step in _constraints(claim)]
    return [*tolerating, *freeing, *relaxing, *constraints, *adding_steps(describer, node)]


def _tallies(node: NodeTally) -> list[RequestTally]:
    return [choices[0] for choices in node.requests]


def _tolerations(tally: RequestTally, node: str) -> list[Step]:
    tainted = [one.device for one in tally.refused if one.obstacle is Obstacle.TAINT]
    taints = {taint_text(taint): taint for taint in untolerated(tally, tainted)}
    if not taints:
        return []
    path = f"{tally.place}.tolerations"
    tolerations = [*(tally.request.spec.get("tolerations") or ()), *map(toleration_for, taints.values())]
    owner = reference("ResourceClaim", tally.claim)
    text = recreate_text(tally.claim, f"a toleration of {', '.join(taints)} in {path}")
    change = Change(text, "edit", [owner], path, node=node)
    return [Step(change, lambda trial, case: _edit(case, tally.claim, path, tolerations))]


def _frees(describer: Describer, tallies: Sequence[RequestTally], node: str) -> list[Step]:
    claims: dict[tuple[str, str], Object] = {}
    for obstacle in _USES:
        devices = [one.device for tally in tallies for one in tally.refused if one.obstacle is obstacle]
        for claim in describer.claims_using(obstacle, devices) if devices else ():
            claims[claim["metadata"]["namespace"], claim["metadata"]["name"]] = claim
    return [_free(key, claim, node) for key, claim in claims.items()]


def _free(key: tuple[str, str], claim: Object, node: str) -> Step:
    change = free_change([claim], node, sufficient=None)
    return Step(change, lambda trial, case: trial.without_claims(case, [key]))


def _selectors(tally: RequestTally) -> list[Step]:
    refused = dict.fromkeys((one.obstacle, one.selector) for one in tally.refused if one.selector >= 0)
    steps = []
    for obstacle, index in refused:
        if obstacle is not Obstacle.REQUEST_SELECTOR:
            continue
        path = f"{tally.place}.selectors[{index}]"
        owner: Reference = reference("ResourceClaim", tally.claim)
        text = recreate_text(tally.claim, f"another expression in {path}.cel.expression")
        change = Change(text, "edit", [owner], path)
        steps.append(_selector_step(change, tally.claim, path))
    return steps


def _constrained(tallies: Sequence[RequestTally]) -> list[Object]:
    """Returns the claims with a constraint that refuses devices."""
    claims = {
        tally.claim["metadata"]["uid"]: tally.claim
        for tally in tallies
        if any(one.obstacle is Obstacle.CONSTRAINT for one in tally.refused)
    }
    return [*claims.values()]


def _constraints(claim: Object) -> list[Step]:
    """Returns the step that removes all constraints of a claim."""
    path = "spec.devices.constraints"
    text = recreate_text(claim, f"other or no {path}")
    change = Change(text, "edit", [reference("ResourceClaim", claim)], path)
    return [Step(change, lambda trial, case: _edit(case, claim, path, None))]


def _selector_step(change: Change, claim: Object, path: str) -> Step:
    return Step(change, lambda trial, case: _edit(case, claim, path, MATCHES_ALL))


def _edit(case: Case, claim: Object, path: str, value: object) -> Case:
    uid = claim["metadata"]["uid"]
    claims = [
        edited(one, steps_of(path), value) if one["metadata"]["uid"] == uid else one for one in case.claims
    ]
    return replace(case, claims=claims)
