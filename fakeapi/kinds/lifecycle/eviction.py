"""Eviction of lifecycle.k8s.io: an eviction of a pod, in which responders act one after the other.

Follows k8s.io/kubernetes `pkg/registry/lifecycle/eviction`. This is not the Eviction of policy/v1, which
clients post to a pod's subresource: see `fakeapi.kinds.core.pod.eviction`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.kinds.lifecycle import eviction_status
from fakeapi.kinds.lifecycle.strategy import (
    GROUP,
    UNSET,
    TargetedStatusStrategy,
    TargetedStrategy,
    name_is_long_name,
    status_cell,
    target_cell,
    target_type_cell,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import UNKNOWN, Cell, age, since
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules


class EvictionStatusStrategy(TargetedStatusStrategy):
    """Strategy for `/status` of Evictions, in which responders report their progress."""

    def __init__(self, rules: ReleaseRules, context: StrategyContext) -> None:
        super().__init__(rules)
        self._now = context.now

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = super().validate_update(new, old, metadata)
        return errors + eviction_status.validate_change(
            new["status"], old["status"], self._now(), self._rules
        )


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": TargetedStrategy(rules), "status": EvictionStatusStrategy(rules, context)}


def _latest_target(status: Object) -> Object | None:
    """Returns the last active responder of an Eviction.

    If no responder is active, returns the last responder that has ended. Returns None if no responder is
    active or has ended.
    """
    targets = status.get("targetResponders") or ()
    active = [target for target in targets if target["state"] == eviction_status.ACTIVE]
    ended = [target for target in targets if target["state"] in eviction_status.ENDED]
    return next(iter((active or ended)[-1:]), None)


def _active_responder(obj: Object, now: float) -> str:
    targets = obj["status"].get("targetResponders") or ()
    target = _latest_target(obj["status"])
    begun = sum(entry["state"] in (eviction_status.ACTIVE, *eviction_status.ENDED) for entry in targets)
    return f"{UNSET if target is None else target['name']} ({begun}/{len(targets)})"


def _of_responder(absent: str, cell: Callable[[str, Object, float], str]) -> Cell:
    """Returns a table cell function for the responder that `_latest_target` selects.

    - `cell`: returns the text of the cell, from the state and the status of the responder
    - `absent`: the text of the cell if the responder or its status is missing
    """

    def of(obj: Object, now: float) -> str:
        target = _latest_target(obj["status"])
        if target is None:
            return absent
        responders = obj["status"].get("responders") or ()
        responder = next((entry for entry in responders if entry["name"] == target["name"]), None)
        return absent if responder is None else cell(target["state"], responder, now)

    return of


def _responder_status(state: str, responder: Object, now: float) -> str:
    if state == eviction_status.ACTIVE and responder.get("startTime"):
        return f"Started ({since(responder['startTime'], now)} ago)"
    if state == eviction_status.COMPLETED and responder.get("completionTime"):
        return f"{state} ({since(responder['completionTime'], now)} ago)"
    return state


def _expected_finish(state: str, responder: Object, now: float) -> str:
    if state != eviction_status.ACTIVE:
        return "-"
    expected: Any = responder.get("expectedCompletionTime")
    if not responder.get("startTime") or not expected:
        return UNKNOWN
    left = seconds_of(expected) - now
    return f"in {age(left)}" if left > 0 else f"{since(expected, now)} ago"


def _heartbeat(state: str, responder: Object, now: float) -> str:
    beat = responder.get("heartbeatTime")
    return f"{since(beat, now)} ago" if beat else UNSET


def _message(state: str, responder: Object, now: float) -> str:
    return (responder.get("message") or "").strip() or UNSET


def _requesters(obj: Object, now: float) -> str:
    """Returns the table cell for requesters: the first name, and the number of other requesters.

    Ignores requesters that have withdrawn.
    """
    requesters = obj["status"].get("requesters") or ()
    wanting = sorted(requester["name"] for requester in requesters if requester["intent"] != "Withdrawn")
    if not wanting:
        return "<withdrawn>" if requesters else "<none>"
    more = len(wanting) - 1
    return f"{wanting[0]} + {more} more..." if more else str(wanting[0])


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Target": target_cell,
        "Target Type": target_type_cell,
        "Status": status_cell,
        "Active Responder": _active_responder,
        "Responder Status": _of_responder(UNSET, _responder_status),
        "Responder Expected Finish": _of_responder(UNKNOWN, _expected_finish),
        "Requesters": _requesters,
        "Responder Heartbeat": _of_responder(UNSET, _heartbeat),
        "Responder Status Message": _of_responder(UNSET, _message),
    }


EVICTION = KindDefinition(
    group=GROUP,
    resource="evictions",
    strategies=_strategies,
    name_validator=name_is_long_name,
    cells=_cells,
    table_subresources=frozenset(("status",)),
    is_declared=True,
)
