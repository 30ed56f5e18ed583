"""Validates changes of an Eviction's status. Responders act one after the other, by priority.

Follows `ValidateEvictionStatus` of k8s.io/kubernetes `pkg/apis/lifecycle/validation`. A responder becomes
Active in `targetResponders` when its turn comes, and reports its progress in `responders`. A responder never
returns to an earlier state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fakeapi.kinds.common.printing.values import printed_field, printed_struct
from fakeapi.kinds.lifecycle.strategy import EVICTED, FAILED, condition_of, true_condition
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.golang import times
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.releases.rules import ReleaseRules

INACTIVE: Final = "Inactive"
ACTIVE: Final = "Active"
COMPLETED: Final = "Completed"
ENDED: Final = ("Canceled", COMPLETED, "Interrupted")

RESPONDERS_MAX: Final = 11
HEARTBEAT_SECONDS: Final = 20 * 60
SKEW_SECONDS: Final = 30
EXPECTED_SECONDS_MAX: Final = 10 * 365 * 24 * 60 * 60
RESERVED_PRIORITIES: Final = 1000
OWN_PRIORITIES: Final[Mapping[str, int]] = {"imperative-eviction.k8s.io/evictor": 100}
"""Priorities of Kubernetes' own responders, by name."""

_PACKAGE: Final = "lifecycle/v1alpha1"
_TARGETS: Final = "status.targetResponders"
_RESPONDERS: Final = "status.responders"
_PRESENT: Final = "must be set to the present time"
_IN_PROGRESS: Final = (
    "must stay Active because the responder is in progress and it should report "
    "status.responders.heartbeatTime or status.responders.completionTime"
)


@dataclass(frozen=True, slots=True)
class _Expected:
    """The valid states of one responder. `why`: explains in errors why other states are invalid."""

    states: Sequence[str]
    why: str


_IMMUTABLE: Final = "final state is immutable"
_FINISHED: Final = "the eviction request has finished processing"
_MUST_END: Final = _Expected(ENDED, "this responder must reach a final state")
_HAS_ENDED: Final = _Expected(ENDED, _FINISHED)
_STAYS: Final = _Expected((ACTIVE,), "the eviction request stays active")
_IS_NEXT: Final = _Expected((ACTIVE,), "this responder is next in line")
_NEVER_STARTS: Final = _Expected((INACTIVE,), _FINISHED)
_WAITS: Final = _Expected((INACTIVE,), "the previously active has not finished processing")


