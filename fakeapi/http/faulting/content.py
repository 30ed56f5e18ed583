"""Content: what rules ask of a request's body and of its object's labels, read once."""

from collections.abc import Mapping
from typing import Any

from fakeapi.cluster import Cluster
from fakeapi.faults.armed import ArmedFault
from fakeapi.http.context import RequestContext
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.registry import stored_form

_UNREAD: Any = object()


class Content:
    """The body and the labels of one request, read when a rule first asks for them."""

    def __init__(self, ctx: RequestContext, cluster: Cluster) -> None:
        self._ctx = ctx
        self._cluster = cluster
        self._body: Any = _UNREAD

    async def fits(self, fault: ArmedFault) -> bool:
        """Whether body and labels are those that the fault's rule names."""
        if not fault.looks_into_body:
            return True
        body = await self._decoded()
        if fault.looks_at_labels and not fault.matches_labels(_labels(body) or self._stored_labels()):
            return False
        return fault.matches_body(body)

    async def _decoded(self) -> Any:
        """The body's JSON, None where it is none; who reads it after this gets it as it came."""
        if self._body is _UNREAD:
            request = self._ctx.request
            try:
                sent = await request.body()
            except ApiError:
                self._body = None
                raise
            request.unread(sent)
            try:
                self._body = codec.decode(sent) if sent else None
            except codec.JsonError:
                self._body = None
        return self._body

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
    """The labels of an object; none where they are not what they should be."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return labels if isinstance(labels, dict) else {}
