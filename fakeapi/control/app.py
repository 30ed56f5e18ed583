"""The control API of fakeapi: a Starlette application for paths below /_fakeapi."""

import asyncio
from functools import cache

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp

from fakeapi.authentication.credentials import Credentials
from fakeapi.control.access import AccessCheck
from fakeapi.control.controlled import Controlled
from fakeapi.control.endpoint import endpoint_of
from fakeapi.control.errors import refused, status_response
from fakeapi.control.handlers import all_routes
from fakeapi.control.openapi import OPENAPI_PATH, document_of
from fakeapi.control.ui import page
from fakeapi.machinery.hosts import HostRules


def control_api(server: Controlled, *, credentials: Credentials, hosts: HostRules | None) -> ASGIApp:
    """Returns the ASGI application of the control API.

    - `credentials`: the credentials that the server accepts. The control API requires an administrator.
    - `hosts`: the accepted Host and Origin headers, if everybody is an administrator; None accepts all.
    """
    routes = all_routes()

    @cache
    def document() -> bytes:
        return document_of(routes)

    async def openapi(_: Request) -> Response:
        return Response(await asyncio.to_thread(document), media_type="application/json")

    endpoints = [
        StarletteRoute(route.path, endpoint_of(route, server), methods=[route.method]) for route in routes
    ]
    return Starlette(
        routes=[
            StarletteRoute(OPENAPI_PATH, openapi),
            StarletteRoute(page.UI, page.redirect),
            StarletteRoute(f"{page.UI}/", page.serve),
            StarletteRoute(f"{page.UI}/{{name}}", page.serve),
            *endpoints,
        ],
        middleware=[
            Middleware(
                AccessCheck,
                credentials=credentials,
                hosts=hosts,
                release=server.cluster.catalogue.primary,
            ),
            Middleware(page.RootRedirect),
        ],
        exception_handlers={HTTPException: _refusal, Exception: _failure},
    )


async def _refusal(request: Request, error: Exception) -> Response:
    """Returns an error Status for an unknown path (404) or method (405) of the control API."""
    assert isinstance(error, HTTPException), "registered for it"
    where = f"{request.method} {request.url.path}"
    words = (
        "the control API has no such path"
        if error.status_code == 404
        else "the control API does not allow this method"
    )
    return status_response(refused(error.status_code, f"{where}: {words}; see {OPENAPI_PATH} below it"))


async def _failure(request: Request, error: Exception) -> Response:
    """Returns a Status with code 500 for an unexpected error. Starlette's middleware logs the error."""
    return status_response(refused(500, f"fakeapi: unexpected {type(error).__name__}; see the server's log"))
