"""The error responses of faults, equal to error responses of kube-apiserver."""

from fakeapi.faults.actions import Refuse
from fakeapi.http.context import RequestContext
from fakeapi.http.filters.errors import refusal
from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery.errors import ApiError, Cause, Details, Qualified
from fakeapi.registry.model.catalogue import Catalogue


def refusal_of(action: Refuse, ctx: RequestContext, catalogue: Catalogue, new_name: str = "") -> Response:
    """Returns the error response of the action Refuse, in a representation that the client accepts.

    `new_name`: the object's name if the path has none, as in a create request.
    """
    info = ctx.info
    group, resource, name = ("", "", "") if info is None else (info.group, info.resource, info.name)
    served = None if info is None else catalogue.find(info.group, info.version, info.resource)
    kind = served.kind.kind if served is not None else resource
    name = name or new_name
    words = action.message
    if action.reason == "Forbidden" and not name:
        words = words.replace(' "{name}"', "")  # NewForbidden of k8s.io/apimachinery also omits ""
    message = (
        words.replace("{resource}", str(Qualified(group, resource)))
        .replace("{kind}", str(Qualified(group, kind)))
        .replace("{name}", name)
    )
    if action.plain_text:
        response = Response(action.code, message.encode(), PLAIN_TEXT)
        if action.retry_after is not None:
            response.headers.append((b"retry-after", str(action.retry_after).encode()))
        return response
    causes = tuple(Cause(cause.reason, cause.message, cause.field) for cause in action.causes)
    details = None
    if action.details:
        details_kind = kind if action.reason == "Invalid" else resource
        details = Details(
            name=name,
            group=group,
            kind=details_kind,
            causes=causes,
            retry_after_seconds=action.retry_after or 0,
        )
    elif causes or action.retry_after is not None:
        details = Details(causes=causes, retry_after_seconds=action.retry_after or 0)
    return refusal(ApiError(action.code, action.reason, message, details, action.retry_after), ctx)
