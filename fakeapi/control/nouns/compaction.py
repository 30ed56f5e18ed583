"""Compaction: forgets the history, so that everything older is 410 Expired."""

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.freed_memory import return_freed_memory
from fakeapi.control.route import Call, Route
from fakeapi_storage import FutureRevision


class Compaction(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The resourceVersion to compact the history at; "" for the newest one."""

    resource_version: str = ""


async def compact(call: Call) -> Compaction:
    storage = call.server.cluster.storage
    wanted: str = call.body.resource_version
    if wanted and not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 19):
        raise refused(400, f"resourceVersion {wanted!r} is no resourceVersion")
    revision = int(wanted) if wanted else storage.revision
    try:
        await storage.compact(revision)
    except FutureRevision:
        raise refused(400, f"resourceVersion {wanted} is yet to come: {storage.revision} is newest") from None
    await return_freed_memory()
    return Compaction(str(storage.oldest))


ROUTES = (
    Route(
        "POST",
        "/compaction",
        compact,
        "Forget the history: lists and watches at an older resourceVersion are 410 Expired.",
        answer=Compaction,
        body=Compaction,
        body_is_optional=True,
    ),
)
