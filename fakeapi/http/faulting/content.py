"""Content: reads the body and the labels of a request only once, for all faults that need these data."""

from collections.abc import Mapping
from typing import Any

from fakeapi.cluster import Cluster
from fakeapi.faults.armed import ArmedFault
from fakeapi.http.context import RequestContext
from fakeapi.http.negotiation import parsed_media_type
from fakeapi.machinery import codec
from fakeapi.machinery.cbor import CborError
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.patch.media_types import APPLY_CBOR_PATCH, APPLY_PATCH
from fakeapi.registry.requests.decoding import CBOR, PROTOBUF, YAML, Unreadable, parse, read_object
from fakeapi.registry.requests.options import Warnings
from fakeapi.registry.stored import form as stored_form

_UNREAD: Any = object()
_PARSED_AS = {YAML: YAML, APPLY_PATCH: YAML, CBOR: CBOR, APPLY_CBOR_PATCH: CBOR}


class Content:
    """The body of one request and the labels of its object.

    Reads the body and labels only when a fault compares the body or labels.
    """

    def __init__(self, ctx: RequestContext, cluster: Cluster) -> None:
        self._ctx = ctx
        self._cluster = cluster
        self._body: Any = _UNREAD

    async def fits(self, fault: ArmedFault) -> bool:
        """Whether the body and the labels of the request match the rule of a fault.

        The labels come from the body. If the body has no labels, the labels come from the stored object.

        Raises ApiError 413 if the body is too long, and ClientGone if the client disconnects.
        """
        if not fault.looks_into_body:
            return True
        body = await self._decoded()
        if fault.looks_at_labels and not fault.matches_labels(_labels(body) or self._stored_labels()):
            return False
        return fault.matches_body(body)

    async def name(self) -> str:
        """Returns the `metadata.name` in the body; "" if the body has no name.

        Raises ApiError 413 if the body is too long, and ClientGone if the client disconnects.
        """
        body = await self._decoded()
        metadata = body.get("metadata") if isinstance(body, dict) else None
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return name if isinstance(name, str) else ""

    async def _decoded(self) -> Any:
        """Returns the decoded body; None if the body is empty or cannot be decoded.

        The handler of the request can read the body again afterwards. Raises ApiError 413 if the body is too
        long, and ClientGone if the client disconnects.
        """
        if self._body is _UNREAD:
            request = self._ctx.request
            try:
                sent = await request.body()
            except ApiError:
                self._body = None
                raise
            request.unread(sent)
            self._body = self._value(sent) if sent else None
        return self._body

    def _value(self, sent: bytes) -> Any:
        """Decodes a body in JSON, YAML, protobuf or CBOR. Returns None for a body that is not valid."""
        media_type = parsed_media_type(self._ctx.request.header(b"content-type"))
        try:
            if media_type == PROTOBUF:
                return self._of_protobuf(sent)
            if media_type in _PARSED_AS:
                return parse(sent, _PARSED_AS[media_type])[0]
            return codec.decode(sent)
        except (codec.JsonError, Unreadable, CborError, ApiError):
            return None

    def _of_protobuf(self, sent: bytes) -> Any:
        info = self._ctx.info
        if info is None:
            return None
        resource = self._cluster.catalogue.find(info.group, info.version, info.resource)
        if resource is None:
            return None
        subresource = resource.subresources.get(info.subresource)
        body_type = resource.body_type if subresource is None else subresource.body_type
        return read_object(body_type, sent, PROTOBUF, "Ignore", Warnings())

    def _stored_labels(self) -> Mapping[str, str]:
        info = self._ctx.info
        if info is None or not info.name:
            return {}
        resource = self._cluster.catalogue.find(info.group, info.version, info.resource)
        entry = (
            None if resource is None else self._cluster.storage.get(resource.key(info.namespace, info.name))
        )
        return {} if entry is None else _labels(stored_form.decode(entry))


def _labels(obj: Any) -> Mapping[str, str]:
    """Returns the labels of an object; an empty mapping for missing or malformed labels."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return labels if isinstance(labels, dict) else {}
