"""Serves the static files of the live page. The files load nothing from other hosts."""

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

UI = "/ui"
"""The path of the live page, relative to the path prefix of the control API."""

_FILES = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


ROOT = ("", "/")
"""The path of the control API itself, relative to its path prefix."""


def path_of(scope: Scope) -> str:
    """Returns the path of a request, relative to the path prefix of the control API."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


class RootRedirect:
    """Redirects /_fakeapi to the live page, because people type this path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and path_of(scope) in ROOT:
            page = RedirectResponse(f"{str(scope['path']).removesuffix('/')}{UI}/")
            await page(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def redirect(request: Request) -> Response:
    """Redirects /ui to /ui/, because the URLs in the page are relative to that folder."""
    return RedirectResponse(f"{request.url.path}/")


async def serve(request: Request) -> Response:
    """Returns a file of the live page; 404 for an unknown file name."""
    name = request.path_params.get("name") or "index.html"
    content = _files().get(name)
    if content is None:
        return Response(f"the page has no file {name!r}\n", 404, media_type="text/plain")
    return Response(content, headers={**_HEADERS, "Content-Type": _TYPES[Path(name).suffix]})


@cache
def _files() -> dict[str, bytes]:
    """Returns the content of each file of the live page, by file name. The page serves no other files."""
    return {file.name: file.read_bytes() for file in _FILES.iterdir() if file.suffix in _TYPES}
