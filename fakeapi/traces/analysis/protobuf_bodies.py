"""Converts protobuf bodies of exchanges to JSON, so that a replay can rewrite and compare them.

client-go requests and sends built-in kinds in protobuf. The schema of a kind comes from the trace's release.
If that release does not have the kind, the schema comes from another release. Follows k8s.io/apimachinery
`pkg/runtime/serializer/protobuf`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

from fakeapi.clients.messages import Headers, Response, first_header
from fakeapi.machinery.codec import encode
from fakeapi.machinery.schema import protobuf, protobuf_wire
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases import COMPILED_RELEASES
from fakeapi.releases.release import ReleaseKinds, UnknownReleaseError, known_name, release_with
from fakeapi.traces.messages import PROTOBUF
from fakeapi.traces.model import Exchange, Request, StreamEvent

JSON = "application/json"
_NOT_ACCEPTABLE = 406
_EVENT_TYPE, _EVENT_OBJECT, _RAW = 1, 2, 1
"""The protobuf field numbers of `type` and `object` in meta/v1.WatchEvent, and of `raw` in RawExtension."""


class ProtobufBodies:
    """Converts the protobuf bodies of one trace to JSON."""

    def __init__(self, release: str = "") -> None:
        """Creates a converter for one trace.

        `release`: the release of the recorded server, such as "1.31"; "" if unknown.
        """
        self._release = release
        self._structs: dict[tuple[str, str], Struct | None] = {}

    def in_json(self, exchange: Exchange) -> Exchange:
        """Returns the exchange as if client and server had used JSON.

        Does not change exchanges without protobuf, and bodies that cannot be decoded.
        """
        request = self._request(exchange)
        response, events = exchange.response, exchange.events
        if response is not None and _is_protobuf(response.headers):
            body = self._converted(response.body, self._object)
            lines = None if events is None else tuple(self._events(events))
            if body is not None and (lines is None or None not in lines):
                response = Response(response.status, _with_type(response.headers), body)
                events = None if lines is None else tuple(line for line in lines if line is not None)
        if request is exchange.request and response is exchange.response:
            return exchange
        return replace(exchange, request=request, response=response, events=events)

    def _request(self, exchange: Exchange) -> Request:
        request, response = exchange.request, exchange.response
        headers, body = request.headers, request.body
        if body and _is_protobuf(headers):
            converted = self._converted(body, self._object)
            if converted is not None:
                headers, body = _with_type(headers), converted
        refused = response is not None and response.status == _NOT_ACCEPTABLE
        if PROTOBUF in first_header(headers, "accept") and not refused:
            headers = tuple(
                (name, _without_protobuf(value) if name == "accept" else value) for name, value in headers
            )
        return request if headers is request.headers else replace(request, headers=headers, body=body)

    def _events(self, events: tuple[StreamEvent, ...]) -> Iterator[StreamEvent | None]:
        for event in events:
            line = self._converted(event.line, self._event)
            yield None if line is None else StreamEvent(event.offset, line)

    @staticmethod
    def _converted(data: bytes, convert: Callable[[bytes], bytes]) -> bytes | None:
        if not data:
            return data
        try:
            return convert(data)
        except (protobuf.ProtobufError, protobuf_wire.WireError, DecodeError, ValueError, RecursionError):
            return None

    def _object(self, data: bytes) -> bytes:
        """Converts an object from protobuf, with its runtime.Unknown envelope, to JSON.

        Raises ProtobufError or DecodeError if the bytes are invalid or the kind has no schema.
        """
        kind, api_version, raw = protobuf.unwrap(data)
        schema = self._struct(api_version, kind)
        if schema is None:
            raise protobuf.ProtobufError(f"no schema for {api_version} {kind}")
        value, _ = decode(protobuf.decode(raw, schema), schema)
        value.pop("kind", None)
        value.pop("apiVersion", None)
        return encode({"kind": kind, "apiVersion": api_version, **value})

    def _event(self, frame: bytes) -> bytes:
        """Converts a frame of a watch from protobuf to JSON.

        Raises ProtobufError, WireError or DecodeError if the frame is not a valid WatchEvent.
        """
        fields = protobuf_wire.fields_of(frame)
        kind = fields[_EVENT_TYPE][-1] if _EVENT_TYPE in fields else b""
        extension = fields[_EVENT_OBJECT][-1] if _EVENT_OBJECT in fields else b""
        if isinstance(kind, int) or isinstance(extension, int):
            raise protobuf.ProtobufError("not a WatchEvent")
        raw = protobuf_wire.fields_of(extension).get(_RAW, [b""])[-1]
        if isinstance(raw, int):
            raise protobuf.ProtobufError("not a WatchEvent")
        return b'{"type":%s,"object":%s}' % (encode(kind.decode("utf-8", "replace")), self._object(raw))

    def _struct(self, api_version: str, kind: str) -> Struct | None:
        struct = self._structs.get((api_version, kind))
        if struct is None and (api_version, kind) not in self._structs:
            struct = next(iter(self._candidates(api_version, kind)), None)
            self._structs[api_version, kind] = struct
        return struct

    def _candidates(self, api_version: str, kind: str) -> Iterator[Struct]:
        for kinds in self._kinds_of_releases:
            if (struct := kinds.type_of(api_version, kind)) is not None:
                yield struct

    @cached_property
    def _kinds_of_releases(self) -> "_Releases":
        return _Releases(self._release)


class _Releases:
    """Iterates over the kinds of each release: first the trace's release, then the others, newest first.

    The data of each release are loaded on demand.
    """

    def __init__(self, release: str) -> None:
        try:
            own = (known_name(release),) if release else ()
        except UnknownReleaseError:
            own = ()
        self._names = tuple(dict.fromkeys((*own, *reversed(COMPILED_RELEASES))))

    def __iter__(self) -> Iterator[ReleaseKinds]:
        return (release_with(name, {}).all_kinds for name in self._names)


def _is_protobuf(headers: Headers) -> bool:
    return first_header(headers, "content-type").startswith(PROTOBUF)


def _with_type(headers: Headers) -> Headers:
    return tuple((name, JSON if name == "content-type" else value) for name, value in headers)


def _without_protobuf(accept: str) -> str:
    kept = [media_type for media_type in accept.split(",") if not media_type.strip().startswith(PROTOBUF)]
    return ",".join(kept).strip() or JSON
