"""Exports the selected objects of a server as plain manifests."""

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
"""The User-Agent of the requests of an export."""


class CountedResource(msgspec.Struct):
    """An item in the response of the control API to `/kinds`: a resource that has objects."""

    group: str
    resource: str


@dataclass(slots=True)
class Exported:
    """The result of an export.

    - `manifests`: pairs of a resource, such as "deployments.apps", and the manifest of an object.
    - `problems`: one line for each list or object that the export left out or changed.
    """

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
    """Reads the selected objects of a server, and removes the fields that only a server sets.

    If the server is not fakeapi, Secrets lose their data and other kinds lose their credentials.

    - `status`: whether the manifests contain the status of objects.
    - `limit`: the maximum number of objects.
    - `progress`: called before each resource.

    Raises one of these exceptions:

    - SelectionError if a selected resource does not exist, or if a selected namespace does not exist on a
      server other than fakeapi.
    - TooManyObjects if there are more selected objects than `limit`.
    - StatusError for a failed discovery, missing authentication or an invalid label selector.
    - TargetError if the server does not respond with valid HTTP.

    Other refused requests become problems of the result.
    """
    if await is_fakeapi(api):
        state = await _read_fakeapi(api, selection, limit, progress)
    else:
        state = await read_cluster(api, selection, limit=limit, progress=progress)
    plain = plain_manifests(state.objects, status=status)
    return Exported([(read.kind.qualified, manifest) for read, manifest in plain], state.problems)


async def is_fakeapi(api: ReadOnlyClient) -> bool:
    """Whether the server is fakeapi with a control API.

    Raises StatusError for missing authentication (401), and TargetError if the server does not respond with
    valid HTTP.
    """
    try:
        state = await api.get("/_fakeapi/state")
    except StatusError as error:
        if error.code == 401:
            raise
        return False
    return "oldestResourceVersion" in state


async def _read_fakeapi(api: ReadOnlyClient, selection: Selection, limit: int, progress: Progress) -> State:
    """Reads the selected objects of a fakeapi server.

    Reads only resources that have objects, unless the selection names resources or sets `everything`. A list
    request for a resource without objects could create the default objects of this resource.
    """
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
