"""Reads the chosen objects of a server, page by page, by GET alone; what it refuses is told, not fatal."""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fakeapi.controllers.api import Refused
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.answers import Page, checked, malformed, object_of
from fakeapi.transfer.bounds import LIST_ATTEMPTS, OBJECTS_MAX, PAGE_OBJECTS, PAGES_MAX
from fakeapi.transfer.kinds import Getter, ServedKind
from fakeapi.transfer.selection import Selection


class TooManyObjects(Exception):
    """More objects than are to be read; one line for the user."""


@dataclass(frozen=True, slots=True)
class ReadObject:
    """An object with `apiVersion` and `kind`, and the resource that it is of."""

    kind: ServedKind
    obj: Object

    @property
    def namespace(self) -> str:
        return str(self.obj["metadata"].get("namespace") or "")

    @property
    def name(self) -> str:
        return str(self.obj["metadata"]["name"])


@dataclass(slots=True)
class State:
    """The objects that were read, by resource, and a line for each list that was refused."""

    objects: list[ReadObject] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


Progress = Callable[[int, int, str], None]
"""Called with what is done, how much there is, and a word on what is at hand."""


def no_progress(done: int, total: int, what: str) -> None:
    """Progress for nobody."""


async def read_state(
    server: Getter,
    kinds: Iterable[ServedKind],
    selection: Selection,
    *,
    limit: int = OBJECTS_MAX,
    progress: Progress = no_progress,
) -> State:
    """Reads the objects of these resources.

    Raises TooManyObjects beyond `limit`, Refused where the server does not know who asks (401) or what the
    selector means (400), and what the server raises where it does not answer.
    """
    state = State()
    wanted = list(kinds)
    for number, kind in enumerate(wanted):
        progress(number, len(wanted), kind.qualified)
        for namespace in selection.namespaces if kind.namespaced and selection.namespaces else ("",):
            try:
                listed = await _listed(server, kind, namespace, selection, limit - len(state.objects))
            except Refused as error:
                if error.code in {400, 401}:
                    raise
                where = f" in {namespace}" if namespace else ""
                state.problems.append(f"{kind.qualified}{where}: {error}")
            else:
                state.objects.extend(listed)
    progress(len(wanted), len(wanted), "")
    return state


async def _listed(
    server: Getter, kind: ServedKind, namespace: str, selection: Selection, room: int
) -> list[ReadObject]:
    for attempt in range(1, LIST_ATTEMPTS + 1):
        found: list[ReadObject] = []
        try:
            async for item in _items(server, kind, namespace, selection.labels):
                typed = object_of(item, kind.api_version, kind.kind)
                if selection.includes(kind, typed):
                    found.append(ReadObject(kind, typed))
                if len(found) > room:
                    words = "choose resources or namespaces, or allow more with --limit"
                    raise TooManyObjects(f"more objects than the limit, counted at {kind.qualified}: {words}")
        except Refused as error:
            if error.code != 410 or attempt == LIST_ATTEMPTS:
                raise
        else:
            return found
    raise AssertionError("the last attempt returns or raises")


async def _items(server: Getter, kind: ServedKind, namespace: str, labels: str) -> AsyncIterator[Any]:
    query = {"limit": str(PAGE_OBJECTS)} | ({"labelSelector": labels} if labels else {})
    for _ in range(PAGES_MAX):
        page = checked(await server.get(kind.path(namespace), **query), Page)
        for item in page.items or ():
            yield item
        if not page.token:
            return
        query["continue"] = page.token
    raise malformed(f"has more than {PAGES_MAX} pages")
