"""Writing: sends the creates and updates of the search, and keeps what they show."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.differential.exchanges.stories import merge_patch
from tests.differential.searching.provoking import Provoker, plain
from tests.differential.searching.targets import POOL_MAX, State, Target, named

PUT_SUBRESOURCES = ("status", "approval", "resize", "ephemeralcontainers", "finalize")
HISTORY_MAX = 3
"""Maximum number of writes before the last write of a story."""

Requests = list[dict[str, Any]]


class Writer:
    """Sends creates and updates.

    `found`: called with each refused write: (target, requests of the story, places of the messages) ->
    whether one of the messages is new.
    """

    def __init__(
        self, provoker: Provoker, rng: Random, found: Callable[[Target, Requests, set[str]], bool]
    ) -> None:
        self._provoker, self._random, self._found = provoker, rng, found

    async def create(self, target: Target, obj: dict[str, Any]) -> None:
        """Creates an object. Stores a copy of an accepted object with a new field or word."""
        if not target.decodes(obj):
            return
        request = {"method": "POST", "target": f"{target.collection}?dryRun=All", "body": obj}
        if not await self._send(target, [], request, request) or "get" not in target.kind.verbs:
            return
        await self.store_object(target, obj)

    async def store_object(self, target: Target, obj: dict[str, Any]) -> State | None:
        """Creates an object and writes its status. Returns the stored object; None if it is refused."""
        history: Requests = [{"method": "POST", "target": target.collection, "body": obj}]
        state = await self._store(target, history)
        if not obj.get("status") or target.kind.subresource("status") is None:
            return state
        name = obj["metadata"]["name"]
        change = {"stored": name, "changes": {"status": obj["status"]}, "else": obj}
        path = f"{target.collection}/{name}/status"
        return (
            await self._store(target, [*history, {"method": "PUT", "target": path, "body": change}]) or state
        )

    async def _store(self, target: Target, history: Requests) -> State | None:
        body, _ = await self._provoker.play(history)
        if not isinstance(body, dict) or "uid" not in body.get("metadata", {}):
            return None
        state = State(history, body)
        self._put(target.states, state)
        return state

    async def update(self, target: Target, state: State, part: str, new: dict[str, Any]) -> None:
        """Updates a stored object. `part`: the subresource; "" for the object itself."""
        if not target.decodes(new):
            return
        name = state.obj["metadata"]["name"]
        body = {"stored": name, "changes": merge_patch(state.obj, new), "else": named(new)}
        tail = f"/{part}" if part else ""
        actual = {"method": "PUT", "target": f"{target.collection}/{name}{tail}?dryRun=All", "body": new}
        shown = json.loads(plain(json.dumps({**actual, "body": body})))
        request = {**shown, "target": shown["target"].partition("?")[0]}
        is_new = await self._send(target, state.history, shown, actual)
        if is_new and len(state.history) < HISTORY_MAX and self._random.random() < 0.5:
            await self._store(target, [*state.history, request])

    async def _send(
        self, target: Target, history: Requests, shown: dict[str, Any], actual: dict[str, Any]
    ) -> bool:
        """Sends a write. Returns whether the server accepts it and whether its object has a new shape.

        `shown`: the write as it is in a story.
        """
        answer, places = await self._provoker.send(actual["method"], actual["target"], actual["body"])
        is_create = actual["method"] == "POST"
        if isinstance(answer, dict) and answer.get("kind") == "Status":
            if places and self._found(target, [*history, shown], places) and is_create:
                self._put(target.objects, actual["body"])
            return False
        is_new = target.learn(actual["body"])
        if is_new and is_create:
            self._put(target.objects, actual["body"])
        return is_new

    def _put(self, pool: list[Any], item: Any) -> None:
        if len(pool) < POOL_MAX:
            pool.append(item)
        else:
            pool[self._random.randrange(POOL_MAX)] = item


def parts_of(target: Target) -> list[str]:
    """Returns the parts of an object that an update may write: "" and the subresources."""
    return ["", *(each.name for each in target.kind.subresources if each.name in PUT_SUBRESOURCES)]


def field_of(part: str) -> str:
    """Returns the field that a subresource changes; "" for all fields."""
    return {"status": "status", "approval": "status"}.get(part, "")


def replaced(state: State, other: dict[str, Any], part: str) -> dict[str, Any]:
    """Returns the object of a state with the fields of another object."""
    kept = copy.deepcopy(state.obj)
    below = field_of(part)
    if below:
        return {**kept, **{name: value for name, value in other.items() if name == below}}
    given = other.get("metadata", {})
    changes = {name: given[name] for name in ("labels", "annotations", "finalizers") if name in given}
    return {**copy.deepcopy(other), "metadata": {**kept["metadata"], **changes}}
