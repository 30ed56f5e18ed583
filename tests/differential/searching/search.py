"""Searches stories that provoke the error messages of `fakeapi/kinds`.

The search sends random writes to fakeapi in this process. It keeps a story if its last write provokes a
message that no kept story provokes. Objects with a new field or a new word are the bases of further changes.
Equal options and an equal corpus give equal results.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random

from fakeapi.releases import load_release
from tests.differential.exchanges.corpus import Entry
from tests.differential.exchanges.messages import Message
from tests.differential.rbac.servers import merged
from tests.differential.searching.places import places_of
from tests.differential.searching.provoking import Provoker
from tests.differential.searching.seeds import Seed, recorded_objects, recorded_updates
from tests.differential.searching.targets import State, Target, named, target_of
from tests.differential.searching.writing import Requests, Writer, field_of, parts_of, replaced

SWEPT_MAX = 36
"""Maximum number of bases and of stored objects of a kind whose single changes are sent."""

CHANGES_MAX = 3000
"""Approximate maximum number of single changes of the bases of a kind, and of its stored objects."""

CHANGES_OF_PLACE = 10
"""Approximate number of single changes of a place."""

SAVED_EVERY = 2000
"""Number of steps between two calls of `save`."""

LAST = ("limitranges", "resourcequotas")
"""Resources whose objects are sent last, because they refuse or change pods in their namespace."""

OTHER_FIELDS = 0.15
"""Share of the updates that take all fields from another object."""


class Search:
    """Searches with one server.

    - `missing`: the messages that no known story provokes.
    - `found`: the new entries of the corpus.
    """

    def __init__(
        self,
        provoker: Provoker,
        release: str,
        gates: str,
        *,
        seed: int,
        missing: Iterable[Message],
        seeds: Sequence[Seed],
        only: Iterable[str] = (),
    ) -> None:
        self._release, self._gates = release, gates
        self._random = Random(seed)
        self._writer = Writer(provoker, self._random, self._keep)
        chosen = {*only}
        kinds = sorted(load_release(release).kinds, key=lambda kind: kind.resource in LAST)
        self._targets = [
            target_of(kind, self._random, seeds)
            for kind in kinds
            if "create" in kind.verbs and (not chosen or kind.resource in chosen)
        ]
        self.missing = {message.place: message for message in missing}
        self.found: list[Entry] = []

    async def run(self, steps: int, save: Callable[[str], None], *, sweeps: bool) -> None:
        """Sends known objects, their single changes (`sweeps`), and random changes.

        `save`: called with the progress.
        """
        for target in self._targets:
            await self._send_known(target)
        save("after the known objects")
        for target in self._targets if sweeps else ():
            await self._sweep(target)
            save(f"after single changes of {target.kind.resource}")
        for step in range(steps):
            if step % SAVED_EVERY == 0:
                save(f"after {step} random changes")
            missing = Counter(message.package for message in self.missing.values())
            weights = [0.1 + target.gain + missing[target.package] / 40 for target in self._targets]
            (target,) = self._random.choices(self._targets, weights)
            target.gain *= 0.995
            await self._step(target)

    async def _send_known(self, target: Target) -> None:
        kind = target.kind
        for obj in [*target.objects, *recorded_objects(kind.api_version, kind.kind)]:
            await self._writer.create(target, named(obj))
        for seed in target.seeds:
            if seed.changes is not None:
                await self._send_update(target, seed)
        for part, old, new in recorded_updates(kind.api_version, kind.kind):
            if part in parts_of(target) and target.decodes(old):
                state = await self._writer.store_object(target, named(old))
                if state is not None:
                    await self._writer.update(target, state, part, replaced(state, new, part))

    async def _send_update(self, target: Target, seed: Seed) -> None:
        obj = {"apiVersion": target.kind.api_version, "kind": target.kind.kind, **seed.fields}
        if target.decodes(obj) and (state := await self._writer.store_object(target, named(obj))):
            await self._writer.update(target, state, seed.part, merged(state.obj, seed.changes))

    async def _sweep(self, target: Target) -> None:
        """Sends single changes of the first bases and stored objects of a kind."""
        kind, objects, states = target.kind, target.objects[:SWEPT_MAX], target.states[:SWEPT_MAX]
        share = _share(target, 1, objects)
        for base in objects:
            for new in target.mutator.neighbours(base, kind, share):
                await self._writer.create(target, named(new))
        parts = parts_of(target)
        share = _share(target, len(parts), [state.obj for state in states])
        for state in states:
            for part in parts:
                for new in target.mutator.neighbours(state.obj, kind, share, field_of(part)):
                    await self._writer.update(target, state, part, new)

    async def _step(self, target: Target) -> None:
        if target.states and self._random.random() < 0.6:
            await self._change(target, self._random.choice(target.states))
        elif target.objects:
            base = self._random.choice(target.objects)
            await self._writer.create(target, named(target.mutator.changed(base, target.kind)))

    async def _change(self, target: Target, state: State) -> None:
        part = self._random.choice(parts_of(target))
        if self._random.random() < OTHER_FIELDS and target.objects:
            others = [*target.objects, *(each.obj for each in target.states)]
            new = replaced(state, self._random.choice(others), part)
        else:
            new = target.mutator.changed(state.obj, target.kind, field_of(part))
        await self._writer.update(target, state, part, new)

    def _keep(self, target: Target, requests: Requests, places: set[str]) -> bool:
        """Keeps a story if it provokes a missing message. Returns whether it does."""
        new = places & self.missing.keys()
        for place in new:
            del self.missing[place]
        if new:
            target.gain += 1
            self.found.append(
                {
                    "release": self._release,
                    "gates": self._gates,
                    "apiVersion": target.kind.api_version,
                    "resource": target.kind.resource,
                    "requests": requests,
                }
            )
        return bool(new)


def _share(target: Target, parts: int, objects: Iterable[dict[str, object]]) -> float:
    """Returns the share of the single changes of these objects that gives about CHANGES_MAX changes."""
    places = parts * sum(1 for obj in objects for _ in places_of(target.kind.schema, obj, ()))
    return min(1.0, CHANGES_MAX / max(1, places * CHANGES_OF_PLACE))
