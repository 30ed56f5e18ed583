"""Reads the selected objects of a server page by page.

A refused list request becomes a line in `State.problems`, and reading continues.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clients.shapes import Page, checked, malformed, object_of
from fakeapi.clients.verbs import Reader
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.bounds import LIST_ATTEMPTS, OBJECTS_MAX, PAGE_OBJECTS, PAGES_MAX
from fakeapi.transfer.selection import Selection


class TooManyObjects(Exception):
    """Raised if there are more selected objects than the limit. The message is one line."""


@dataclass(frozen=True, slots=True)
class ReadObject:
    """An object that was read from a server.

    - `kind`: the resource of the object.
    - `obj`: the object with `apiVersion` and `kind`.
    """

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
    """The objects that were read from a server, in the order of their resources.

    `problems`: one line for each refused request, and for each object that was left out or changed.
    """

    objects: list[ReadObject] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


Progress = Callable[[int, int, str], None]
"""A callback for progress: gets the number of finished items, of all items, and the current item's name."""


def no_progress(done: int, total: int, what: str) -> None:
    """Ignores progress; the default of parameters named `progress`."""


async def read_state(
    server: Reader,
    kinds: Iterable[ServedResource],
    selection: Selection,
    *,
    limit: int = OBJECTS_MAX,
    progress: Progress = no_progress,
) -> State:
    """Reads the selected objects of these resources.

    - `limit`: the maximum number of objects; more objects raise TooManyObjects.
    - `progress`: called before each resource, and at the end.

    Raises StatusError for missing authentication (401) and for an invalid label selector (400). Other
    refused lists become problems of the result. Other exceptions of `server` pass through.
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
    server: Reader, kind: ServedResource, namespace: str, selection: Selection, room: int
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


async def _items(server: Reader, kind: ServedResource, namespace: str, labels: str) -> AsyncIterator[Any]:
    query = {"limit": str(PAGE_OBJECTS)} | ({"labelSelector": labels} if labels else {})
    for _ in range(PAGES_MAX):
        page = checked(await server.get(kind.path(namespace), **query), Page)
        for item in page.items or ():
            yield item
        if not page.token:
            return
        query["continue"] = page.token
    raise malformed(f"has more than {PAGES_MAX} pages")
