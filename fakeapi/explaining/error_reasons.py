"""Explains allocator errors that end a scheduling attempt, such as a failed CEL selector."""

from collections.abc import Sequence

import msgspec

from fakeapi.controllers.allocation.model import PoolID
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.device_changes import recreate_text, selector_change
from fakeapi.explaining.dropped import Describer, SelectorGroup, selector_name, selector_place
from fakeapi.explaining.harms import harm_to_class_users
from fakeapi.explaining.model import Change, Reason, Reference
from fakeapi.explaining.obstacles import Obstacle, Refused
from fakeapi.explaining.pool_facts import slices_of_pool
from fakeapi.explaining.selector_changes import Rewritten, corrected_types, rewritten
from fakeapi.explaining.selector_text import SUMMARY_LENGTH, Hint, replaced, short_path, shortened
from fakeapi.explaining.tally import RequestTally
from fakeapi.explaining.trial import Case, Trial
from fakeapi.machinery.cel import library
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

_PLUGIN = lazy_pattern(r'^running "?\w+"? filter plugin:? ?"?\w*"?: ')
_GATES = {
    "admin access is requested, but the feature is disabled": "DRAAdminAccess",
    "the DRAPrioritizedList feature is disabled": "DRAPrioritizedList",
}
_POOL = lazy_pattern(
    r"request (?P<request>\S+): asks for all devices, but resource pool (?P<pool>\S+) is currently "
    r"(?P<state>being updated|invalid)"
)
_CONSTRAINT = lazy_pattern(
    r"request (?P<request>\S+): cannot add device (?P<device>\S+) because a claim constraint would not be"
)
_LIMITS = "exceeds the claim limit"


async def error_reason(
    message: str, tallies: Sequence[RequestTally], describer: Describer, trial: Trial, case: Case | None
) -> Reason:
    """Returns the reason for an error of the scheduler plugin DynamicResources.

    - `message`: the message of the scheduler.
    - `tallies`: the requests of the claims on the node with the error.
    - `case`: the claims to allocate on this node; None without a node.
    """
    for tally in tallies:
        failing = [one for one in tally.refused if one.error]
        if failing and case is not None:
            return await _selector_reason(tally, failing, describer, trial, case)
    text = _PLUGIN.sub("", message)
    for words, gate in _GATES.items():
        if words in text:
            change = Change(f"turn on the feature gate {gate} in all components", "edit")
            return Reason("FeatureGateOff", f"feature gate {gate} is off: {text}", changes=[change])
    match = _POOL.search(text)
    if match is not None:
        incomplete = match["state"] == "being updated"
        code, state = ("PoolIncomplete", "incomplete") if incomplete else ("PoolInvalid", "invalid")
        change = Change(slices_of_pool(trial.cluster, _pool_of(match["pool"])).advice, "wait")
        short = f"request {match['request']} asks for all devices, and pool {match['pool']} is {state}"
        return Reason(code, short, [text], request=match["request"], changes=[change])
    match = _CONSTRAINT.search(text)
    if match is not None:
        device = match["device"].rpartition("/")[2]
        short = f"request {match['request']} asks for all devices, and a constraint excludes {device}"
        change = Change(
            "create the claim again with no spec.devices.constraints", "edit", path="spec.devices.constraints"
        )
        return Reason("ConstraintNotMet", short, [text], path="spec.devices.constraints", changes=[change])
    if text == "stop allocation":
        short = "a request with allocationMode All cannot get all its devices, and 1.31 then gives up"
        return Reason("AllDevicesNotFree", short, [f"the scheduler says {text!r}"])
    if _LIMITS in text:
        change = Change("ask for fewer devices, or split them into several claims", "edit")
        return Reason("TooManyDevices", text, path="spec.devices.requests", changes=[change])
    return Reason("SchedulingFailed", text)


def _pool_of(text: str) -> PoolID:
    """Returns the pool in a message of the allocator: driver/pool. The name of a pool may contain slashes."""
    driver, _, name = text.strip('"').partition("/")
    return PoolID(driver, name)


async def _selector_reason(
    tally: RequestTally, failing: Sequence[Refused], describer: Describer, trial: Trial, case: Case
) -> Reason:
    groups = await describer.selector_groups(tally, failing)
    group, first = groups[0], failing[0]
    error = group.dissected.error.removeprefix("CEL runtime error: ").removeprefix("CEL compile error: ")
    owner, path = selector_place(tally, first)
    short = group.dissected.shorts[0] if any(seen.missing for seen in group.seen) else error
    reason = Reason(
        str(Obstacle.SELECTOR_ERROR),
        error_summary(group, selector_name(tally, first)) or _failure(tally, first, case, shortened(short)),
        [
            f"device {first.device.id}: {error}",
            f"expression: {shortened(group.expression, 300)}",
            *error_lines(group),
            "a selector that fails with an error stops the scheduling of the pod",
        ],
        owner,
        path,
        expression=group.expression,
        claim=reference("ResourceClaim", tally.claim),
        request=tally.request.full_name,
        seen=list(group.seen),
    )
    for change in corrections(trial.cluster, group, owner, path, tally.claim):
        works = await trial.allocates(trial.with_expression(case, tally, first, change.value))
        reason.changes.append(msgspec.structs.replace(change, sufficient=works or None))
    reason.changes.sort(key=lambda change: change.rank)
    await _add_relaxed(reason, group, tally, first, trial, case)
    return reason


