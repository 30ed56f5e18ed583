"""The cache of Table rows does not change the responses."""

from collections.abc import Callable
from functools import partial

import pytest

from fakeapi.http import table_rows
from fakeapi.http.negotiation import TABLE
from fakeapi.http.table_rows import ROWS
from fakeapi.http.transform import Transform
from tests.registry.world import World, in_world

SECONDS = [0.0, 0.4, 1.0, 59.0, 119.9, 120.0, 86400.0 * 800]


START = 1_800_000_000.0


def table(world: World, seconds: float, include: str = "") -> bytes:
    world.clock.seconds = START + seconds
    transform = Transform(world.claims, TABLE, "meta.k8s.io/v1", include, world.clock.now)
    return b"".join(transform.of_list({}, world.storage.list(world.claims.prefix).entries))


@pytest.mark.parametrize("release", ["1.31", "1.33"])
def test_a_table_is_the_same_with_kept_rows_as_without(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(resource: object) -> bool:
        return False

    def without_rows(show: Callable[[], bytes]) -> bytes:
        with monkeypatch.context() as patch:
            patch.setattr(table_rows, "can_be_kept", never)
            return show()

    async def scenario(world: World) -> None:
        assert table_rows.can_be_kept(world.claims)
        for name in ("a", "b"):
            await world.create(world.claim(name, annotations={"note": '<&>"é'}))
        for seconds in SECONDS:
            assert table(world, seconds) == without_rows(partial(table, world, seconds))
        kept = {**ROWS.of(world.claims.attachments)}
        assert len(kept) == 2
        await world.create(world.claim("c"))
        await world.patch("a", {"metadata": {"labels": {"changed": "yes"}}})
        for seconds in SECONDS:
            assert table(world, seconds) == without_rows(partial(table, world, seconds))
        assert kept.items() & ROWS.of(world.claims.attachments).items()
        assert table(world, 0, "None") == without_rows(partial(table, world, 0, "None"))

    in_world(scenario, release)


def test_a_number_of_rows_is_kept_and_none_of_a_large_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "ROWS_KEPT", 2)
    monkeypatch.setattr(table_rows, "KEPT_BYTES_MAX", 5_000)

    async def scenario(world: World) -> None:
        for name in ("a", "b", "c"):
            await world.create(world.claim(name))
        shown = table(world, 0)
        assert len(ROWS.of(world.claims.attachments)) <= 2
        assert table(world, 0) == shown
        await world.create(world.claim("large", annotations={"note": "x" * 5_000}))
        assert b'"large"' in table(world, 0)
        assert all(len(value) <= 5_000 for value in ROWS.of(world.claims.attachments))

    in_world(scenario)
