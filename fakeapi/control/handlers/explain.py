"""Explains why a pod or claim waits, why a pod got its node, or why an object is not deleted."""

import asyncio
from collections.abc import Awaitable
from importlib import import_module

from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.explaining.explanation import Explanation


async def explain(call: Call) -> Explanation:
    """Explains one object. Raises ApiError 400 for a resource that cannot be explained.

    Raises ApiError 429 if too many requests wait for an explanation, and ClientGone if the client
    disconnects. The first call imports the package `explaining` in a thread, because the import takes 0.3 s.
    """
    await asyncio.to_thread(import_module, "fakeapi.explaining.running_server")
    from fakeapi.explaining.explain import resource_of  # noqa: PLC0415 - loaded only when used
    from fakeapi.explaining.running_server import explain_running  # noqa: PLC0415 - loaded only when used

    path = call.path
    try:
        resource = resource_of(path["resource"])
    except ValueError as error:
        raise refused(400, str(error)) from None
    server = call.server
    namespace, name = path.get("namespace", ""), path["name"]

    def explanation() -> Awaitable[Explanation]:
        return explain_running(server.cluster, server.controllers(), resource, namespace, name)

    return await server.explanations.run(explanation, call.gone)


ROUTES = (
    Route(
        "GET",
        "/explain/{resource}/{namespace}/{name}",
        explain,
        "Why a pod or claim waits, or why an object is not deleted.",
        answer=Explanation,
    ),
    Route(
        "GET",
        "/explain/{resource}/{name}",
        explain,
        "Why an object without a namespace is not deleted.",
        answer=Explanation,
    ),
)
