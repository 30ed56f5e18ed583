"""Exports the chosen objects of a server as plain manifests."""

from dataclasses import dataclass, field

import msgspec

from fakeapi.clients.errors import StatusError
from fakeapi.clients.remote import ReadOnlyClient
from fakeapi.clients.shapes import checked
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.bounds import OBJECTS_MAX
from fakeapi.transfer.cluster import read_cluster
from fakeapi.transfer.manifests import plain_manifests
from fakeapi.transfer.reading import Progress, State, no_progress, read_state
from fakeapi.transfer.selection import Selection
from fakeapi.transfer.served import Served, discover

AGENT = "fakeapi-export"
"""The User-Agent of the requests."""


class CountedResource(msgspec.Struct):
    """A resource that has objects, as listed by the control API of a fakeapi server."""

    group: str
    resource: str


@dataclass(slots=True)
class Exported:
    """Plain manifests with the resource of each ("deployments.apps"), and one line for each problem."""

    manifests: list[tuple[str, Object]]
    problems: list[str] = field(default_factory=list)


async def export(
    api: ReadOnlyClient,
    selection: Selection,
    *,
    status: bool = False,
    limit: int = OBJECTS_MAX,
    progress: Progress = no_progress,
) -> Exported:
    """Exports the chosen objects. The Secrets of a server other than fakeapi lose their data.

    Raises StatusError, TargetError, SelectionError, TooManyObjects.
    """
    if await is_fakeapi(api):
        state = await _read_fakeapi(api, selection, limit, progress)
    else:
        state = await read_cluster(api, selection, limit=limit, progress=progress)
    plain = plain_manifests(state.objects, status=status)
    return Exported([(read.kind.qualified, manifest) for read, manifest in plain], state.problems)


async def is_fakeapi(api: ReadOnlyClient) -> bool:
    """Whether the server is fakeapi with a control API. Raises TargetError, StatusError (401)."""
    try:
        state = await api.get("/_fakeapi/state")
    except StatusError as error:
        if error.code == 401:
            raise
        return False
    return "oldestResourceVersion" in state


async def _read_fakeapi(api: ReadOnlyClient, selection: Selection, limit: int, progress: Progress) -> State:
    """Reads a fakeapi server; skips empty resources, because a request would create their defaults."""
    if selection.resources or selection.everything:
        served, problems = await discover(api)
        chosen = selection.chosen(served)
    else:
        listed = checked(await api.get_list("/_fakeapi/kinds"), list[CountedResource])
        having = {(counted.group, counted.resource) for counted in listed}
        served, problems = await discover(api, {group for group, _ in having})
        chosen = selection.chosen(Served({key: kinds for key, kinds in served.items() if key in having}))
    kinds = [versions[0] for versions in chosen.values()]
    state = await read_state(api, kinds, selection, limit=limit, progress=progress)
    state.problems[:0] = problems
    return state
