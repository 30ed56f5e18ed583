"""KeptObjects: the decoded objects of a running server, kept between explanations.

Explanations come in groups, such as those of the rows of the live page. Each of them reads all objects.
"""

import asyncio
from collections.abc import Iterable

from fakeapi.cluster import Cluster
from fakeapi.controllers.served import find_resource
from fakeapi.explaining.cluster_objects import KINDS, ClusterObjects
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.decoded_entries import decoded_entries
from fakeapi.registry.offloading.turns import Turns
from fakeapi.releases.rules import rules_of
from fakeapi_storage import Entry

KEPT_MAX = 50_000
"""Maximum number of decoded objects that are kept. Each explanation of a larger cluster decodes all."""

KEPT_SECONDS = 10.0
"""Seconds after the last explanation until the decoded objects are dropped."""

_Decoded = dict[str, tuple[Entry, Object]]
"""Entries with their objects, by storage key."""


class KeptObjects:
    """The objects of the last explanation of a server, by resource."""

    def __init__(self) -> None:
        self._decoded: dict[str, _Decoded] = {}
        self._latest: ClusterObjects | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._dropping: asyncio.Task[None] | None = None

    async def read(self, cluster: Cluster) -> ClusterObjects:
        """Returns the objects of the resources in KINDS. Decodes only objects that are new or have changed.

        If no object has changed, the result shares the values that the last explanation has computed, such as
        the states of the nodes. Its other facts may be those of the last explanation. Explanations must not
        change the objects.
        """
        before, old = self._decoded, self._latest
        decoded: dict[str, _Decoded] = {}
        turns = Turns()
        for plural, (group, _) in KINDS.items():
            resource = find_resource(cluster.catalogue, group, plural)
            if resource is not None:
                entries = cluster.storage.list(resource.prefix).entries
                decoded[plural] = await decoded_entries(
                    entries, before.get(plural, {}), resource.decode, turns
                )
        await turns.give_turn()
        latest = old if _are_same(before, decoded) else None
        if latest is None:
            objects = {plural: [obj for _, obj in own.values()] for plural, own in decoded.items()}
            latest = ClusterObjects(rules_of(cluster.catalogue.primary), objects, cluster.clock.now())
        if sum(map(len, decoded.values())) <= KEPT_MAX:
            self._decoded, self._latest = decoded, latest
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(KEPT_SECONDS, self._start_dropping)
        if old is not None and old is not latest:
            await old.drop_indexes()
        return latest

    def replace(self, read: ClusterObjects, used: ClusterObjects) -> None:
        """Keeps `used` instead of `read`, which it is a copy of, for the values that it computes."""
        if self._latest is read:
            self._latest = used

    def _start_dropping(self) -> None:
        self._dropping = asyncio.ensure_future(self._drop())

    async def _drop(self) -> None:
        """Drops the decoded objects. Lets other tasks of the event loop run meanwhile."""
        decoded, latest, turns = self._decoded, self._latest, Turns()
        self._decoded, self._latest = {}, None
        if latest is not None:
            await latest.drop_indexes()
        del latest  # An explanation that still uses these objects has its own reference.
        for own in decoded.values():
            while own:
                own.popitem()
                await turns.give_turn_if_over()


KEPT: Attached[KeptObjects] = Attached(KeptObjects)
"""The KeptObjects of a server, attached to the resource pods."""


async def decode_all(resource: Resource, entries: Iterable[Entry]) -> list[Object]:
    """Returns the objects of all entries in the internal version."""
    return [obj for _, obj in (await decoded_entries(entries, {}, resource.decode, Turns())).values()]


def _are_same(before: dict[str, _Decoded], after: dict[str, _Decoded]) -> bool:
    """Whether both have the same objects, not only equal objects."""
    return before.keys() == after.keys() and all(
        len(before[plural]) == len(own)
        and all(pair is known for pair, known in zip(own.values(), before[plural].values(), strict=True))
        for plural, own in after.items()
    )
