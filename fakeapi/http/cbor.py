"""Answers in CBOR: bodies that are made as JSON, encoded by the type that they name.

Follows k8s.io/apimachinery `pkg/runtime/serializer/cbor`. A watch is a CBOR sequence of WatchEvents.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.cbor.encoding import encode, watch_event
from fakeapi.releases.offered import RELEASES
from fakeapi.releases.release import ReleaseKinds, kinds_of_release


def encode_body(body: bytes, kinds: ReleaseKinds | None = None) -> bytes:
    """The CBOR form of the JSON of an object, list or Status; `kinds` are those of its release."""
    obj: dict[str, Any] = codec.decode(body)
    kind, api_version = obj.get("kind", ""), obj.get("apiVersion", "")
    return encode(obj, (kinds or kinds_of_release(RELEASES[-1])).type_of(api_version, kind))


def watch_frame(event_type: str, body: bytes, kinds: ReleaseKinds) -> bytes:
    """One event of a watch stream for the JSON of an object."""
    return watch_event(event_type, encode_body(body, kinds))
