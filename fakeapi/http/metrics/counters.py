"""Counters: counts the requests of a server by their labels.

Each request costs one dict look-up and a few increments. The sums are computed only when a client reads
/metrics.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from fakeapi.http.context import RequestContext
from fakeapi.http.metrics.labels import APPLY, dry_run_label, is_apply, labels_of_page, resource_labels
from fakeapi.http.metrics.series import BYTES, SECONDS, Labels, Series
from fakeapi.http.response import AnyResponse, LazyResponse, Response

SERIES_MAX = 10_000
"""Maximum number of label combinations.

Above this limit, the server does not count requests with new combinations.
"""

MUTATING, READ_ONLY, LONG_RUNNING = range(3)
_KINDS = {"get": READ_ONLY, "list": READ_ONLY, "watch": LONG_RUNNING}
_SIZED = frozenset(("get", "list"))
_NO_LABEL = ""
_QUICK, _SMALL = SECONDS[0], BYTES[0]


class WatchedResource(NamedTuple):
    """The API group, version, resource and kind of a watch."""

    group: str
    version: str
    resource: str
    kind: str


class Counters:
    """The counts of one server since its start or its last reset.

    - `active`: the number of requests in progress, by MUTATING, READ_ONLY and LONG_RUNNING.
    - `events`: the number of events that ended watches have sent.
    """

    def __init__(self, serves: Callable[[str, str, str, str], bool]) -> None:
        """Creates counters without requests.

        `serves`: a function that returns whether the server serves a group, version, resource and
        subresource.
        """
        self.active = [0, 0, 0]
        self.events: Counter[WatchedResource] = Counter()
        self._serves = serves
        self._series: dict[tuple[object, ...], Series] = {}

    def series(self) -> list[Series]:
        return list(self._series.values())

    def begin(self, verb: str) -> float:
        """Counts a request in progress. Returns its start time, the argument `began` of `end`."""
        self.active[_KINDS.get(verb, MUTATING)] += 1
        return perf_counter()

    def end(self, ctx: RequestContext, response: AnyResponse | None, began: float) -> None:
        """Counts a finished request.

        - `response`: the response; None if the client disconnected before the response was ready. Without a
          response, the request is not counted.
        - `began`: the result of `begin`.
        """
        seconds = perf_counter() - began
        verb = ctx.verb
        self.active[_KINDS.get(verb, MUTATING)] -= 1
        if response is None:
            return
        resource, info = ctx.resource, ctx.info
        if resource is None or info is None:
            self._end_without_resource(ctx, response, seconds)
            return
        dry_run = _NO_LABEL
        if verb == "patch" and is_apply(ctx):
            verb = APPLY
        if query := ctx.request.query_string:
            dry_run = dry_run_label(ctx.request.query) if b"dryRun" in query else _NO_LABEL
        scope = 2 if info.name else 1 if info.namespace else 0
        kind = resource.kind  # the key has only names, so that the key does not keep a deleted CRD
        key = (
            kind.group,
            kind.version,
            kind.resource,
            verb,
            response.status,
            info.subresource,
            scope,
            dry_run,
        )
        series = self._series.get(key)
        if series is None:
            series = self._add(key, resource_labels(ctx, verb, dry_run), response.status)
        # The comparison is faster than bisect_left, and most requests belong to the first bucket.
        series.durations[0 if seconds <= _QUICK else bisect_left(SECONDS, seconds)] += 1
        series.seconds += seconds
        if verb in _SIZED:
            size = len(response.body) if type(response) is Response else _size(response)
            series.sizes[0 if size <= _SMALL else bisect_left(BYTES, size)] += 1
            series.total_size += size
        elif verb == "watch" and ctx.watch is not None:
            self.events[watched(ctx)] += ctx.watch.sent + ctx.watch.bookmarks

    def _end_without_resource(self, ctx: RequestContext, response: AnyResponse, seconds: float) -> None:
        """Counts a finished request that did not reach a resource.

        Counts only pages such as /healthz, and requests that a fault has affected. Like kube-apiserver,
        ignores other requests, for example most responses 401, 403 and 404.
        """
        info = ctx.info
        if info is not None and info.resource:
            refused = ctx.faults and self._serves(info.group, info.version, info.resource, info.subresource)
            labels = resource_labels(ctx, ctx.verb, dry_run_label(ctx.request.query)) if refused else None
        else:
            labels = labels_of_page(ctx, response)
        if labels is None:
            return
        key = (labels, response.status)
        series = self._series.get(key) or self._add(key, labels, response.status)
        series.durations[bisect_left(SECONDS, seconds)] += 1
        series.seconds += seconds

    def _add(self, key: tuple[object, ...], labels: Labels, code: int) -> Series:
        """Returns a new series without requests. Above SERIES_MAX, /metrics does not show the series."""
        series = Series(labels, code)
        if len(self._series) < SERIES_MAX:
            self._series[key] = series
        return series


def watched(ctx: RequestContext) -> WatchedResource:
    """Returns the resource of a watch."""
    assert ctx.resource is not None, "a watch has a resource"
    kind = ctx.resource.kind
    return WatchedResource(kind.group, kind.version, kind.resource, kind.kind)


def _size(response: AnyResponse) -> int:
    if isinstance(response, LazyResponse):
        return response.sent
    return len(response.body) if isinstance(response, Response) else 0
