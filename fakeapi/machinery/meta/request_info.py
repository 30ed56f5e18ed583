"""Parses the path of a request into API group, version, resource, namespace and name; finds the verb.

Follows k8s.io/apiserver `pkg/endpoints/request/requestinfo.go`.
"""

from urllib.parse import parse_qsl

import msgspec

NAMESPACES = "namespaces"

CONNECTING = frozenset(("attach", "exec", "log", "portforward", "proxy"))
"""The subresources whose requests connect to a pod, service or node, and may run for long."""

_VERBS = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}


class RequestInfo(msgspec.Struct, frozen=True):
    """The parts of a request path below /api or /apis.

    - `version`: empty for the path of a group, such as /apis/apps.
    - `resource`: empty for the path of a version, such as /apis/apps/v1.
    - `watched`: whether the deprecated segment `watch/` precedes the resource.
    - `tail`: segments after the subresource.
    - `in_namespace`: whether the path is below namespaces/NAME/, such as namespaces/NAME/pods; NAME may be
      empty.
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
    """Parses an API path such as `/api/v1/namespaces/default/pods`.

    Returns None for other paths, and for `/api` and `/apis` themselves. A trailing slash makes no difference.
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
    """Returns the Kubernetes verb of a request, such as get, list, watch, patch or deletecollection.

    - Without a resource in the path, the verb is the method in lower case.
    - A deprecated path with `watch/` always has the verb watch.
    - An unknown method on a resource has the verb "".

    `info`: the parsed path; None for a path outside /api and /apis
    `query`: the raw query string
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
    """Whether a raw query string has the parameter `watch` with a value other than "0" and "false"."""
    if "watch" not in query:
        return False
    flag = first_values(query).get("watch")
    return flag is not None and flag.lower() not in {"0", "false"}


def first_values(query: str) -> dict[str, str]:
    """Parses a raw query string to name -> value. If a parameter is repeated, the first value counts."""
    return dict(reversed(parse_qsl(query, keep_blank_values=True)))
