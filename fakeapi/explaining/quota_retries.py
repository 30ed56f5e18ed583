"""Explains that a ResourceQuota allows the claim of a pod now, but its controller has not tried again yet."""

import math
from collections.abc import Sequence

from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.exceeded_quota import ExceededAmount
from fakeapi.explaining.model import Change, Reason, Reference
from fakeapi.explaining.selector_text import SUMMARY_LENGTH

_CONTROLLER = "resourceclaim"
"""The controller that creates the claims of a pod."""


def quota_allows_now(cluster: ClusterObjects, quota: Reference, amounts: Sequence[ExceededAmount]) -> Reason:
    """Returns the reason that a claim waits for the next try of its controller.

    `amounts`: the amounts that the quota refused earlier, as they are now; [] if the quota does not exist.
    """
    limits = [amount for amount in amounts if amount.limit]
    numbers = f" ({limits[0].limit}, {limits[0].used} used)" if limits else ""
    lead = f"{quota} allows it now{numbers}" if amounts else f"{quota} does not exist any more"
    seconds = cluster.retries.get(_CONTROLLER)
    when = "" if seconds is None else f", in about {math.ceil(seconds)} s"
    options = [
        f"{lead}: the controller {_CONTROLLER} tries again after its back-off{when}",
        f"{lead}: {_CONTROLLER} tries again after its back-off{when}",
        f"{lead}; the next try is{when.removeprefix(',')}" if when else lead,
        f"the quota {quota.name} allows it now; the next try comes{when.removeprefix(',')}",
    ]
    text = next((one for one in options if len(one) <= SUMMARY_LENGTH), options[-1])
    reason = Reason("QuotaAllowsNow", text, object=quota, path="spec.hard")
    reason.details = [
        f"{amount.resource}: {amount.limit or 'no limit'} allowed now, {amount.used} used, "
        f"{amount.requested} requested"
        for amount in amounts
    ]
    again = f"the controller {_CONTROLLER} tries again after its back-off{when}"
    reason.details += [] if text.endswith(again) else [again]
    reason.details.append("each failure doubles the back-off; a change of a quota does not shorten it")
    reason.changes = [*_changes(seconds)]
    return reason


def _changes(seconds: float | None) -> list[Change]:
    """Returns what ends the wait for the next try. `seconds`: until the next try; None if unknown."""
    again = Change("delete the pod and create it again: its first try is at once", "delete")
    if seconds is None:
        return [Change("wait for the next try", "wait"), again]
    left = math.ceil(seconds)
    return [
        Change(f"wait about {left} s for the next try", "wait"),
        Change(f"move the clock on: `fakeapi clock advance {left}`", "wait"),
        again,
    ]
