"""The labels of a request in metrics.

Follows `cleanVerb`, `CleanScope` and `cleanDryRun` of k8s.io/apiserver `pkg/endpoints/metrics/metrics.go`.
"""

from fakeapi.http.context import RequestContext
from fakeapi.http.metrics.series import Labels
from fakeapi.http.query import Query
from fakeapi.http.response import AnyResponse
from fakeapi.machinery.meta.request_info import CONNECTING, RequestInfo
from fakeapi.machinery.patch.media_types import APPLY_PATCH

COMPONENT = "apiserver"
APPLY = "apply"
_VERBS = {
    "get": "GET",
    "list": "LIST",
    "watch": "WATCH",
    "create": "POST",
    "update": "PUT",
    "patch": "PATCH",
    APPLY: "APPLY",
    "delete": "DELETE",
    "deletecollection": "DELETE",
}
_APPLY_PATCH = APPLY_PATCH.encode()
_HEALTH = ("/healthz", "/livez", "/readyz")
_DISCOVERY = ("/api", "/apis")
_OPENAPI = "openapi/v3"
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def verb_label(verb: str, subresource: str) -> str:
    """Returns the label `verb` of a request for a resource, such as LIST for the verb "list"."""
    return "CONNECT" if subresource in CONNECTING else _VERBS.get(verb, "other")


def scope_label(verb: str, info: RequestInfo) -> str:
    """Returns the label `scope`: "resource" for one object, otherwise "namespace" or "cluster"."""
    if info.name or verb == "create":
        return "resource"
    return "namespace" if info.namespace else "cluster"


def dry_run_label(query: Query) -> str:
    """Returns the label `dry_run`: "All", "invalid", or "" for a request without the parameter."""
    values = set(query.all("dryRun"))
    if not values:
        return ""
    return "All" if values == {"All"} else "invalid"


def is_apply(ctx: RequestContext) -> bool:
    """Whether a PATCH is a server-side apply in YAML. Apply in CBOR has the label PATCH, as upstream."""
    return ctx.request.headers.get(b"content-type") == _APPLY_PATCH


def resource_labels(ctx: RequestContext, verb: str, dry_run: str) -> Labels:
    """Returns the labels of a request for a resource. `verb`: a Kubernetes verb, or APPLY."""
    info = ctx.info
    assert info is not None, "the request is for a resource"
    return Labels(
        COMPONENT,
        dry_run,
        info.group,
        info.resource,
        scope_label(verb, info),
        info.subresource,
        verb_label(verb, info.subresource),
        info.version,
    )


def labels_of_page(ctx: RequestContext, response: AnyResponse) -> Labels | None:
    """Returns the metric labels of a request for a path without a resource; None for uncounted requests.

    kube-apiserver counts only requests for health, OpenAPI v3 and aggregated discovery, and no error
    responses.
    """
    page = _page(ctx.request.path, response.media_type) if response.status < 400 else None
    if page is None:
        return None
    subresource, component = page
    method = ctx.request.method
    verb = "GET" if method == "HEAD" else method
    return Labels(component, "", "", "", "", subresource, verb if verb in _METHODS else "other", "")


def _page(path: str, media_type: str) -> tuple[str, str] | None:
    """Returns the labels `subresource` and `component` of a path; None for a path that is not counted.

    `media_type`: the Content-Type of the response.
    """
    if path in _HEALTH:
        return path, ""
    if path == f"/{_OPENAPI}":
        return _OPENAPI, ""
    if path.startswith(f"/{_OPENAPI}/"):
        return f"{_OPENAPI}/", ""
    if path in _DISCOVERY and "apidiscovery" in media_type:
        return path, COMPONENT
    return None
