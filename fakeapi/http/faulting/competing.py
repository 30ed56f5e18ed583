"""Competing writes: a fault that changes the object of a request just before the request runs."""

from msgspec.structs import replace

from fakeapi.asgi import Message
from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.query import Query
from fakeapi.http.request import Request
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.identity.users import TOKEN_HOLDER

AGENT = b"fakeapi-fault"
ANNOTATION = "fakeapi.dev/competing-write"
"""The annotation that a competing write sets. Each competing write uses a new value."""


async def write_before(ctx: RequestContext, proceed: Handler) -> bool:
    """Changes an annotation of the object that the request names. Returns whether the change succeeded.

    `proceed`: handles the request that makes this change.
    """
    info = ctx.info
    if info is None or not info.name:
        return False
    patch = {"metadata": {"annotations": {ANNOTATION: ctx.id.decode()}}}
    body = codec.encode(patch)
    scope = f"namespaces/{info.namespace}/" if info.namespace else ""
    root = f"/apis/{info.group}" if info.group else "/api"
    path = f"{root}/{info.version}/{scope}{info.resource}/{info.name}"
    headers = {b"user-agent": AGENT, b"content-type": b"application/merge-patch+json"}

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    request = Request("PATCH", path.encode(), path, b"", Query(b""), headers, receive)
    other = replace(info, subresource="", tail=())
    try:
        response = await proceed(RequestContext(request, other, "patch", ctx.received, user=TOKEN_HOLDER))
    except ApiError:
        return False
    return response.status < 300
