"""Serves the path /metrics, and keeps the counts for it.

Follows k8s.io/apiserver `pkg/server/routes/metrics.go`.
"""

from collections.abc import Callable

from fakeapi.http.metrics.counters import Counters
from fakeapi.http.request import Request
from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.http.watch import Watches
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi_storage import Storage

METRICS = "/metrics"


class MetricsPage:
    """Serves the path /metrics.

    - `counters`: the counts since the start or the last reset.
    - `audit_events`: returns the number of audit events since the start.
    """

    def __init__(
        self, storage: Storage, catalogue: Catalogue, watches: Watches, audit_events: Callable[[], int]
    ) -> None:
        self._audit_events = audit_events
        self._audit_events_before = 0
        self._storage = storage
        self._catalogue = catalogue
        self._watches = watches
        self.counters = Counters(self._serves)

    def reset(self) -> None:
        """Sets all counts to zero. Requests that are in progress at this moment are never counted."""
        self._audit_events_before = self._audit_events()
        self.counters = Counters(self._serves)

    def document(self, request: Request) -> Response:
        """Returns all metrics as text.

        For a DELETE request, resets the counts instead, like kube-apiserver.
        """
        if request.method == "DELETE":
            self.reset()
            return Response(200, b"metrics reset\n", PLAIN_TEXT)
        from fakeapi.http.metrics import families  # noqa: PLC0415 - loaded only for this page

        watches = [watch.ctx for watch in self._watches.all_open()]
        audited = self._audit_events() - self._audit_events_before
        text = families.text(self.counters, watches, audited, self._storage, self._catalogue)
        return Response(200, text.encode(), self._catalogue.primary.quirks.metrics_media_type)

    def _serves(self, group: str, version: str, name: str, subresource: str) -> bool:
        resource = self._catalogue.find(group, version, name)
        return resource is not None and (not subresource or subresource in resource.subresources)
