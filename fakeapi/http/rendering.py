"""Objects, lists and errors in the representation that the client asked for."""

import json
import re
from typing import Any

from fakeapi.http.messages import Request, Response
from fakeapi.http.negotiation import JSON, NO_CONVERSION, Representation, negotiate, prettified
from fakeapi.http.status import status_of
from fakeapi.http.transform import Conversion
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import yaml_text
from fakeapi.registry import stored_form
from fakeapi.registry.request_decoding import YAML
from fakeapi.registry.resource import Resource
from fakeapi.registry.verbs.listing import Listed

_UNPRINTABLE = re.compile("[\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")
"""What JSON leaves as it is and go-yaml's reader refuses, through which upstream passes JSON to make YAML."""


def render(body: bytes, shape: Representation) -> bytes:
    """JSON bytes in the media type that is wanted. Raises ApiError 500 for text that YAML cannot say."""
    if shape.media_type == YAML:
        if _UNPRINTABLE.search(body.decode()):
            raise ApiError(500, "", "yaml: control characters are not allowed")
        return yaml_text.dump(codec.decode(body))
    if shape.pretty:
        return indented(codec.decode(body))
    return body + b"\n"


def indented(value: Any) -> bytes:
    """JSON for people, as Go indents it: with no end of line at its end."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace")


def list_body(resource: Resource, listed: Listed, shown: Conversion | None = None) -> bytes:
    """JSON of a list, joined from the bytes of its items, or of what it is converted to."""
    metadata: dict[str, Any] = {"resourceVersion": str(listed.revision)}
    if listed.continue_token:
        metadata["continue"] = listed.continue_token
    if listed.remaining is not None:
        metadata["remainingItemCount"] = listed.remaining
    if shown is not None:
        return shown.of_list(
            metadata, (stored_form.with_version(entry.value, entry.revision) for entry in listed.entries)
        )
    prefix = resource.type_prefix
    items = b",".join([stored_form.list_item(entry, prefix) for entry in listed.entries])
    start = codec.encode(
        {"kind": resource.kind.list_kind, "apiVersion": resource.api_version, "metadata": metadata}
    )
    return b'%b,"items":[%b]}' % (start[:-1], items)


def refusal(error: ApiError, request: Request | None, warnings: list[str]) -> Response:
    """An error as the client can read it: never itself refused for the representation that it asks for.

    A client that accepts nothing but conversions, or nothing that is served, gets indented JSON.
    """
    response = Response(error.code, b"", warnings=warnings)
    if error.retry_after is not None:
        response.headers.append((b"retry-after", str(error.retry_after).encode()))
    status = status_of(error)
    try:
        shape = Representation()
        if request is not None:
            shape = negotiate(request.header(b"accept"), NO_CONVERSION)
            shape = prettified(shape, request.query.first, request.user_agent)
    except ApiError:
        shape = Representation(JSON, pretty=True)
    try:
        response.body = render(codec.encode(status), shape)
    except ApiError:
        shape = Representation()
        response.body = render(codec.encode(status), shape)
    response.media_type = shape.media_type
    return response
