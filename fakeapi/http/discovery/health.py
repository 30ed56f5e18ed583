"""The health endpoints /healthz, /livez and /readyz, with the checks of the release. Every check passes.

Follows k8s.io/apiserver `pkg/server/healthz`.
"""

from fakeapi.http.request import Request
from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery.golang.strconv import quote
from fakeapi.releases import Release

HEALTH = ("healthz", "livez", "readyz")


def health(request: Request, release: Release) -> Response | None:
    """Returns the response 200 if the request path is a health check of the release; None for other paths."""
    name, _, check = request.path.removeprefix("/").partition("/")
    if name not in HEALTH or request.path.endswith("/"):
        return None
    checks = release.health_checks(name)
    if check and check not in checks:
        return None
    text = _verbose(name, checks, request) if not check and "verbose" in request.query.first else "ok"
    return Response(200, text.encode(), PLAIN_TEXT)


def is_health(request: Request, release: Release) -> bool:
    """Whether the path of a request is a health check of the release. Health checks need no token."""
    return health(request, release) is not None


def health_paths(release: Release) -> list[str]:
    return [f"/{name}" for name in HEALTH] + [
        f"/{name}/{check}" for name in HEALTH for check in release.health_checks(name)
    ]


def _verbose(name: str, checks: tuple[str, ...], request: Request) -> str:
    """Returns the text of a verbose health response: one line per check, and a warning for unknown checks.

    The query parameter `exclude` names the checks to exclude.
    """
    excluded = set(request.query.all("exclude"))
    lines = [f"[+]{check} {'excluded: ' if check in excluded else ''}ok" for check in checks]
    unknown = sorted(excluded.difference(checks))
    if unknown:
        words = "warn: some health checks cannot be excluded: no matches for"
        lines.append(f"{words} {','.join(map(quote, unknown))}")
    return "\n".join([*lines, f"{name} check passed\n"])
