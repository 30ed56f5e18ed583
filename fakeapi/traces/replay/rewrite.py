"""Translates recorded requests to the uids, resourceVersions and names of the replay target."""

from fakeapi.clients.messages import Headers, first_header
from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.patch.media_types import JSON_PATCH
from fakeapi.traces.analysis.identity_map import STALE_VERSION, IdentityMap
from fakeapi.traces.analysis.request_facts import COLLECTIONS, RequestFacts, head_of
from fakeapi.traces.messages import CBOR, PROTOBUF
from fakeapi.traces.model import Exchange

_NOT_SENT = frozenset(
    {"authorization", "cookie", "host", "content-length", "connection", "transfer-encoding"}
)


class NotRewritable(Exception):
    """Raised for a body whose media type cannot be translated. The message names the media type."""


def rewritten_request(
    exchange: Exchange, facts: RequestFacts, identities: IdentityMap, *, keep_names: bool = False
) -> tuple[str, Headers, bytes]:
    """Translates a recorded request for the replay target.

    Returns the path with the query, the headers, and the body. `keep_names`: whether new objects get the
    names that the recorded server generated. Raises NotRewritable if the body is in a binary format such as
    protobuf.
    """
    request = exchange.request
    collection = facts.path.collection if facts.verb in COLLECTIONS else ""
    target = identities.target(request.target, collection)
    headers = sent_headers(exchange)
    body = request.body
    if not body:
        return target, headers, body
    media = first_header(request.headers, "content-type")
    if media.startswith((PROTOBUF, CBOR)):
        raise NotRewritable(media.partition(";")[0])
    if b'Timestamp"' in body:
        body = identities.forward_times(body, head_of(body).metadata.uid)
    unknown = None
    if facts.verb in {"update", "patch"}:
        # A request that got 409 must have a stale version again; a successful request must not.
        unknown = STALE_VERSION if facts.status == 409 else "" if facts.status < 300 else None
    if media.startswith(JSON_PATCH):
        return target, headers, identities.forward_json_patch(body, unknown=unknown)
    if keep_names and facts.verb == "create" and facts.status < 300:
        body = with_name(body, facts.path.name)
    return target, headers, identities.forward(body, unknown=unknown)


def with_name(body: bytes, name: str) -> bytes:
    """Adds this name to a JSON body that has generateName and no name.

    Returns other bodies unchanged.
    """
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
    """Returns the recorded request headers without credentials and connection headers.

    If no Accept header was recorded, adds one for JSON.
    """
    headers = tuple(pair for pair in exchange.request.headers if pair[0].lower() not in _NOT_SENT)
    if first_header(headers, "accept"):
        return headers
    return (*headers, ("accept", "application/json"))
