"""RequestInfo: the API group, version, resource, namespace, name and verb of a request.

Follows k8s.io/apiserver `pkg/endpoints/request/requestinfo.go`.
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl

NAMESPACES = "namespaces"

_VERBS = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """A path below /api or /apis, taken apart.

    `version` is empty for the group itself, `resource` for the version itself. `watched` marks the
    deprecated paths that begin with watch/. `tail` are segments that no resource path has. `in_namespace`
    marks a path that goes through namespaces/, though it may leave out which: `namespace` is empty then.
    """

    group: str
    version: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watched: bool = False
    tail: tuple[str, ...] = ()
    in_namespace: bool = False


def parse(path: str) -> RequestInfo | None:
    """The parts of an API path; None for a path that is not below /api or /apis.

    `/api` itself and `/apis` itself are not API paths in this sense. A trailing slash changes nothing.
    """
    parts = path.strip("/").split("/")
    if path.startswith("/apis/") and len(parts) > 1:
        group, rest = parts[1], parts[2:]
    elif path.startswith("/api/") and len(parts) > 1:
        group, rest = "", parts[1:]
    else:
        return None
    if not rest:
        return RequestInfo(group)
    version, rest = rest[0], rest[1:]
    watched = bool(rest) and rest[0] == "watch"
    if watched:
        rest = rest[1:]
    namespace = ""
    in_namespace = (
        len(rest) > 2 and rest[0] == NAMESPACES and not (len(rest) == 3 and rest[2] in ("status", "finalize"))
    )
    if in_namespace:
        namespace, rest = rest[1], rest[2:]
    resource, name, subresource, *tail = (*rest, "", "", "")[: max(3, len(rest))]
    left_over = tuple(part for part in tail if part)
    return RequestInfo(
        group, version, resource, namespace, name, subresource, watched, left_over, in_namespace
    )


def verb_of(method: str, info: RequestInfo | None, query: str = "") -> str:
    """The request's verb: get, list, watch, create, update, patch, delete or deletecollection.

    `query` is the raw query string. For a path without a resource the verb is the method in lower case; for a
    resource and an unknown method it is "". A path that begins with watch/ is a watch, whatever its method.
    """
    if info is None or not info.resource:
        return method.lower()
    verb = "watch" if info.watched else _VERBS.get(method, "")
    if info.name:
        return verb
    if verb == "get":
        return "watch" if asks_to_watch(query) else "list"
    return "deletecollection" if verb == "delete" else verb


def asks_to_watch(query: str) -> bool:
    """Whether a raw query string has the parameter `watch`, and not as "0" or "false"."""
    if "watch" not in query:
        return False
    flag = first_values(query).get("watch")
    return flag is not None and flag.lower() not in {"0", "false"}


def first_values(query: str) -> dict[str, str]:
    """The parameters of a raw query string; of a repeated one the first value, which Kubernetes takes."""
    return dict(reversed(parse_qsl(query, keep_blank_values=True)))
