"""Converts JSON responses to CBOR, with the Go types of their `apiVersion` and `kind`.

Follows k8s.io/apimachinery `pkg/runtime/serializer/cbor`. A watch is a CBOR sequence of WatchEvents.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.cbor.encoding import encode, watch_event
from fakeapi.releases.offered import RELEASES
from fakeapi.releases.release import ReleaseKinds, kinds_of_release


def encode_body(body: bytes, kinds: ReleaseKinds | None = None) -> bytes:
    """Converts the JSON of an object, list or Status to CBOR.

    `kinds`: the kinds of the object's release; None uses the kinds of the newest release.
    """
    obj: dict[str, Any] = codec.decode(body)
    kind, api_version = obj.get("kind", ""), obj.get("apiVersion", "")
    return encode(obj, (kinds or kinds_of_release(RELEASES[-1])).type_of(api_version, kind))


def watch_frame(event_type: str, body: bytes, kinds: ReleaseKinds) -> bytes:
    """Returns a WatchEvent in CBOR. `body`: the JSON of the event's object."""
    return watch_event(event_type, encode_body(body, kinds))
