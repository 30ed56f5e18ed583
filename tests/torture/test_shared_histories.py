"""The torture suite adds a write without a response to the history if watchers saw its event."""

import asyncio
import json
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.torture.budget import Finding
from tests.torture.parts.scale import Seen, Shared


def stored(lines: list[dict[str, Any]], unanswered: list[dict[str, Any]], events: list[Seen]) -> list[Any]:
    async def main() -> list[Any]:
        servers: Any = [SimpleNamespace(directory=Path())]
        world = Shared(SimpleNamespace(), servers, Random(1), is_long=False)  # type: ignore[arg-type]
        world.lines = [json.dumps(each) for each in lines]
        world.unanswered = unanswered
        found = world._stored(events)
        return [(each["verb"], each["call"], each["code"], each["found"]["version"]) for each in found]

    return asyncio.run(main())


def lost(verb: str, call: int, value: str = "") -> dict[str, Any]:
    return {"verb": verb, "name": "a", "call": call, "value": value}


EVENTS = [
    Seen(2, "ADDED", "a", "x"),
    Seen(3, "DELETED", "a", "x"),
    Seen(4, "ADDED", "a", "y"),
    Seen(5, "DELETED", "a", "y"),
]


def test_what_no_watcher_saw_was_not_stored() -> None:
    assert stored([], [lost("create", 1, "never"), lost("delete", 2)], []) == []


def test_a_write_is_known_by_its_value_and_a_deletion_goes_to_who_asked_first() -> None:
    unanswered = [lost("delete", 9), lost("delete", 7), lost("create", 5, "x"), lost("create", 6, "y")]
    assert stored([], unanswered, EVENTS) == [
        ("create", 5, 201, 2),
        ("create", 6, 201, 4),
        ("delete", 7, 200, 3),
        ("delete", 9, 200, 5),
    ]


def test_a_list_at_the_revision_of_a_deletion_does_not_claim_it() -> None:
    listing = {"verb": "list", "code": 200, "found": {"version": 3}}
    deletion = {"verb": "delete", "code": 200, "found": {"version": 5}}
    assert stored([listing, deletion], [lost("delete", 7)], EVENTS) == [("delete", 7, 200, 3)]


def test_a_deletion_that_nobody_asked_for_is_found() -> None:
    with pytest.raises(Finding, match="nobody asked for"):
        stored([], [lost("delete", 7)], EVENTS)
