"""Serves the files of the page: no build step, nothing from another host."""

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

UI = "/ui"
"""The page's path below the control API's."""

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


async def redirect(request: Request) -> Response:
    """To the page's folder, which its own addresses are relative to."""
    return RedirectResponse(f"{request.url.path}/")


async def serve(request: Request) -> Response:
    """A file of the page by its name; 404 for any other."""
    name = request.path_params.get("name") or "index.html"
    found = _files().get(name)
    if found is None:
        return Response(f"the page has no file {name!r}\n", 404, media_type="text/plain")
    return Response(found, headers={**_HEADERS, "Content-Type": _TYPES[Path(name).suffix]})


@cache
def _files() -> dict[str, bytes]:
    """The files by name; a request can name no others."""
    return {each.name: each.read_bytes() for each in _FILES.iterdir() if each.suffix in _TYPES}
