"""Writes the report of a failed test as one HTML page that loads no other files."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from fakeapi.atomic_file import atomic_file
from fakeapi.clients.served_resource import ServedResource
from fakeapi.journal.entry import Entry
from fakeapi.testing.failure_report import ServerReport, is_refused
from fakeapi.testing.insight import event_line, is_of_code_under_test
from fakeapi.testing.object_history import history_of
from fakeapi.testing.server import FakeAPI
from fakeapi.traces.reporting.timeline import style

REQUESTS_MAX = 1000
"""Maximum number of requests per server on a page; older requests are omitted."""

OBJECTS_MAX = 100
"""Maximum number of objects per server with a history on the page. Objects with the latest
writes come first.
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { padding-bottom: 40px; } section { padding: 10px 20px; } pre { overflow: auto; white-space: pre-wrap; }
table { border-collapse: collapse; font-size: 12px; } td { padding: 2px 10px 2px 0; vertical-align: top; }
tr.refused { color: var(--divergence); } tr.helper { color: var(--faint); } summary { cursor: pointer; }
.lane { position: relative; height: 20px; background: var(--lane); margin: 2px 0; }
.lane i { position: absolute; top: 3px; height: 14px; min-width: 3px; background: var(--same); }
.lane i.refused { background: var(--divergence); } .lane i.watch { background: var(--event); }
.name { font-size: 12px; color: var(--faint); }
"""
_NAME_MAX = 150


def write_page(directory: Path, test: str, failure: str, servers: Sequence[FakeAPI]) -> Path:
    """Writes the page of a failed test into a directory; returns its path.

    - `test`: the id of the test, for the title and for the name of the file.
    - `failure`: the traceback as text.

    Raises OSError if the page cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.=-]+", "-", test).strip("-")[-_NAME_MAX:]
    path = directory / f"{name}.html"
    with atomic_file(path) as file:
        file.write("".join(_page(test, failure, servers)).encode())
    return path


def _page(test: str, failure: str, servers: Sequence[FakeAPI]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(test)}</title>'
    yield f"<style>{style()}{_STYLE}</style></head><body>"
    yield f"<header><h1>{escape(test)}</h1><p class='verdict bad'>failed</p></header>"
    yield f"<section><pre>{escape(failure)}</pre></section>"
    for number, api in enumerate(servers, 1):
        if api.running:
            yield from _server(f"Server {number}: {api!r}", ServerReport(api))
    yield "</body></html>\n"


def _server(title: str, report: ServerReport) -> Iterator[str]:
    yield f"<section><h1>{escape(title)}</h1></section>"
    yield from _texts("Faults", report.faults())
    yield from _texts("Waiting", report.waiting())
    yield from _texts("Events", [event_line(event) for event in report.events()])
    entries = report.entries[-REQUESTS_MAX:]
    if entries:
        omitted = len(report.entries) - len(entries)
        more = f" <span class='name'>(without {omitted} earlier ones)</span>" if omitted else ""
        yield f"<section><h2>Requests as a time line{more}</h2>{''.join(_time_line(entries))}</section>"
        yield f"<section><h2>Requests</h2>{''.join(_table(entries))}</section>"
    yield from _histories(report)


def _texts(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"<section><h2>{title}</h2><pre>{escape(chr(10).join(lines))}</pre></section>"


def _time_line(entries: Sequence[Entry]) -> Iterator[str]:
    """Yields one lane for each client, with a mark for each request."""
    begin = min(entry.received for entry in entries)
    span = max(max(entry.received + entry.seconds for entry in entries) - begin, 1e-6)
    for agent in dict.fromkeys(entry.agent for entry in entries):
        yield f"<div class='name'>{escape(agent or '?')}</div><div class='lane'>"
        for entry in entries:
            if entry.agent == agent:
                left, width = (entry.received - begin) / span * 99, entry.seconds / span * 99
                kind = "refused" if is_refused(entry) else "watch" if entry.watch is not None else ""
                title = escape(str(entry), quote=True)
                yield f"<i class='{kind}' style='left:{left:.2f}%;width:{width:.2f}%' title=\"{title}\"></i>"
        yield "</div>"


def _table(entries: Sequence[Entry]) -> Iterator[str]:
    yield "<table>"
    for entry in entries:
        kind = "refused" if is_refused(entry) else "" if is_of_code_under_test(entry) else "helper"
        message = f"<br>{escape(entry.message)}" if entry.message else ""
        yield f"<tr class='{kind}'><td>{escape(str(entry))}{message}</td></tr>"
    yield "</table>"


def _histories(report: ServerReport) -> Iterator[str]:
    """Yields the histories of the OBJECTS_MAX objects that requests have written last.

    The object with the latest write comes first.
    """
    written: dict[tuple[str, str, str, str, str], ServedResource] = {}
    for entry in reversed(report.entries):
        info = entry.info
        if not (entry.before or entry.after) or not entry.name or len(written) >= OBJECTS_MAX:
            continue
        key = (info.group, info.version, info.resource, info.namespace, entry.name)
        resource = ServedResource(
            info.group, info.version, info.resource, info.resource, bool(info.namespace)
        )
        written.setdefault(key, resource)
    if not written:
        return
    yield "<section><h2>Objects</h2>"
    for (_, _, plural, namespace, name), resource in written.items():
        changes = history_of(report.insight.wire, report.entries, resource, namespace, name)
        lines = "\n".join(line for change in changes for line in change.lines())
        place = "/".join(part for part in (namespace, name) if part)
        yield f"<details><summary>{escape(f'{plural} {place}')}: {len(changes)} versions</summary>"
        yield f"<pre>{escape(lines)}</pre></details>"
    yield "</section>"
