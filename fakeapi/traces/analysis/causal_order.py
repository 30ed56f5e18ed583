"""Determines the order in which overlapping requests took effect on the recorded server.

A trace has the times of requests and responses, but not the order in which the server committed overlapping
writes. The order follows from resourceVersions:

- Writes were committed in the order of their versions.
- A read took effect after the write whose version it returned, and before the next write.
- A request that failed with 409 took effect after the write that replaced the version in the request.
"""

import itertools
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from fakeapi.traces.analysis.request_facts import COLLECTIONS, RequestFacts

STALE_SECONDS = 1.0
"""Maximum age, in seconds, of the objects that a read from a watch cache returns.

A read that starts more than this time after a write took effect after the write. This holds even if the read
returned an older resourceVersion.
"""

Key = tuple[str, str, str, str]
Commits = tuple[list[int], list[int]]
"""A list of the resourceVersions of writes in ascending order, and a list of these writes.

The second list contains for each version the index of its write in `effects`.
"""


@dataclass(slots=True)
class Effect:
    """The properties of one exchange that determine its order.

    - `start` and `end`: when the request arrived and when the response ended, in seconds from the start of
      the trace.
    - `key`: group, resource, namespace and name of its object.
    - `answered_version` and `requested_version`: the resourceVersions in response and request; 0 for none.
    - `removes`: whether the request deleted the object.
    """

    start: float
    end: float
    key: Key
    verb: str
    status: int
    answered_version: int
    requested_version: int
    removes: bool = False

    @classmethod
    def of(cls, start: float, end: float, facts: RequestFacts) -> "Effect":
        """Returns the Effect of an exchange.

        - `start` and `end`: when the request arrived and when the response ended, in seconds from the start
          of the trace.
        - `facts`: the verb, object and resourceVersions of the exchange.
        """
        return cls(
            start,
            end,
            facts.path.key,
            facts.verb,
            facts.status,
            facts.answered_version,
            facts.requested_version,
            facts.removes,
        )


def effect_order(effects: Sequence[Effect]) -> "array[int]":
    """Returns the indexes of the effects, in the order in which they happened on the recorded server.

    `effects`: all effects in the order of their starts.
    """
    edges = _Edges(effects)
    following, waiting = edges.following, edges.waiting
    ready = [place for place in range(len(effects)) if not waiting[place]]
    heapify(ready)  # a lower index started earlier
    done = bytearray(len(effects))
    order = array("L")
    oldest = 0
    while len(order) < len(effects):
        if not ready:  # the versions contradict each other, so continue with the earliest effect
            while done[oldest]:
                oldest += 1
            heappush(ready, oldest)
        place = heappop(ready)
        if done[place]:
            continue
        done[place] = 1
        order.append(place)
        for after in following.pop(place, ()):
            waiting[after] -= 1
            if not waiting[after] and not done[after]:
                heappush(ready, after)
    return order


