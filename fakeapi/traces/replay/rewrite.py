"""Recorded requests as they must be sent now."""

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.patch.media_types import JSON_PATCH
from fakeapi.traces.model import Exchange, Headers
from fakeapi.traces.recording.messages import first
from fakeapi.traces.replay.identity_map import STALE_VERSION, Identities
from fakeapi.traces.replay.request_facts import Facts, head_of

_NOT_SENT = frozenset(
    {"authorization", "cookie", "host", "content-length", "connection", "transfer-encoding"}
)
_BINARY = ("application/vnd.kubernetes.protobuf", "application/cbor")


class Unsendable(Exception):
    """The identities in a body cannot be rewritten; the message says why."""


def request_now(
    exchange: Exchange, facts: Facts, identities: Identities, *, keep_names: bool = False
) -> tuple[str, Headers, bytes]:
    """Target, headers and body. `keep_names`: a name that was generated is asked for. Raises Unsendable."""
    request = exchange.request
    target = identities.target(request.target)
    headers = headers_now(exchange)
    body = request.body
    if not body:
        return target, headers, body
    media = first(request.headers, "content-type")
    if media.startswith(_BINARY):
        raise Unsendable(f"a body in {media.partition(';')[0]}")
    if b'Timestamp"' in body:
        body = identities.forward_times(body, head_of(body).metadata.uid)
    unknown = None
    if facts.verb in {"update", "patch"}:
        # What was refused as old must be old here; what was accepted was current, whatever its version.
        unknown = STALE_VERSION if facts.status == 409 else "" if facts.status < 300 else None
    if media.startswith(JSON_PATCH):
        return target, headers, identities.forward_json_patch(body, unknown=unknown)
    if keep_names and facts.verb == "create" and facts.status < 300:
        body = with_name(body, facts.address.name)
    return target, headers, identities.forward(body, unknown=unknown)


def with_name(body: bytes, name: str) -> bytes:
    """A body in JSON that asks for a name, where it asked for a generated one."""
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


def headers_now(exchange: Exchange) -> Headers:
    """What was asked for, without who asked and without what belongs to a connection."""
    headers = tuple(pair for pair in exchange.request.headers if pair[0] not in _NOT_SENT)
    if first(headers, "accept"):
        return headers
    return (*headers, ("accept", "application/json"))
