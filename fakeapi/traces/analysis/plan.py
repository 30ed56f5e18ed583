"""Plans a replay in a first pass over the trace: order of requests, initial objects and API versions."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from fakeapi.traces.analysis.causal_order import Effect, Key, effect_order, reordered
from fakeapi.traces.analysis.initial_state import InitialObject, InitialStateScan
from fakeapi.traces.analysis.protobuf_bodies import ProtobufBodies
from fakeapi.traces.analysis.request_facts import RequestFacts, facts_of
from fakeapi.traces.analysis.server_times import ServerTimesScan
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange


class Step(NamedTuple):
    """A step of a replay: it sends the request of an exchange, or ends the watch of an exchange.

    - `place`: the index of the exchange in the trace, from 0.
    - `closing`: whether the step ends the watch.
    """

    place: int
    exchange: Exchange
    facts: RequestFacts
    closing: bool = False


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """The properties of a trace that a replay needs before its first request.

    Offsets are in seconds from the start of the trace.

    - `order`: the indexes of the exchanges, from 0, in the order in which they took effect.
    - `limit`: the offset after which the replay ignores the trace.
    - `reordered`: the number of exchanges that did not take effect in the order of their start.
    - `since` and `until`: the offsets of the first request and of the end of the last response.
    - `group_versions`: the paths of the API versions in use.
    - `written`: the resourceVersions that writes in the trace created.
    - `removed`: the resourceVersions of objects that requests in the trace deleted.
    - `notes`: texts about missing parts and inferred facts. The values say how often each text occurs.
    - `initial_objects`: the objects to create before the exchanges that use them.
    - `partial_objects`: initial objects that cannot be created, because the trace has only their metadata.
      The values are the evidence as text.
    - `namespaces`: namespaces that the trace uses and does not create. The values are the "file:line" of the
      first use.
    - `server_times`: the times that the recorded server set, with the moment of their first response.
    - `bodies`: converts protobuf to JSON for the exchanges of `steps`.
    """

    order: "array[int]"
    limit: float
    reordered: int
    since: float
    until: float
    group_versions: tuple[str, ...]
    written: frozenset[int]
    removed: frozenset[int]
    notes: Counter[str]
    initial_objects: tuple[InitialObject, ...]
    partial_objects: dict[Key, str]
    namespaces: dict[str, str]
    server_times: ServerTimesScan
    bodies: ProtobufBodies

    def steps(self, reader: TraceReader) -> Iterator[Step]:
        """Yields a step for each exchange, in the order in which the exchanges took effect.

        `reader`: the trace, which is read again. Only exchanges that must wait for later lines of the file
        are kept in memory. Raises TraceError if the trace cannot be read.
        """
        pending: dict[int, Exchange] = {}
        source = enumerate(reader)
        for next_place in self.order:
            while next_place not in pending:
                place, exchange = next(source)
                pending[place] = self.bodies.in_json(cut_off(exchange, self.limit))
            exchange = pending.pop(next_place)
            yield Step(next_place, exchange, facts_of(exchange))


def plan_replay(reader: TraceReader, until: float | None = None) -> ReplayPlan:
    """Reads a trace once, and returns the plan of its replay.

    `until`: a time in seconds after the start of the trace; the plan ignores later data. None uses the whole
    trace. Raises TraceError if the trace cannot be read.
    """
    effects: list[Effect] = []
    bodies = ProtobufBodies(reader.header.release)
    scan = InitialStateScan()
    server_times = ServerTimesScan()
    group_versions: dict[str, None] = {}
    written: set[int] = set()
    removed: set[int] = set()
    notes: Counter[str] = Counter()
    last = 0.0
    limit = float("inf") if until is None else until
    for place, whole in enumerate(reader):
        if whole.offset > limit:
            break
        exchange = bodies.in_json(cut_off(whole, limit))
        facts = facts_of(exchange)
        end = exchange.offset + exchange.duration
        effects.append(Effect.of(exchange.offset, end, facts))
        last = max(last, end)
        if facts.path.resource:
            group_versions[facts.path.group_version] = None
            scan.take(place, exchange, facts)
            server_times.take(exchange, facts)
        if facts.is_write and facts.answered_version:
            written.add(facts.answered_version)
            if facts.removes:
                removed.add(facts.answered_version)
        notes.update(str(inference) for inference in exchange.inferred)
        notes.update(f"missing: {missing}" for missing in exchange.missing)
    order = effect_order(effects)
    created = scan.created_namespaces()
    return ReplayPlan(
        order=order,
        limit=limit,
        reordered=reordered(order),
        since=effects[0].start if effects else 0.0,
        until=last,
        group_versions=tuple(group_versions),
        written=frozenset(written),
        removed=frozenset(removed),
        notes=notes,
        initial_objects=tuple(scan.objects()),
        partial_objects=scan.partial_objects(),
        server_times=server_times,
        bodies=bodies,
        namespaces={name: where for name, where in scan.namespaces.items() if name not in created},
    )


def cut_off(exchange: Exchange, limit: float) -> Exchange:
    """Returns the exchange without watch events after `limit`, in seconds from the start of the trace.

    A shortened watch ends as "open".
    """
    if not exchange.events or exchange.events[-1].offset <= limit:
        return exchange
    events = tuple(event for event in exchange.events if event.offset <= limit)
    return replace(exchange, events=events, ended="open")