def _failure(tally: RequestTally, first: Refused, case: Case, error: str) -> str:
    """Returns the text that a selector fails on a device, with the node of the device if the text fits."""
    lead = f"{selector_name(tally, first)} fails on {first.device.id.device}"
    whole = f"{lead} of node {case.node['metadata']['name']}: {error}"
    return whole if len(whole) <= SUMMARY_LENGTH else f"{lead}: {error}"


async def _add_relaxed(
    reason: Reason, group: SelectorGroup, tally: RequestTally, first: Refused, trial: Trial, case: Case
) -> None:
    """Adds changes to a reason: a guard for a missing value; without another change, a weaker selector.

    Without the extra cel, the only change is to install it.

    `first`: a device on which the selector fails.
    """
    owner, path = selector_place(tally, first)
    missing = next((seen.path for seen in group.seen if seen.missing and "]." in seen.path), "")

    async def changed_to(option: Rewritten) -> Change:
        text = option.advice(f"{path} of {owner}")
        return await selector_change(trial, case, tally, first, option, text)

    if missing:
        guarded = await changed_to(
            Rewritten(f"has({missing}) && …", f"has({missing}) && ({group.expression})", relaxes=False)
        )
        if guarded.sufficient:
            reason.changes.append(guarded)
        elif not any(one.instead for one in group.hints):
            node = case.node["metadata"]["name"]
            reason.details += [
                "a guard with has() stops the error",
                f"with this guard, too few devices of node {node} match the selector",
            ]
    if not library.is_installed():  # the expression may be right, and no other can be tried
        reason.changes.append(Change("install the extra cel: pip install 'fakeapi-k8s[cel]'", "edit"))
    if reason.changes:
        return
    changes: list[Change] = []
    for option in rewritten(group):
        changes = [await changed_to(option)]
        if changes[0].sufficient:
            break
    if missing:
        driver, value = first.device.id.driver, short_path(missing)
        text = f"let driver {driver} publish {value} for its devices"
        slices = [Reference("ResourceSlice", first.device.slice.name)]
        reason.changes.append(Change(text, "edit", slices, "spec.devices"))
    reason.changes += changes


def error_summary(group: SelectorGroup, name: str) -> str:
    """Returns the cause of a selector's error in one line; "" if the cause is unknown, or too long.

    `name`: the selector, such as "selectors[0] of class gpu".
    """
    hint = next((one for one in group.hints if one.instead), None)
    options = [] if hint is None else [f"{name} {misread}" for misread in hint.misread]
    if group.mismatch is not None:
        options += [f"{name} {text}" for text in group.mismatch.texts]
    return next((one for one in options if len(one) <= SUMMARY_LENGTH), "")


def error_lines(group: SelectorGroup) -> list[str]:
    """Returns facts about the values that a failing selector reads, one line each."""
    wrong = [] if group.mismatch is None else [group.mismatch.line]
    return [*wrong, *(hint.text for hint in group.hints)]


def corrections(
    cluster: ClusterObjects, group: SelectorGroup, owner: Reference, path: str, claim: Object
) -> list[Change]:
    """Returns the changes that correct the cause of a selector's error. The changes are not tried.

    `owner` and `path`: the object and the field of the selector.
    """
    harm = harm_to_class_users(cluster, owner, claim)
    changes = [
        Change(
            read_text(hint, group.expression, path, owner, claim),
            "edit",
            [owner],
            path,
            value=replaced(group.expression, hint),
            harm=harm,
        )
        for hint in group.hints
        if hint.instead
    ]
    option = corrected_types(group)
    if option is not None:
        text = option.advice(f"{path} of {owner}")
        if owner.kind == "ResourceClaim":
            text = recreate_text(claim, f"{option.text} in {path}")
        changes.append(Change(text, "edit", [owner], path, value=option.expression, harm=harm))
    return changes


def read_text(hint: Hint, expression: str, path: str, owner: Reference, claim: Object) -> str:
    """Returns the advice to read a value at the path where devices publish it."""
    text = f"read {hint.instead} instead, in {path} of {owner}"
    if owner.kind == "ResourceClaim":
        text = recreate_text(claim, f"{hint.instead} instead of {hint.path} in {path}")
    return f"{text}; it is a quantity, {_comparison(expression)}" if hint.is_capacity else text


def _comparison(expression: str) -> str:
    """Returns the advice to compare a quantity with `compareTo(quantity(…))`, or to keep this comparison."""
    if "compareTo(quantity(" in expression:
        amount = expression.partition("compareTo(quantity(")[2].partition(")")[0]
        return f"so compareTo(quantity({amount})) stays"
    return 'so compare it with compareTo(quantity("…"))'
