"""Rewrites recorded requests for the target."""

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.patch.media_types import JSON_PATCH
from fakeapi.traces.analysis.identity_map import STALE_VERSION, IdentityMap
from fakeapi.traces.analysis.request_facts import RequestFacts, head_of
from fakeapi.traces.messages import CBOR, PROTOBUF, first
from fakeapi.traces.model import Exchange, Headers

_NOT_SENT = frozenset(
    {"authorization", "cookie", "host", "content-length", "connection", "transfer-encoding"}
)


class NotRewritable(Exception):
    """The body is in a format in which identities cannot be rewritten; the message names it."""


def rewritten_request(
    exchange: Exchange, facts: RequestFacts, identities: IdentityMap, *, keep_names: bool = False
) -> tuple[str, Headers, bytes]:
    """Target, headers and body of a request for the target server. Raises NotRewritable.

    `keep_names`: request the name that the recorded server generated.
    """
    request = exchange.request
    target = identities.target(request.target)
    headers = sent_headers(exchange)
    body = request.body
    if not body:
        return target, headers, body
    media = first(request.headers, "content-type")
    if media.startswith((PROTOBUF, CBOR)):
        raise NotRewritable(media.partition(";")[0])
    if b'Timestamp"' in body:
        body = identities.forward_times(body, head_of(body).metadata.uid)
    unknown = None
    if facts.verb in {"update", "patch"}:
        # A request refused as stale must be stale here; one that was accepted named the current version.
        unknown = STALE_VERSION if facts.status == 409 else "" if facts.status < 300 else None
    if media.startswith(JSON_PATCH):
        return target, headers, identities.forward_json_patch(body, unknown=unknown)
    if keep_names and facts.verb == "create" and facts.status < 300:
        body = with_name(body, facts.path.name)
    return target, headers, identities.forward(body, unknown=unknown)


def with_name(body: bytes, name: str) -> bytes:
    """A JSON body with this name in place of generateName."""
    if b'"generateName"' not in body:
        return body
    try:
        value = decode(body)
    except JsonError:
        return body
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict) or metadata.get("name") or not metadata.get("generateName"):
        return body
    metadata["name"] = name
    return encode(value)


def sent_headers(exchange: Exchange) -> Headers:
    """The recorded headers without credentials and without those of the connection."""
    headers = tuple(pair for pair in exchange.request.headers if pair[0].lower() not in _NOT_SENT)
    if first(headers, "accept"):
        return headers
    return (*headers, ("accept", "application/json"))
