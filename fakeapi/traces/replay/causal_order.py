"""The order in which overlapping requests took effect on the recorded server.

A trace tells when requests came and when they were answered, not in what order the server committed what came
at the same time. Resource versions tell: writes are committed in the order of theirs; who saw a version asked
after its write and before the next; who was refused for an old version (409) asked after the write that made
it old.
"""

import itertools
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from fakeapi.traces.replay.request_facts import COLLECTIONS, Facts

STALE_SECONDS = 1.0
"""By how much an answer may lag behind, as lists from a cache do, and still go where its version was new."""

Key = tuple[str, str, str, str]
Commits = tuple[list[int], list[int]]
"""Versions, and the steps that made them."""


@dataclass(slots=True)
class Step:
    """What the order of one exchange hangs on. Times are offsets in seconds."""

    start: float
    end: float
    key: Key
    verb: str
    status: int
    saw: int
    asked: int
    is_end: bool = False

    @classmethod
    def of(cls, start: float, end: float, facts: Facts) -> "Step":
        key = facts.address.key
        return cls(start, end, key, facts.verb, facts.status, facts.saw, facts.asked, facts.is_end)


def order_of(steps: Sequence[Step]) -> "array[int]":
    """The places of the steps, which are in the order of their starts, in the order of their effects."""
    edges = _Edges(steps)
    following, waiting = edges.following, edges.waiting
    ready = [place for place in range(len(steps)) if not waiting[place]]
    heapify(ready)  # places are in the order of starts
    done = bytearray(len(steps))
    found = array("L")
    oldest = 0
    while len(found) < len(steps):
        if not ready:  # versions contradict each other: the earliest goes first
            while done[oldest]:
                oldest += 1
            heappush(ready, oldest)
        place = heappop(ready)
        if done[place]:
            continue
        done[place] = 1
        found.append(place)
        for after in following.pop(place, ()):
            waiting[after] -= 1
            if not waiting[after] and not done[after]:
                heappush(ready, after)
    return found


class _Edges:
    """Which step must come before which."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self.following: dict[int, list[int]] = {}
        self.waiting = array("L", bytes(len(steps) * array("L").itemsize))
        self._of_objects: dict[Key, Commits] = {}
        self._of_scopes: dict[tuple[str, str, str], Commits] = {}
        commits = self._commits()
        for before, after in itertools.pairwise(commits):
            self._add(before, after)
        made = set(commits)
        for place, step in enumerate(steps):
            if place not in made:
                self._place_reader(place, step)
            elif step.asked:
                self._after_version(place, step)
        self._place_ends()

    def _place_ends(self) -> None:
        """What still saw an object, before what took it away: that shows no version of its own."""
        steps = self._steps
        ended = {step.key for step in steps if step.is_end and step.key[3]}
        of_object: dict[Key, list[int]] = {}
        for place, step in enumerate(steps):
            if step.key in ended and step.verb not in COLLECTIONS:
                of_object.setdefault(step.key, []).append(place)
        for places in of_object.values():
            for number, place in enumerate(places):
                if steps[place].is_end:
                    self._place_end(place, itertools.islice(places, number + 1, None))

    def _place_end(self, end: int, later: Iterable[int]) -> None:
        steps = self._steps
        for place in later:
            if steps[place].start > steps[end].end:
                return
            if 0 < steps[place].saw <= steps[end].saw and not steps[place].is_end:
                self._add(place, end)

    def _commits(self) -> list[int]:
        """The steps that made a version, in its order."""
        steps = self._steps
        ended: list[tuple[float, int]] = []
        latest = 0
        makers: dict[int, int] = {}
        for place, step in enumerate(steps):
            if step.status >= 300 or not step.saw or step.verb in COLLECTIONS or step.verb == "get":
                continue
            while ended and ended[0][0] < step.start:
                latest = max(latest, heappop(ended)[1])
            # A write that changes nothing is answered with the version that was there.
            if step.saw > latest and step.saw != step.asked:
                other = makers.get(step.saw)
                if other is None or self._rank(place) < self._rank(other):
                    makers[step.saw] = place
                heappush(ended, (step.end, step.saw))
        commits = list(makers.values())
        commits.sort(key=lambda place: steps[place].saw)
        for place in commits:
            step = steps[place]
            group, resource, namespace, _ = step.key
            self._note(self._of_objects.setdefault(step.key, ([], [])), step.saw, place)
            for scope in {namespace, ""}:
                self._note(self._of_scopes.setdefault((group, resource, scope), ([], [])), step.saw, place)
        return commits

    def _rank(self, place: int) -> tuple[bool, float]:
        """Of two that were answered with one version, the lower made it: deleting again changes nothing."""
        step = self._steps[place]
        return step.verb == "delete", step.end

    @staticmethod
    def _note(commits: Commits, version: int, place: int) -> None:
        commits[0].append(version)
        commits[1].append(place)

    def _place_reader(self, place: int, step: Step) -> None:
        if step.status == 409 and step.asked:
            self._after_next(place, step)
        elif step.asked and step.verb not in COLLECTIONS and step.verb != "get":
            self._after_version(place, step)
        elif step.saw and step.verb != "watch":
            group, resource, namespace, _ = step.key
            if step.verb in COLLECTIONS:
                commits = self._of_scopes.get((group, resource, namespace))
            else:
                commits = self._of_objects.get(step.key)
            if commits is not None:
                self._between(place, step, commits)

    def _between(self, place: int, step: Step, commits: Commits) -> None:
        """After the write of the version that it saw, before the next one."""
        position = bisect_right(commits[0], step.saw)
        if position:
            self._add(commits[1][position - 1], place)
        if position < len(commits[1]):
            following = commits[1][position]
            if self._steps[following].end >= step.start - STALE_SECONDS:
                self._add(place, following)

    def _after_version(self, place: int, step: Step) -> None:
        """After the write of the version that it named: from there the client knew it."""
        versions, places = self._of_objects.get(step.key, ([], []))
        position = bisect_right(versions, step.asked)
        if position and versions[position - 1] == step.asked:
            self._add(places[position - 1], place)

    def _after_next(self, place: int, step: Step) -> None:
        """After the write that made the version old that it named."""
        versions, places = self._of_objects.get(step.key, ([], []))
        position = bisect_right(versions, step.asked)
        if position < len(places) and self._steps[places[position]].start <= step.end:
            self._add(places[position], place)

    def _add(self, before: int, after: int) -> None:
        if before != after:
            self.following.setdefault(before, []).append(after)
            self.waiting[after] += 1


def reordered(order: Iterable[int]) -> int:
    """How many steps are not where their start would put them."""
    return sum(place != step for place, step in enumerate(order))