def validate_change(status: Object, old: Object, now: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates a change of an Eviction's status, except the format of its conditions.

    - `status`, `old`: the new and the stored status, both canonical
    - `now`: the time in RFC 3339
    """
    return _Change(status, old, now, rules).errors()


class _Change:
    def __init__(self, status: Object, old: Object, now: str, rules: ReleaseRules) -> None:
        self._now, self._rules = now, rules
        self._status = status
        self._conditions = status.get("conditions") or []
        self._old_conditions = old.get("conditions") or []
        self._targets = status.get("targetResponders") or []
        self._old_targets = old.get("targetResponders") or []
        self._responders = status.get("responders") or []
        self._old_responders = {responder["name"]: responder for responder in old.get("responders") or ()}
        self._reverted = self._reverted_conditions()
        is_true = any(true_condition(self._conditions, kind) for kind in (EVICTED, FAILED))
        self._is_final = is_true or bool(self._reverted)

    def errors(self) -> list[FieldError]:
        return [*self._reverted, *self._target_errors(), *self._responder_errors()]

    def _printed_status(self, name: str) -> Dump:
        return printed_field(self._status.get(name), f"{_PACKAGE}.EvictionStatus", name, self._rules)

    # The next method validates the conditions.

    def _reverted_conditions(self) -> list[FieldError]:
        """Returns errors if a true final condition is removed, becomes False or changes its reason."""
        errors: list[FieldError] = []
        for old in self._old_conditions:
            if old["type"] not in (EVICTED, FAILED) or old["status"] != "True":
                continue
            new = condition_of(self._conditions, old["type"])
            if new is None or new["status"] == "False" or new["reason"] != old["reason"]:
                bad_value = self._printed_status("conditions")
                problem = f"{old['type']} condition status cannot be reverted"
                errors.append(invalid("status.conditions", bad_value, problem))
        return errors

    # The next methods validate the field `targetResponders`.

    def _target_errors(self) -> list[FieldError]:
        if problem := self._lost_target():
            return [invalid(_TARGETS, self._printed_status("targetResponders"), problem)]
        if len(self._targets) > RESPONDERS_MAX or _has_duplicates(self._targets):
            return []  # Declarative validation reports the error.
        statuses = {responder["name"]: responder for responder in self._responders}
        places = {target["name"]: index for index, target in enumerate(self._targets)}
        errors: list[FieldError] = []
        for target, expected in zip(in_turn(self._targets), self._expected(), strict=True):
            path = f"{_TARGETS}[{places[target['name']]}]"
            errors += self._validate_target(target, statuses.get(target["name"]), expected, path)
        return errors

    def _lost_target(self) -> str:
        if not self._old_targets:
            return ""
        if len(self._targets) != len(self._old_targets):
            return "must preserve the same length and the same keys"
        kept = {target["name"] for target in self._targets}
        if all(target["name"] in kept for target in self._old_targets):
            return ""
        return "must preserve the same keys"

    def _expected(self) -> list[_Expected]:
        """Returns the valid states of each responder, in the order in which the responders act."""
        new = [target["state"] for target in in_turn(self._targets)]
        old = [target["state"] for target in in_turn(self._old_targets)]
        if ACTIVE not in old:
            return self._expected_of_none_active(len(new), old)
        last = old.index(ACTIVE)
        ends = new[last] != ACTIVE
        expected = [_Expected((state,), _IMMUTABLE) for state in old[:last]]
        if ends:
            expected += [_MUST_END, _NEVER_STARTS if self._is_final else _IS_NEXT]
        else:
            expected.append(_HAS_ENDED if self._is_final else _STAYS)
        return (expected + [_WAITS] * len(new))[: len(new)]

    def _expected_of_none_active(self, count: int, old: Sequence[str]) -> list[_Expected]:
        if old and (self._is_final or old[-1] in ENDED):
            return [_Expected((state,), _IMMUTABLE) for state in old]
        if old or not count:
            return [_WAITS] * count
        return [_NEVER_STARTS if self._is_final else _IS_NEXT] + [_WAITS] * (count - 1)

    def _validate_target(
        self, target: Object, status: Object | None, expected: _Expected, path: str
    ) -> list[FieldError]:
        if status is None:
            bad_value = printed_struct(target, f"{_PACKAGE}.TargetResponder", self._rules)
            return [
                invalid(path, bad_value, f"{quote(target['name'])} has to be tracked in {_RESPONDERS} first")
            ]
        errors = _priority_errors(target, f"{path}.priority")
        state = target["state"]
        if state not in expected.states:
            problem = f"must be one of: {', '.join(expected.states)}, because {expected.why}"
            return [*errors, invalid(f"{path}.state", state, problem)]
        if state != ACTIVE and not self._is_final and self._is_in_progress(status):
            errors.append(forbidden(f"{path}.state", _IN_PROGRESS))
        if state == COMPLETED and not status.get("completionTime"):
            problem = (
                "cannot become Completed because the responder didn't report status.responders.completionTime"
            )
            errors.append(invalid(f"{path}.state", state, problem))
        return errors

    def _is_in_progress(self, status: Object) -> bool:
        """Whether a responder has started, is not complete, and has recently sent a heartbeat.

        `status`: the responder's entry in `status.responders`
        """
        if not status.get("startTime") or status.get("completionTime"):
            return False
        heard = status.get("heartbeatTime") or status["startTime"]
        return bool(times.later(self._now, SKEW_SECONDS - HEARTBEAT_SECONDS) < heard)

    # The next methods validate the field `responders`.

    def _responder_errors(self) -> list[FieldError]:
        names = {responder["name"] for responder in self._responders}
        problem = ""
        if len(self._targets) != len(self._responders):
            problem = "must be the same length as status.targetResponders and contain the same keys"
        elif any(target["name"] not in names for target in self._targets):
            problem = "must contain the same keys as status.targetResponders"
        if problem:
            return [invalid(_RESPONDERS, self._printed_status("responders"), problem)]
        if len(self._responders) > RESPONDERS_MAX or _has_duplicates(self._responders):
            return []  # Declarative validation reports the error.
        states = {target["name"]: target["state"] for target in self._targets}
        return [
            error
            for index, responder in enumerate(self._responders)
            for error in self._validate_responder(
                responder, states[responder["name"]], f"{_RESPONDERS}[{index}]"
            )
        ]

    def _validate_responder(self, status: Object, state: str, path: str) -> list[FieldError]:
        known = self._old_responders.get(status["name"])
        if known is not None and state != ACTIVE and not semantically_equal(status, known):
            bad_value = printed_struct(status, f"{_PACKAGE}.ResponderStatus", self._rules)
            return [invalid(path, bad_value, FIELD_IMMUTABLE)]
        old = known or {}
        return [
            *self._start_errors(status, old, state, f"{path}.startTime"),
            *self._heartbeat_errors(status, old, f"{path}.heartbeatTime"),
            *self._expectation_errors(status, old, f"{path}.expectedCompletionTime"),
            *self._completion_errors(status, old, f"{path}.completionTime"),
        ]

    def _start_errors(self, status: Object, old: Object, state: str, path: str) -> list[FieldError]:
        start, before = status.get("startTime"), old.get("startTime")
        if before:
            return []  # Declarative validation makes the field immutable.
        if not start:
            return [required(path, "is required for an active responder")] if state == ACTIVE else []
        return [] if self._is_present(start) else [invalid(path, start, _PRESENT)]

    def _heartbeat_errors(self, status: Object, old: Object, path: str) -> list[FieldError]:
        beat, before, start = status.get("heartbeatTime"), old.get("heartbeatTime"), status.get("startTime")
        if before and not beat:
            return [required(path, "is required once set")]
        if not beat or beat == before:
            return []
        problem = _not_started(start, path)
        if not problem and before and beat < before:
            problem = "cannot be decreased"
        if not problem and start and beat < start:
            problem = _must_follow(path)
        if not problem and not self._is_present(beat):
            problem = _PRESENT
        return [invalid(path, beat, problem)] if problem else []

    def _expectation_errors(self, status: Object, old: Object, path: str) -> list[FieldError]:
        expected, start = status.get("expectedCompletionTime"), status.get("startTime")
        if not expected or expected == old.get("expectedCompletionTime"):
            return []
        problem = _not_started(start, path)
        if not problem and start and expected < start:
            problem = _must_follow(path)
        if not problem and expected < times.later(self._now, -SKEW_SECONDS):
            problem = "cannot be set to the past time"
        if not problem and expected > times.later(self._now, EXPECTED_SECONDS_MAX):
            problem = "must complete within 10 years"
        return [invalid(path, expected, problem)] if problem else []

    def _completion_errors(self, status: Object, old: Object, path: str) -> list[FieldError]:
        completion, before = status.get("completionTime"), old.get("completionTime")
        if not completion or (before and before != completion):
            return []  # Declarative validation makes the field immutable.
        start = status.get("startTime")
        problem = _not_started(start, path)
        if not problem and start and completion < start:
            problem = _must_follow(path)
        if not problem and completion != before and not self._is_present(completion):
            problem = _PRESENT
        return [invalid(path, completion, problem)] if problem else []

    def _is_present(self, time: str) -> bool:
        return times.later(self._now, -SKEW_SECONDS) < time < times.later(self._now, SKEW_SECONDS)


def in_turn(targets: Sequence[Any]) -> list[Any]:
    """Sorts responders in the order in which they act.

    Higher priorities come first. Responders of equal priority are sorted by the domain of their name, from
    its last label, then by name.
    """
    return sorted(targets, key=_turn)


def _turn(target: Object) -> tuple[bool, int, list[str], str]:
    domain, _, key = target["name"].partition("/")
    priority = target["priority"]
    return priority is None, -(priority or 0), domain.split(".")[::-1], key


def _priority_errors(target: Object, path: str) -> list[FieldError]:
    priority, own = target["priority"], OWN_PRIORITIES.get(target["name"])
    if priority is None or priority < 0:
        return []  # Declarative validation reports the error.
    if own is not None:
        problem = f"core k8s responder is expected to have priority: {own}" if priority != own else ""
    elif priority < RESERVED_PRIORITIES:
        problem = "priorities 0-999 are reserved for responders with *.k8s.io suffix"
    else:
        problem = ""
    return [invalid(path, priority, problem)] if problem else []


def _has_duplicates(items: Sequence[Any]) -> bool:
    return len({item["name"] for item in items}) < len(items)


def _start_path(path: str) -> str:
    return f"{path.rpartition('.')[0]}.startTime"


def _not_started(start: str | None, path: str) -> str:
    return "" if start else f"cannot be set before {_start_path(path)} is set"


def _must_follow(path: str) -> str:
    return f"must occur after {_start_path(path)}"
