"""Armed faults: the faults that a server currently applies, with counts of the requests that they affect."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fakeapi.clock.clocks import Clock
from fakeapi.faults.checking import check_served
from fakeapi.faults.rules import RULES_MAX, Rule, RuleError, path_text
from fakeapi.journal.pattern import Described
from fakeapi.machinery.jsonpath import JsonPath, parse_path
from fakeapi.machinery.jsonpath_syntax import JsonPathError
from fakeapi.machinery.meta import label_selector
from fakeapi.registry.model.catalogue import Catalogue

Subscriber = Callable[["ArmedFault"], None]


@dataclass(eq=False)
class ArmedFault:
    """An armed fault: a rule that the server applies to requests.

    - `revision`: the revision of the storage when the fault was armed.
    - `armed_at`: when the fault was armed, in seconds since the epoch.
    - `matched`: the number of requests that matched the rule.
    - `fired`: the number of requests and watches that the fault affected.
    - `chance`: generates the random numbers for the rule's `probability`, from the rule's seed.
    """

    rule: Rule
    name: str
    revision: int
    armed_at: float
    matched: int = 0
    fired: int = 0
    is_armed: bool = True
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        match = self.rule.match
        self.chance = random.Random(self.rule.when.seed)  # noqa: S311 - it must be repeatable
        self._pattern = match.pattern()
        self._labels = label_selector.parse(match.labels)
        self._paths: list[tuple[JsonPath, Any]] = [
            (parse_path(path_text(path)), value) for path, value in match.body.items()
        ]
        self._disarmed: list[Callable[[], None]] = []

    @property
    def looks_into_body(self) -> bool:
        """Whether the server must decode the request's body, because the rule compares the body or labels."""
        return bool(self._paths) or self.looks_at_labels

    @property
    def looks_at_labels(self) -> bool:
        """Whether the rule has a label selector."""
        return bool(self.rule.match.labels)

    def matches(self, request: Described) -> bool:
        """Whether verb, path and sender of a request match the rule.

        Does not compare the body and the labels.
        """
        return self._pattern.matches(request)

    def matches_labels(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels of an object match the rule's label selector."""
        return self._labels.matches(labels)

    def matches_body(self, body: Any) -> bool:
        """Whether a decoded body contains the rule's value at each of the rule's JSONPaths."""
        return all(value in _values_at(path, body) for path, value in self._paths)

    def comes_due(self, now: float) -> bool:
        """Counts a request that matches the rule. Returns whether the fault affects this request.

        `now`: the time in seconds since the epoch. After the rule's `until`, returns False and does not count
        the request.
        """
        when = self.rule.when
        if when.until is not None and now >= when.until.timestamp():
            return False
        self.matched += 1
        number = self.matched - when.first
        if number < 0 or number % when.every or (when.last and self.matched > when.last):
            return False
        return when.probability >= 1 or self.chance.random() < when.probability

    def on_disarm(self, call: Callable[[], None]) -> None:
        """Registers a function to call when the fault is disarmed."""
        self._disarmed.append(call)

    def disarm(self) -> None:
        """Disarms the fault, and calls the functions that `on_disarm` registered."""
        self.is_armed = False
        calls, self._disarmed = self._disarmed, []
        for call in calls:
            call()


class ArmedFaults:
    """The armed faults of one server, oldest first. Call all methods from the server's event loop."""

    def __init__(self, catalogue: Catalogue, clock: Clock, revision: Callable[[], int]) -> None:
        self._catalogue = catalogue
        self._clock = clock
        self._revision = revision
        self._subscribers: list[Subscriber] = []
        self._names_given: Counter[str] = Counter()
        self._gone_unfired: list[str] = []
        self.armed: list[ArmedFault] = []

    def arm(self, rules: Iterable[Rule]) -> list[ArmedFault]:
        """Arms faults: from now on, the server applies these rules to requests. Returns the armed faults.

        If one rule is invalid, arms no fault. Raises RuleError if a rule cannot match any served resource or
        verb, if a name is already in use, or if more than RULES_MAX faults would be armed.
        """
        rules = list(rules)
        taken = {fault.name for fault in self.armed}
        if len(taken) + len(rules) > RULES_MAX:
            raise RuleError(f"more than {RULES_MAX} faults cannot be armed at once")
        new: list[ArmedFault] = []
        for rule in rules:
            check_served(rule, self._catalogue)
            name = rule.name or self._name(rule, taken)
            if name in taken:
                raise RuleError(f"a fault {name!r} is armed already")
            taken.add(name)
            new.append(ArmedFault(rule, name, self._revision(), self._clock.now()))
        self.armed = [*self.armed, *new]
        for fault in new:
            for subscriber in self._subscribers:
                subscriber(fault)
        return new

    def find(self, name: str) -> ArmedFault | None:
        """Returns the armed fault with this name; None for an unknown name."""
        return next((fault for fault in self.armed if fault.name == name), None)

    def disarm(self, *names: str) -> list[ArmedFault]:
        """Disarms the faults with these names; without names, disarms all faults. Returns these faults.

        Watches then send the events that these faults delayed. If one of the names is unknown, raises
        RuleError and disarms no fault.
        """
        gone = [fault for fault in self.armed if not names or fault.name in names]
        missing = set(names) - {fault.name for fault in gone}
        if missing:
            raise RuleError(f"no fault {', '.join(sorted(missing))} is armed")
        self.armed = [fault for fault in self.armed if fault not in gone]
        self._gone_unfired += [fault.name for fault in gone if not fault.fired]
        del self._gone_unfired[:-RULES_MAX]
        for fault in gone:
            fault.disarm()
        return gone

    def unfired(self) -> list[str]:
        """Returns the names of faults that never fired: first the disarmed faults, then the armed faults.

        Includes at most the last RULES_MAX disarmed faults.
        """
        return [*self._gone_unfired, *(fault.name for fault in self.armed if not fault.fired)]

    def forget(self) -> None:
        """Disarms all faults, and forgets the disarmed faults that never fired and the generated names."""
        self.disarm()
        self._gone_unfired.clear()
        self._names_given.clear()

    def subscribe(self, subscriber: Subscriber) -> None:
        """Registers a function that receives every newly armed fault."""
        self._subscribers.append(subscriber)

    def _name(self, rule: Rule, taken: set[str]) -> str:
        """Returns an unused name: the ready-made fault or the action, such as conflict; then conflict-2."""
        kind = rule.ready or str(type(rule.action).__struct_config__.tag)
        while True:
            self._names_given[kind] += 1
            number = self._names_given[kind]
            name = kind if number == 1 else f"{kind}-{number}"
            if name not in taken:
                return name


def _values_at(path: JsonPath, body: Any) -> list[Any]:
    try:
        return path.find(body)
    except JsonPathError:
        return []
