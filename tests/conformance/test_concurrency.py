"""Many concurrent clients: no write is lost or repeated, and every watching client sees the same events."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from fakeapi.machinery.json_types import Object
from fakeapi.testing.server import FakeAPI
from tests.conformance.contention import (
    CLAIMS,
    COUNTER,
    ask,
    check,
    claim,
    counter_of,
    events,
    fight,
    session,
    version_of,
)

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"


@pytest.fixture(params=["memory", "file"])
def server(
    request: pytest.FixtureRequest, fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path
) -> FakeAPI:
    """Runs each test twice: with an in-memory server, and with a server on a database file."""
    options: dict[str, Any] = {} if request.param == "memory" else {"database": tmp_path / "claims.db"}
    return fakeapi_factory(release="1.31", **options)


def test_no_concurrent_increment_is_lost_and_every_watcher_sees_each_once_and_in_order(
    server: FakeAPI,
) -> None:
    increments = 16 * 20
    result = asyncio.run(fight(server.url, clients=16, increments=increments, watchers=4))
    check(result, increments)
    assert result.conflicts > 0


def test_increments_are_there_after_a_restart_and_versions_go_on_growing(tmp_path: Path) -> None:
    with FakeAPI(release="1.31", database=tmp_path / "claims.db") as first:
        result = asyncio.run(fight(first.url, clients=8, increments=40, watchers=1))
        last = result.seen[0][-1][1]
    with FakeAPI(release="1.31", database=tmp_path / "claims.db") as second:
        found = second.get("ResourceClaim", "counted")
        assert (counter_of(found), version_of(found)) == (40, last)
        found["metadata"]["labels"][COUNTER] = "41"
        assert version_of(second.update(found)) > last


def test_merge_patches_of_many_clients_all_arrive_without_a_conflict(server: FakeAPI) -> None:
    async def scenario() -> None:
        async with session(server.url) as client:
            await ask(client, "POST", CLAIMS, claim("patched"))

            async def patch(number: int) -> list[int]:
                codes = []
                for turn in range(10):
                    body = {"metadata": {"labels": {f"c{number}-{turn}": str(turn)}}}
                    codes.append((await ask(client, "PATCH", f"{CLAIMS}/patched", body, MERGE))[0])
                return codes

            codes = await asyncio.gather(*(patch(number) for number in range(16)))
            _, final = await ask(client, "GET", f"{CLAIMS}/patched")
        assert {code for mine in codes for code in mine} == {200}
        assert len(final["metadata"]["labels"]) == 160

    asyncio.run(scenario())


def test_json_patches_that_test_what_they_read_lose_no_increment(server: FakeAPI) -> None:
    async def scenario() -> None:
        async with session(server.url) as client:
            await ask(client, "POST", CLAIMS, claim("tested", labels={COUNTER: "0"}))

            async def increment() -> None:
                done = 0
                while done < 5:
                    _, obj = await ask(client, "GET", f"{CLAIMS}/tested")
                    old = counter_of(obj)
                    path = f"/metadata/labels/{COUNTER}"
                    patch = [
                        {"op": "test", "path": path, "value": str(old)},
                        {"op": "replace", "path": path, "value": str(old + 1)},
                    ]
                    code, answer = await ask(client, "PATCH", f"{CLAIMS}/tested", patch, JSON_PATCH)
                    assert code in (200, 422), answer
                    done += code == 200

            await asyncio.gather(*(increment() for _ in range(8)))
            _, final = await ask(client, "GET", f"{CLAIMS}/tested")
        assert counter_of(final) == 40

    asyncio.run(scenario())


def test_writes_to_a_claim_and_to_its_status_do_not_undo_each_other(server: FakeAPI) -> None:
    result = {"request": "gpu", "driver": "gpu.example.com", "pool": "p", "device": "d"}

    async def until_accepted(client: Any, path: str, change: Callable[[Object], None]) -> None:
        code = 0
        while code != 200:
            _, obj = await ask(client, "GET", f"{CLAIMS}/both")
            change(obj)
            code, answer = await ask(client, "PUT", path, obj)
            assert code in (200, 409), answer

    async def scenario() -> None:
        async with session(server.url) as client:
            await ask(client, "POST", CLAIMS, claim("both"))

            def allocate(obj: Object) -> None:
                obj["status"] = {"allocation": {"devices": {"results": [result]}}}

            await until_accepted(client, f"{CLAIMS}/both/status", allocate)

            async def label(number: int) -> None:
                def change(obj: Object) -> None:
                    obj["metadata"].setdefault("labels", {})[f"l{number}"] = ""
                    obj["status"] = {}

                await until_accepted(client, f"{CLAIMS}/both", change)

            async def reserve(number: int) -> None:
                pod = {"resource": "pods", "name": f"pod-{number}", "uid": f"uid-{number}"}

                def change(obj: Object) -> None:
                    obj["metadata"]["labels"] = {}
                    obj["status"].setdefault("reservedFor", []).append(pod)

                await until_accepted(client, f"{CLAIMS}/both/status", change)

            await asyncio.gather(*(label(n) for n in range(12)), *(reserve(n) for n in range(12)))
            _, final = await ask(client, "GET", f"{CLAIMS}/both")
        assert sorted(final["metadata"]["labels"]) == sorted(f"l{n}" for n in range(12))
        assert sorted(pod["name"] for pod in final["status"]["reservedFor"]) == sorted(
            f"pod-{n}" for n in range(12)
        )

    asyncio.run(scenario())


def test_of_many_who_create_or_delete_one_name_exactly_one_does_each_time(server: FakeAPI) -> None:
    rounds, clients = 10, 8

    async def scenario() -> None:
        async with session(server.url) as client:
            _, listed = await ask(client, "GET", CLAIMS)
            uids = []
            for _ in range(rounds):
                created = await asyncio.gather(
                    *(ask(client, "POST", CLAIMS, claim("raced")) for _ in range(clients))
                )
                assert Counter(code for code, _ in created) == {201: 1, 409: clients - 1}
                assert {answer["reason"] for code, answer in created if code == 409} == {"AlreadyExists"}
                uids += [answer["metadata"]["uid"] for code, answer in created if code == 201]
                deleted = await asyncio.gather(
                    *(ask(client, "DELETE", f"{CLAIMS}/raced") for _ in range(clients))
                )
                assert Counter(code for code, _ in deleted) == {200: 1, 404: clients - 1}
            assert len(set(uids)) == rounds
            seen = await story(client, listed["metadata"]["resourceVersion"], 2 * rounds)
        assert [kind for kind, _ in seen] == ["ADDED", "DELETED"] * rounds
        versions = [version_of(obj) for _, obj in seen]
        assert versions == sorted(set(versions))
        assert [obj["metadata"]["uid"] for _, obj in seen] == [uid for uid in uids for _ in range(2)]

    asyncio.run(scenario())


def test_writers_race_with_deleters_and_none_brings_a_claim_back(server: FakeAPI) -> None:
    async def scenario() -> None:
        async with session(server.url) as client:
            _, listed = await ask(client, "GET", CLAIMS)
            for number in range(10):
                name = f"doomed-{number}"
                await ask(client, "POST", CLAIMS, claim(name))
                body = {"metadata": {"labels": {"a": "b"}}}
                patches = [ask(client, "PATCH", f"{CLAIMS}/{name}", body, MERGE) for _ in range(4)]
                answers = await asyncio.gather(ask(client, "DELETE", f"{CLAIMS}/{name}"), *patches)
                assert answers[0][0] == 200
                assert {code for code, _ in answers[1:]} <= {200, 404}
            _, final = await ask(client, "GET", CLAIMS)
            assert final["items"] == []
            seen = await story(client, listed["metadata"]["resourceVersion"], until_deleted=10)
        lives: dict[str, list[str]] = {}
        for kind, obj in seen:
            lives.setdefault(obj["metadata"]["name"], []).append(kind)
        assert all(
            life in (["ADDED", "DELETED"], ["ADDED", "MODIFIED", "DELETED"]) for life in lives.values()
        )

    asyncio.run(scenario())


def test_generated_names_never_collide(server: FakeAPI) -> None:
    async def scenario() -> None:
        body = claim("")
        body["metadata"] = {"generateName": "many-"}
        async with session(server.url) as client:
            created = await asyncio.gather(*(ask(client, "POST", CLAIMS, body) for _ in range(200)))
            _, listed = await ask(client, "GET", CLAIMS)
        assert {code for code, _ in created} == {201}
        names = {answer["metadata"]["name"] for _, answer in created}
        assert names == {item["metadata"]["name"] for item in listed["items"]}
        assert len(names) == 200

    asyncio.run(scenario())


def test_pages_of_a_list_hold_still_while_claims_come_and_go(server: FakeAPI) -> None:
    async def scenario() -> None:
        async with session(server.url) as client:
            await asyncio.gather(*(ask(client, "POST", CLAIMS, claim(f"c-{n:03}")) for n in range(60)))

            async def churn() -> None:
                for number in range(60):
                    await ask(client, "DELETE", f"{CLAIMS}/c-{number:03}")
                    await ask(client, "POST", CLAIMS, claim(f"new-{number:03}"))

            churning = asyncio.create_task(churn())
            pages = [page async for page in paged(client, 7)]
            await churning
        names = [item["metadata"]["name"] for page in pages for item in page["items"]]
        assert len({page["metadata"]["resourceVersion"] for page in pages}) == 1
        assert names == sorted(set(names))
        assert len(names) == 60

    asyncio.run(scenario())


async def paged(client: Any, limit: int) -> AsyncIterator[Object]:
    token = ""
    while True:
        _, page = await ask(client, "GET", f"{CLAIMS}?limit={limit}&continue={token}")
        yield page
        token = page["metadata"].get("continue", "")
        if not token:
            return


async def story(
    client: Any, version: str, count: int = 0, *, until_deleted: int = 0
) -> list[tuple[str, Object]]:
    """Watches claims from resourceVersion `version`; returns the events as (type, object).

    Stops after `count` events, or after `until_deleted` events of type DELETED.
    """
    seen: list[tuple[str, Object]] = []
    async with aclosing(events(client, CLAIMS, version)) as stream:
        async for event in stream:
            seen.append(event)
            deleted = sum(kind == "DELETED" for kind, _ in seen)
            if len(seen) == count or (until_deleted and deleted == until_deleted):
                break
    return seen