class _Edges:
    """A graph of effects, in which each edge leads from an effect to a later effect."""

    def __init__(self, effects: Sequence[Effect]) -> None:
        self._effects = effects
        self.following: dict[int, list[int]] = {}
        self.waiting = array("L", bytes(len(effects) * array("L").itemsize))
        self._of_objects: dict[Key, Commits] = {}
        self._of_scopes: dict[tuple[str, str, str], Commits] = {}
        commits = self._commits()
        for before, after in itertools.pairwise(commits):
            self._add(before, after)
        committed = set(commits)
        for place, effect in enumerate(effects):
            if place not in committed:
                self._order_reader(place, effect)
            elif effect.requested_version:
                self._after_version(place, effect)
        self._order_removals()

    def _order_removals(self) -> None:
        """Adds edges from reads that returned an object to the later deletion of the object.

        The resourceVersions do not imply this order, because a deletion returns no new version.
        """
        effects = self._effects
        ended = {effect.key for effect in effects if effect.removes and effect.key[3]}
        of_object: dict[Key, list[int]] = {}
        for place, effect in enumerate(effects):
            if effect.key in ended and effect.verb not in COLLECTIONS:
                of_object.setdefault(effect.key, []).append(place)
        for places in of_object.values():
            for number, place in enumerate(places):
                if effects[place].removes:
                    self._order_removal(place, itertools.islice(places, number + 1, None))

    def _order_removal(self, end: int, later: Iterable[int]) -> None:
        effects = self._effects
        for place in later:
            if effects[place].start > effects[end].end:
                return
            if (
                0 < effects[place].answered_version <= effects[end].answered_version
                and not effects[place].removes
            ):
                self._add(place, end)

    def _commits(self) -> list[int]:
        """Returns the indexes of the writes that created a resourceVersion, in the order of the versions."""
        effects = self._effects
        ended: list[tuple[float, int]] = []
        latest = 0
        makers: dict[int, int] = {}
        for place, effect in enumerate(effects):
            if (
                effect.status >= 300
                or not effect.answered_version
                or effect.verb in COLLECTIONS
                or effect.verb == "get"
            ):
                continue
            while ended and ended[0][0] < effect.start:
                latest = max(latest, heappop(ended)[1])
            # A write that changes nothing returns the version that the object had before.
            if effect.answered_version > latest and effect.answered_version != effect.requested_version:
                other = makers.get(effect.answered_version)
                if other is None or self._rank(place) < self._rank(other):
                    makers[effect.answered_version] = place
                heappush(ended, (effect.end, effect.answered_version))
        commits = list(makers.values())
        commits.sort(key=lambda place: effects[place].answered_version)
        for place in commits:
            effect = effects[place]
            group, resource, namespace, _ = effect.key
            self._note(self._of_objects.setdefault(effect.key, ([], [])), effect.answered_version, place)
            for scope in {namespace, ""}:
                self._note(
                    self._of_scopes.setdefault((group, resource, scope), ([], [])),
                    effect.answered_version,
                    place,
                )
        return commits

    def _rank(self, place: int) -> tuple[bool, float]:
        """Returns a sort key for writes that returned the same version. The lowest key created the version.

        A delete comes last, because a repeated delete changes nothing and returns the present version.
        `place`: the index of the write.
        """
        effect = self._effects[place]
        return effect.verb == "delete", effect.end

    @staticmethod
    def _note(commits: Commits, version: int, place: int) -> None:
        commits[0].append(version)
        commits[1].append(place)

    def _order_reader(self, place: int, effect: Effect) -> None:
        if effect.status == 409 and effect.requested_version:
            self._after_next(place, effect)
        elif effect.requested_version and effect.verb not in COLLECTIONS and effect.verb != "get":
            self._after_version(place, effect)
        elif effect.answered_version and effect.verb != "watch":
            group, resource, namespace, _ = effect.key
            if effect.verb in COLLECTIONS:
                commits = self._of_scopes.get((group, resource, namespace))
            else:
                commits = self._of_objects.get(effect.key)
            if commits is not None:
                self._between(place, effect, commits)

    def _between(self, place: int, effect: Effect, commits: Commits) -> None:
        """Adds edges for a read: from the write whose version it returned, and to the next write.

        - `place`: the index of the read.
        - `commits`: the writes of the object or collection that was read.
        """
        position = bisect_right(commits[0], effect.answered_version)
        if position:
            self._add(commits[1][position - 1], place)
        if position < len(commits[1]):
            following = commits[1][position]
            if self._effects[following].end >= effect.start - STALE_SECONDS:
                self._add(place, following)

    def _after_version(self, place: int, effect: Effect) -> None:
        """Adds an edge to a request from the write that created the version in the request.

        The client can know the version only after that write. `place`: the index of the request.
        """
        versions, places = self._of_objects.get(effect.key, ([], []))
        position = bisect_right(versions, effect.requested_version)
        if position and versions[position - 1] == effect.requested_version:
            self._add(places[position - 1], place)

    def _after_next(self, place: int, effect: Effect) -> None:
        """Adds an edge to a request that failed with 409, from the write that replaced its version.

        `place`: the index of the request.
        """
        versions, places = self._of_objects.get(effect.key, ([], []))
        position = bisect_right(versions, effect.requested_version)
        if position < len(places) and self._effects[places[position]].start <= effect.end:
            self._add(places[position], place)

    def _add(self, before: int, after: int) -> None:
        if before != after:
            self.following.setdefault(before, []).append(after)
            self.waiting[after] += 1


def reordered(order: Iterable[int]) -> int:
    """Returns the number of effects whose position in `order` differs from their position by start time."""
    return sum(place != effect for place, effect in enumerate(order))
