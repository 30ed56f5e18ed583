"""Builds the metric families of /metrics from the counts of requests and from the state of a server.

Follows k8s.io/apiserver `pkg/endpoints/metrics/metrics.go`, `pkg/storage/etcd3/metrics/metrics.go` and
`pkg/audit/metrics.go`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import ceil

from fakeapi.http.context import RequestContext
from fakeapi.http.metrics.counters import MUTATING, READ_ONLY, Counters, watched
from fakeapi.http.metrics.labels import resource_labels
from fakeapi.http.metrics.process import process_families
from fakeapi.http.metrics.series import BYTES, SECONDS, Labels, Series
from fakeapi.http.metrics.text import Family, Histogram, LabelPairs, text_of
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.keys import first_keys
from fakeapi.releases import Release
from fakeapi_storage import Storage

SEATS = 600
"""The default number of concurrent requests of kube-apiserver: 400 that read and 200 that write."""

_LEVELS = "/flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/"


def text(
    counters: Counters,
    watches: Sequence[RequestContext],
    audit_events: int,
    storage: Storage,
    catalogue: Catalogue,
) -> str:
    """Returns the text of /metrics.

    - `watches`: the requests of open watches.
    - `audit_events`: the number of audit events.
    """
    release = catalogue.primary
    families = chain(
        request_families(counters.series()),
        activity_families(counters, watches, release),
        object_families(storage, catalogue),
        process_families(),
        (build_family(release), audit_family(audit_events), seats_family(storage)),
    )
    return text_of(families)


def request_families(series: Iterable[Series]) -> Iterator[Family]:
    """Yields the metrics of finished requests: their number, their durations and the sizes of their
    responses.
    """
    total: Counter[LabelPairs] = Counter()
    durations: dict[LabelPairs, list[Series]] = defaultdict(list)
    sizes: dict[LabelPairs, list[Series]] = defaultdict(list)
    for one in series:
        labels = _pairs(one.labels)
        total[(("code", str(one.code)), *labels)] += sum(one.durations)
        durations[labels].append(one)
        if any(one.sizes):
            sizes[_without_dry_run(one.labels)].append(one)
    yield Family("apiserver_request_total", "counter", "Requests by labels and status code.", total)
    yield Family(
        "apiserver_request_duration_seconds",
        "histogram",
        "Seconds from the arrival of a request to the end of its response.",
        {
            labels: Histogram(_sums(one.durations for one in each), sum(one.seconds for one in each))
            for labels, each in durations.items()
        },
        SECONDS,
    )
    yield Family(
        "apiserver_response_sizes",
        "histogram",
        "Bytes in the responses to GET and LIST.",
        {
            labels: Histogram(_sums(one.sizes for one in each), sum(one.total_size for one in each))
            for labels, each in sizes.items()
        },
        BYTES,
    )


def activity_families(
    counters: Counters, watches: Iterable[RequestContext], release: Release
) -> Iterator[Family]:
    """Yields the metrics of requests in progress and of watch events.

    `watches`: the requests of open watches.
    """
    yield Family(
        "apiserver_current_inflight_requests",
        "gauge",
        "Requests in progress, without watches.",
        {
            (("request_kind", "mutating"),): counters.active[MUTATING],
            (("request_kind", "readOnly"),): counters.active[READ_ONLY],
        },
    )
    running: Counter[LabelPairs] = Counter()
    events = Counter(counters.events)
    for ctx in watches:
        running[_without_dry_run(resource_labels(ctx, ctx.verb, ""))] += 1
        if ctx.watch is not None:
            events[watched(ctx)] += ctx.watch.sent + ctx.watch.bookmarks
    yield Family("apiserver_longrunning_requests", "gauge", "Open watches.", running)
    by_resource = release.quirks.metrics_name_resources
    samples: Counter[LabelPairs] = Counter()
    for of, count in events.items():
        what = ("resource", of.resource) if by_resource else ("kind", of.kind)
        samples[tuple(sorted((("group", of.group), ("version", of.version), what)))] += count
    yield Family("apiserver_watch_events_total", "counter", "Events that watches have sent.", samples)


def object_families(storage: Storage, catalogue: Catalogue) -> Iterator[Family]:
    """Yields the metrics with the numbers of stored objects. Uses the metric names of the release."""
    kinds = (resource.kind for resource in catalogue.resources)
    counts = {(kind.group, kind.resource): 0 for kind in kinds if "watch" in kind.verbs}
    for key in first_keys(storage):
        page = storage.list(key.prefix, limit=1)
        before = counts.get((key.group, key.resource), 0)
        counts[key.group, key.resource] = before + len(page.entries) + page.remaining
    quirks, text = catalogue.primary.quirks, "Stored objects by resource."
    if quirks.metrics_have_storage_objects:
        named: dict[LabelPairs, int] = {
            (("resource", f"{name}.{group}" if group else name),): count
            for (group, name), count in counts.items()
        }
        yield Family("apiserver_storage_objects", "gauge", text, named)
    if quirks.metrics_name_resources:
        pairs: dict[LabelPairs, int] = {
            (("group", group), ("resource", name)): count for (group, name), count in counts.items()
        }
        yield Family("apiserver_resource_objects", "gauge", text, pairs)


def seats_family(storage: Storage) -> Family:
    """Returns the metric with the share of each stored PriorityLevelConfiguration in the concurrent requests.

    fakeapi does not limit concurrent requests. Follows k8s.io/apiserver `pkg/util/flowcontrol`.
    """
    entries = storage.list(_LEVELS, start_after=None, limit=None, at=None).entries
    shares = dict(map(_shares, map(stored_form.decode, entries)))
    total = max(1, sum(shares.values()))
    name, text = "apiserver_flowcontrol_nominal_limit_seats", "Nominal number of seats by priority level."
    seats: dict[LabelPairs, int] = {
        (("priority_level", level),): ceil(SEATS * share / total) for level, share in shares.items()
    }
    return Family(name, "gauge", text, seats)


def _shares(level: Object) -> tuple[str, int]:
    spec = level["spec"]
    fields = spec.get("limited") or spec.get("exempt") or {}
    return level["metadata"]["name"], fields.get("nominalConcurrencyShares", 0)


def audit_family(count: int) -> Family:
    """Returns the metric with the number of audit events."""
    return Family("apiserver_audit_event_total", "counter", "Events in the audit log.", {(): count})


def build_family(release: Release) -> Family:
    """Returns the metric with the version of the release."""
    info = release.version_info()
    names = {
        "build_date": "buildDate",
        "compiler": "compiler",
        "git_commit": "gitCommit",
        "git_tree_state": "gitTreeState",
        "git_version": "gitVersion",
        "go_version": "goVersion",
        "major": "major",
        "minor": "minor",
        "platform": "platform",
    }
    labels = tuple((label, info[name]) for label, name in names.items())
    return Family("kubernetes_build_info", "gauge", "Always 1; the labels name the release.", {labels: 1})


def _pairs(labels: Labels) -> LabelPairs:
    return tuple(zip(Labels._fields, labels, strict=True))


def _without_dry_run(labels: Labels) -> LabelPairs:
    return tuple(pair for pair in _pairs(labels) if pair[0] != "dry_run")


def _sums(rows: Iterable[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]
