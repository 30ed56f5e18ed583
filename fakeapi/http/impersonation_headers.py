"""Impersonation: lets clients act as another user with Impersonate-User and related headers.

Follows k8s.io/apiserver `pkg/endpoints/filters/impersonation`. `fakeapi.authorization.impersonation` decides
which users a client may impersonate.
"""

from urllib.parse import unquote

from fakeapi.authorization.impersonation import LastModes, Wanted, constrained, legacy
from fakeapi.http.context import RequestContext
from fakeapi.http.filters.authorization import access_of
from fakeapi.http.pages import internal_error
from fakeapi.http.pipeline import Handler
from fakeapi.http.query import BAD_ESCAPE
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse
from fakeapi.machinery import errors
from fakeapi.machinery.golang.strconv import quote
from fakeapi.registry.authorization.authorizer import Authorizer
from fakeapi.releases import Release

_GATE = "ConstrainedImpersonation"
_EXTRA = b"impersonate-extra-"


async def impersonate(
    ctx: RequestContext, proceed: Handler, authorizer: Authorizer, release: Release, last_modes: LastModes
) -> AnyResponse:
    """Passes a request on, with the impersonated user as its user.

    Without Impersonate headers, the request keeps its user. Raises ApiError 403 if the client may not
    impersonate the user. For headers without a user name, raises ApiError 400, or returns a plain-text 500 in
    older releases.
    """
    impersonated, has_more = _requested_user(ctx.request)
    if not impersonated.name:
        if has_more:
            return _without_user(ctx.request, impersonated, release)
        return await proceed(ctx)
    if release.gates.get(_GATE, False):
        access = access_of(ctx, by_selectors=True)
        ctx.user = await constrained(authorizer, access, impersonated, last_modes)
    else:
        ctx.user = await legacy(authorizer, ctx.user, impersonated)
    return await proceed(ctx)


def _without_user(request: Request, impersonated: Wanted, release: Release) -> AnyResponse:
    if release.gates.get(_GATE, False):
        raise errors.bad_request(f"requested {_go_user(impersonated)} without impersonating a user name")
    why = f"requested {_go_references(impersonated)} without impersonating a user"
    if release.quirks.impersonation_without_user_is_bad_request:
        raise errors.bad_request(why)
    return internal_error(request.uri, why)


def _requested_user(request: Request) -> tuple[Wanted, bool]:
    """Returns the user to impersonate, and whether the headers also name groups, a uid or extra values."""
    extra: dict[str, list[str]] = {}
    for name, value in request.all_headers:
        if name.startswith(_EXTRA):
            extra.setdefault(_key(name.removeprefix(_EXTRA)), []).append(_text(value))
    groups = tuple(_text(value) for name, value in request.all_headers if name == b"impersonate-group")
    name, uid = (request.headers.get(b"impersonate-" + suffix, b"") for suffix in (b"user", b"uid"))
    impersonated = Wanted(
        _text(name), _text(uid), groups, {key: tuple(values) for key, values in extra.items()}
    )
    return impersonated, bool(uid or groups or extra)


def _key(name: bytes) -> str:
    """Returns the percent-decoded key of an Impersonate-Extra header.

    Does not decode a key with invalid escapes.
    """
    return _text(name) if BAD_ESCAPE.search(name) else unquote(_text(name))


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _go_references(impersonated: Wanted) -> str:
    """Formats the impersonated groups, extra values and uid like Go's %v, for an error message."""
    version = "authentication.k8s.io/v1"
    references = [f"{{Group  {group}    }}" for group in impersonated.groups]
    references += [
        f"{{UserExtra  {value}  {version}  {key}}}"
        for key, values in impersonated.extra.items()
        for value in values
    ]
    references += [f"{{UID  {impersonated.uid}  {version}  }}"] if impersonated.uid else []
    return f"[{' '.join(references)}]"


def _go_user(impersonated: Wanted) -> str:
    """Formats an impersonated user without a name like Go's %#v, for an error message."""
    members = (f"{quote(key)}:{_go_strings(values)}" for key, values in sorted(impersonated.extra.items()))
    extra = f"{{{', '.join(members)}}}" if impersonated.extra else "(nil)"
    groups = _go_strings(impersonated.groups) if impersonated.groups else "[]string(nil)"
    return (
        f'&user.DefaultInfo{{Name:"", UID:{quote(impersonated.uid)}, Groups:{groups}, '
        f"Extra:map[string][]string{extra}}}"
    )


def _go_strings(values: tuple[str, ...]) -> str:
    return f"[]string{{{', '.join(map(quote, values))}}}"
