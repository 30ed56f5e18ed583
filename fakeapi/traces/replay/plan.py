"""A first look at a whole trace: what the replay must know before it sends the first request."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange
from fakeapi.traces.replay.causal_order import Step, order_of, reordered
from fakeapi.traces.replay.initial_state import Seed, Sights
from fakeapi.traces.replay.request_facts import facts_of


@dataclass(frozen=True, slots=True)
class Survey:
    """What the trace is like.

    `order`: the places of the exchanges, counted from 0, in the order of their effects. `limit`: the offset
    after which nothing counts. `since`, `until`: the
    offsets of the first request and of the last answer. `roots`: paths of API versions that are asked.
    `written`: the resourceVersions that exchanges of the trace made. `notes`: what its source concluded or
    could not tell, counted. `namespaces`: those that it does not create, with where they are first seen.
    """

    order: "array[int]"
    limit: float
    reordered: int
    since: float
    until: float
    roots: tuple[str, ...]
    written: frozenset[int]
    notes: Counter[str]
    seeds: tuple[Seed, ...]
    namespaces: dict[str, str]

    def exchanges(self, reader: TraceReader) -> Iterator[tuple[int, Exchange]]:
        """The exchanges with their places, in the order of their effects.

        In memory are those that others go before. Raises TraceError.
        """
        held: dict[int, Exchange] = {}
        source = enumerate(reader)
        for wanted in self.order:
            while wanted not in held:
                place, exchange = next(source)
                held[place] = cut(exchange, self.limit)
            yield wanted, held.pop(wanted)


def survey(reader: TraceReader, until: float | None = None) -> Survey:
    """`until`: the offset of the last exchange that matters. Raises TraceError."""
    steps: list[Step] = []
    sights = Sights()
    roots: dict[str, None] = {}
    written: set[int] = set()
    notes: Counter[str] = Counter()
    last = 0.0
    limit = float("inf") if until is None else until
    for place, whole in enumerate(reader):
        if whole.offset > limit:
            break
        exchange = cut(whole, limit)
        facts = facts_of(exchange)
        end = exchange.offset + exchange.duration
        steps.append(Step.of(exchange.offset, end, facts))
        last = max(last, end)
        if facts.address.resource:
            roots[facts.address.root] = None
            sights.take(place, exchange, facts)
        if facts.is_write and facts.saw:
            written.add(facts.saw)
        notes.update(_short(each) for each in exchange.inferred)
        notes.update(f"missing: {each}" for each in exchange.missing)
    order = order_of(steps)
    made = sights.made_namespaces()
    return Survey(
        order=order,
        limit=limit,
        reordered=reordered(order),
        since=steps[0].start if steps else 0.0,
        until=last,
        roots=tuple(roots),
        written=frozenset(written),
        notes=notes,
        seeds=tuple(sights.seeds()),
        namespaces={name: where for name, where in sights.namespaces.items() if name not in made},
    )


def cut(exchange: Exchange, limit: float) -> Exchange:
    """A watch without the events that came after the offset."""
    if not exchange.events or exchange.events[-1].offset <= limit:
        return exchange
    events = tuple(event for event in exchange.events if event.offset <= limit)
    return replace(exchange, events=events, ended="open")


def _short(note: str) -> str:
    """A note without what is special to one exchange."""
    return note if note.startswith("patch type") else note.partition(", after ")[0]
