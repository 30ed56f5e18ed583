"""The cache of selectable fields returns the fields of each stored object and stays below its limit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.meta import field_selector
from fakeapi.registry.offloading import turns as turns_module
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.requests.predicate import predicate_of
from fakeapi.registry.stored.selectable_fields import SelectableFields
from fakeapi.registry.verbs import listing
from fakeapi_storage import Entry
from tests.registry.world import NAMESPACE, World, in_world, names

PHASES = st.sampled_from(["", "Pending", "Running"])
PODS = st.lists(st.tuples(st.sampled_from("abc"), PHASES), max_size=30)
SELECTORS = st.sampled_from(
    [
        "status.phase=Running",
        "status.phase!=",
        "metadata.name=a",
        "metadata.namespace!=x,status.phase=Pending",
    ]
)


def phase_of(pod: dict[str, dict[str, str]]) -> dict[str, str]:
    return {"status.phase": pod["status"]["phase"]}


def entry(name: str, phase: str) -> Entry:
    pod = {"metadata": {"name": name, "namespace": "x"}, "status": {"phase": phase}}
    return Entry(f"/pods/x/{name}", json.dumps(pod).encode(), 1, 1)


@given(st.integers(0, 400), PODS, SELECTORS)
def test_selected_objects_are_the_same_with_and_without_the_cache(
    bound: int, pods: list[tuple[str, str]], selector: str
) -> None:
    known = SelectableFields(phase_of, bound)
    entries = [entry(name, phase) for name, phase in pods]
    fields = field_selector.parse(selector)
    plain = predicate_of(None, fields, phase_of)
    cached = predicate_of(None, fields, phase_of, known=known)
    for _ in range(2):
        expected = [each for each in entries if plain.matches(each)]
        assert cached.select(entries) == expected
        assert [each for each in entries if cached.matches(each)] == expected
        assert known.size == sum(len(value) for value in {each.value for each in entries} if value in known)
        assert known.size <= bound


def secret(number: int) -> dict[str, object]:
    return {"metadata": {"name": f"s{number}"}, "type": "a" if number % 2 else "b"}


async def read(world: World, fields: str, limit: int = 0) -> list[int]:
    """Calls `read_fields`. Returns the number of cached objects at each turn of the event loop."""
    known = world.claims.selectable_fields
    assert known is not None
    entries = world.list().entries
    turns: list[int] = []

    async def sleep(_: float) -> None:
        turns.append(sum(each.value in known for each in entries))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fakeapi.registry.offloading.turns.asyncio.sleep", sleep)
        patch.setattr(turns_module, "TURN_SECONDS", 0.0)
        selector = field_selector.parse(fields)
        await listing.read_fields(world.storage, world.claims, ObjectReference(NAMESPACE), selector, limit)
    return turns


def test_other_requests_are_served_while_a_list_reads_fields() -> None:
    async def scenario(claims: World) -> None:
        world = claims.on(claims.resource("secrets"))
        for number in range(5):
            await world.create(secret(number))
        assert await read(world, "type=a") == [1, 2, 3, 4, 5]
        assert await read(world, "type=a") == []
        await world.create(secret(7))
        assert await read(world, "type=a") == [6]
        assert names(world.list(fields="type=a")) == ["s1", "s3", "s7"]

    in_world(scenario)


def test_reading_fields_stops_at_the_limit_of_the_list() -> None:
    async def scenario(claims: World) -> None:
        world = claims.on(claims.resource("secrets"))
        for number in range(5):
            await world.create(secret(number))
        assert await read(world, "type=a", limit=1) == [1]
        known = world.claims.selectable_fields
        assert known is not None
        assert [entry.value in known for entry in world.list().entries] == [True, True, False, False, False]

    in_world(scenario)


def test_fields_of_more_objects_than_the_cache_holds_are_not_read_first() -> None:
    async def scenario(claims: World) -> None:
        world = claims.on(claims.resource("secrets"))
        for number in range(3):
            await world.create(secret(number))
        known = world.claims.selectable_fields
        assert known is not None
        known.bound = 10
        assert await read(world, "type=a") == []
        assert names(world.list(fields="type=b")) == ["s0", "s2"]
        assert known.size == 0

    in_world(scenario)
