"""Counts requests, clients, resources and missing parts of a trace."""

from collections import Counter
from dataclasses import dataclass, field

from fakeapi.machinery.meta import request_info
from fakeapi.traces.formats import native_lines
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange, Header


@dataclass(slots=True)
class Statistics:
    """Counts of the exchanges, writes, watches, clients, resources and status codes of a trace.

    - `seconds`: the end of the last response, in seconds from the start of the trace.
    - `bytes`: the size of all bodies, without watch events.
    """

    header: Header
    format: str
    exchanges: int = 0
    seconds: float = 0.0
    writes: int = 0
    watches: int = 0
    events: int = 0
    bytes: int = 0
    actors: Counter[str] = field(default_factory=Counter)
    resources: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    inferred: Counter[str] = field(default_factory=Counter)

    def add(self, exchange: Exchange) -> None:
        request, response = exchange.request, exchange.response
        self.exchanges += 1
        self.seconds = max(self.seconds, exchange.offset + exchange.duration)
        self.writes += request.method not in {"GET", "HEAD", "OPTIONS"}
        self.bytes += len(request.body) + (len(response.body) if response else 0)
        if exchange.events is not None:
            self.watches += 1
            self.events += len(exchange.events)
        self.actors[exchange.actor] += 1
        resource = resource_of(request.target)
        self.resources[resource] += 1
        self.requests["WATCH" if exchange.events is not None else request.method] += 1
        self.statuses[str(response.status) if response else "none"] += 1
        self.missing.update(map(str, exchange.missing))
        self.inferred.update(map(str, exchange.inferred))

    def as_json(self) -> dict[str, object]:
        return {
            "format": self.format,
            "server": self.header.server,
            "release": self.header.release,
            "started": native_lines.timestamp(self.header.started),
            "source": self.header.source,
            "redacted": list(self.header.redacted),
            "note": self.header.note,
            **{
                name: getattr(self, name)
                for name in ("exchanges", "seconds", "writes", "watches", "events", "bytes")
            },
            **{
                name: dict(getattr(self, name).most_common())
                for name in ("actors", "resources", "requests", "statuses", "missing", "inferred")
            },
        }


def statistics(reader: TraceReader) -> Statistics:
    """Returns the statistics of a whole trace. Raises TraceError if the trace cannot be read."""
    counts = Statistics(reader.header, reader.format)
    for exchange in reader:
        counts.add(exchange)
    return counts


def resource_of(target: str) -> str:
    """Returns the resource of a request, such as "resourceclaims/status.resource.k8s.io".

    Returns the path for a request without a resource. `target`: the path and query of the request.
    """
    path = target.partition("?")[0]
    info = request_info.parse(path)
    if info is None or not info.resource:
        return path
    name = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
    return f"{name}.{info.group}" if info.group else name
