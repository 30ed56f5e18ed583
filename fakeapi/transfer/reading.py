"""Reads the chosen objects of a server page by page.

A refused list becomes a problem and not an exception.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clients.shapes import Page, checked, malformed, object_of
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.bounds import LIST_ATTEMPTS, OBJECTS_MAX, PAGE_OBJECTS, PAGES_MAX
from fakeapi.transfer.selection import Selection
from fakeapi.transfer.served import Getter


class TooManyObjects(Exception):
    """More objects than the limit; the message is one line."""


@dataclass(frozen=True, slots=True)
class ReadObject:
    """An object with `apiVersion` and `kind`, and its resource."""

    kind: ServedResource
    obj: Object

    @property
    def namespace(self) -> str:
        return str(self.obj["metadata"].get("namespace") or "")

    @property
    def name(self) -> str:
        return str(self.obj["metadata"]["name"])


@dataclass(slots=True)
class State:
    """The objects by resource, and one line for each refused list."""

    objects: list[ReadObject] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


Progress = Callable[[int, int, str], None]
"""Called with (done, total, label of the current item)."""


def no_progress(done: int, total: int, what: str) -> None:
    """Default of `progress`: reports nothing."""


async def read_state(
    server: Getter,
    kinds: Iterable[ServedResource],
    selection: Selection,
    *,
    limit: int = OBJECTS_MAX,
    progress: Progress = no_progress,
) -> State:
    """Reads the objects of these resources.

    Raises TooManyObjects beyond `limit`, StatusError for missing authentication (401) or an invalid selector
    (400), and the server's errors if it does not answer.
    """
    state = State()
    resources = list(kinds)
    for number, kind in enumerate(resources):
        progress(number, len(resources), kind.qualified)
        for namespace in selection.namespaces if kind.namespaced and selection.namespaces else ("",):
            try:
                listed = await _listed(server, kind, namespace, selection, limit - len(state.objects))
            except StatusError as error:
                if error.code in {400, 401}:
                    raise
                where = f" in {namespace}" if namespace else ""
                state.problems.append(f"{kind.qualified}{where}: {error}")
            else:
                state.objects.extend(listed)
    progress(len(resources), len(resources), "")
    return state


async def _listed(
    server: Getter, kind: ServedResource, namespace: str, selection: Selection, room: int
) -> list[ReadObject]:
    for attempt in range(1, LIST_ATTEMPTS + 1):
        objects: list[ReadObject] = []
        try:
            async for item in _items(server, kind, namespace, selection.labels):
                typed = object_of(item, kind.api_version, kind.kind)
                if selection.includes(kind, typed):
                    objects.append(ReadObject(kind, typed))
                if len(objects) > room:
                    words = "choose resources or namespaces, or allow more with --limit"
                    raise TooManyObjects(f"more objects than the limit, counted at {kind.qualified}: {words}")
        except StatusError as error:
            if error.code != 410 or attempt == LIST_ATTEMPTS:
                raise
        else:
            return objects
    raise AssertionError("the last attempt returns or raises")


async def _items(server: Getter, kind: ServedResource, namespace: str, labels: str) -> AsyncIterator[Any]:
    query = {"limit": str(PAGE_OBJECTS)} | ({"labelSelector": labels} if labels else {})
    for _ in range(PAGES_MAX):
        page = checked(await server.get(kind.path(namespace), **query), Page)
        for item in page.items or ():
            yield item
        if not page.token:
            return
        query["continue"] = page.token
    raise malformed(f"has more than {PAGES_MAX} pages")
