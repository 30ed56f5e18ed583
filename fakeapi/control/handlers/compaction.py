"""Handles compaction: deletes old changes of objects, so that older resourceVersions get 410 Expired."""

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.freed_memory import return_freed_memory
from fakeapi.control.route import Call, Route
from fakeapi_storage import FutureRevision


class Compaction(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The request to delete the history of changes, and its response.

    `resource_version`:

    - In the request: deletes the changes before this resourceVersion; "" for the newest resourceVersion.
    - In the response: the oldest resourceVersion from which a watch can start.
    """

    resource_version: str = ""


async def compact(call: Call) -> Compaction:
    storage = call.server.cluster.storage
    version: str = call.body.resource_version
    if version and not (version.isascii() and version.isdecimal() and len(version) < 19):
        raise refused(400, f"resourceVersion {version!r} is not a valid resourceVersion")
    revision = int(version) if version else storage.revision
    try:
        await storage.compact(revision)
    except FutureRevision:
        raise refused(
            400, f"resourceVersion {version} does not exist yet: {storage.revision} is the newest"
        ) from None
    await return_freed_memory()
    return Compaction(str(storage.oldest))


ROUTES = (
    Route(
        "POST",
        "/compaction",
        compact,
        "Delete the history: lists and watches at an older resourceVersion get 410 Expired.",
        answer=Compaction,
        body=Compaction,
        body_is_optional=True,
    ),
)
