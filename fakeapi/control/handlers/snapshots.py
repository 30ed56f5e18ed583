"""Takes, restores, compares, downloads and uploads named snapshots of all objects."""

import asyncio
from typing import Any

import msgspec
from starlette.responses import Response

from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.snapshots import comparing, file
from fakeapi.snapshots.model import Snapshot, SnapshotError
from fakeapi_storage import StorageError

MEDIA_TYPE = "application/x-ndjson"
DIFFERENCES_MAX = 1_000
"""Maximum number of differences in one response.

`more` in the response is the number of further differences.
"""


class Kept(msgspec.Struct, rename="camel"):
    """A named snapshot.

    - `objects`: the number of objects in the snapshot.
    - `resource_version`: the newest resourceVersion at the time of the snapshot.
    - `release`: the Kubernetes release of the server; empty if it serves versions of several releases.
    """

    name: str
    objects: int
    resource_version: str
    release: str
    taken_at: str


class Restore(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The request to restore a snapshot.

    `rewind`: if true, the resourceVersion continues after the snapshot's resourceVersion. If false, it
    continues after all resourceVersions of the server and of the snapshot.
    """

    rewind: bool = False


class Between(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The query that names two snapshots to compare.

    `new`: the name of the newer snapshot; "" compares `old` with the current objects.
    """

    old: str
    new: str = ""


class Change(msgspec.Struct, rename="camel"):
    path: str
    old: Any
    new: Any


class Difference(msgspec.Struct, rename="camel"):
    """An object that was added, removed or changed.

    `more`: the number of changed fields that `fields` omits.
    """

    kind: str
    resource: str
    namespace: str
    name: str
    fields: list[Change]
    more: int


class Differences(msgspec.Struct, rename="camel"):
    items: list[Difference]
    more: int


async def read_all(call: Call) -> list[Kept]:
    kept = call.server.cluster.snapshots
    return [_kept(name, kept[name]) for name in kept]


async def take(call: Call) -> Kept:
    kept, name = call.server.cluster.snapshots, call.path["name"]
    try:
        kept.check(name)
        kept.keep(name, await call.server.cluster.snapshot())
    except SnapshotError as error:
        raise refused(400, str(error)) from None
    return _kept(name, kept[name])


async def delete(call: Call) -> None:
    _named(call)
    call.server.cluster.snapshots.delete(call.path["name"])


async def restore(call: Call) -> None:
    snapshot = _named(call)
    try:
        await call.server.cluster.restore(snapshot, rewind=call.body.rewind)
    except SnapshotError as error:
        raise refused(409, str(error)) from None
    except StorageError as error:
        raise refused(500, str(error)) from None


async def download(call: Call) -> Response:
    snapshot = _named(call)
    async with call.room(sum(len(entry.value) for entry in snapshot.checkpoint.entries)):
        data = await asyncio.to_thread(file.encoded, snapshot, compressed=False)
    name = f'attachment; filename="{call.path["name"]}.jsonl"'
    return Response(data, media_type=MEDIA_TYPE, headers={"Content-Disposition": name})


async def upload(call: Call) -> Kept:
    kept, name = call.server.cluster.snapshots, call.path["name"]
    try:
        kept.check(name)
        kept.keep(name, Snapshot.of(await asyncio.to_thread(file.decoded, call.body, "the body")))
    except SnapshotError as error:
        raise refused(400, str(error)) from None
    return _kept(name, kept[name])


async def diff(call: Call) -> Differences:
    old, new = await _at(call, call.query.old), await _at(call, call.query.new)
    size = await asyncio.to_thread(comparing.changed_bytes, old.checkpoint, new.checkpoint)
    async with call.room(size):
        differences = await asyncio.to_thread(comparing.compare, old.checkpoint, new.checkpoint)
        items = [_difference(difference) for difference in differences[:DIFFERENCES_MAX]]
    return Differences(items, len(differences) - len(items))


async def _at(call: Call, name: str) -> Snapshot:
    """Returns the snapshot `name`; for "", a new snapshot of the current objects.

    Raises ApiError 404 for an unknown name.
    """
    return _snapshot(call, name) if name else await call.server.cluster.snapshot()


def _named(call: Call) -> Snapshot:
    """Returns the snapshot whose name is in the request path. Raises ApiError 404 for an unknown name."""
    return _snapshot(call, call.path["name"])


def _snapshot(call: Call, name: str) -> Snapshot:
    try:
        return call.server.cluster.snapshots[name]
    except SnapshotError as error:
        raise refused(404, str(error)) from None


def _kept(name: str, snapshot: Snapshot) -> Kept:
    version = str(snapshot.checkpoint.revision)
    return Kept(name, len(snapshot), version, snapshot.release, snapshot.taken_at)


def _difference(compared: comparing.Difference) -> Difference:
    fields = [Change(field.path, field.old, field.new) for field in compared.fields]
    return Difference(
        compared.kind, compared.resource, compared.namespace, compared.name, fields, compared.more
    )


ROUTES = (
    Route("GET", "/snapshots", read_all, "The snapshots by name.", answer=list[Kept]),
    Route(
        "GET",
        "/snapshots/diff",
        diff,
        "The differences between two snapshots, or between a snapshot and the current objects.",
        answer=Differences,
        query=Between,
    ),
    Route("PUT", "/snapshots/{name}", take, "Take a snapshot of the current objects.", answer=Kept),
    Route("DELETE", "/snapshots/{name}", delete, "Delete a snapshot."),
    Route(
        "POST",
        "/snapshots/{name}/restore",
        restore,
        "Replace all objects with those of a snapshot; watches end.",
        body=Restore,
        body_is_optional=True,
    ),
    Route(
        "GET",
        "/snapshots/{name}/file",
        download,
        "A snapshot as a file.",
        answer=bytes,
        media_type=MEDIA_TYPE,
    ),
    Route("PUT", "/snapshots/{name}/file", upload, "Load a snapshot from a file.", answer=Kept, body=bytes),
)
