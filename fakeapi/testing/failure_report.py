"""Reports the servers of a failed test as text: requests, faults, waiting objects and events."""

from collections.abc import Iterator, Sequence

from fakeapi.journal.entry import Entry
from fakeapi.journal.observer import HELPER
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import counted
from fakeapi.testing.insight import WAITING, Insight, event_line, in_order, is_of_code_under_test, section
from fakeapi.testing.server import FakeAPI

REQUESTS_SHOWN = 20
"""Maximum number of requests per server in the report, and of refused requests listed before them."""

EVENTS_SHOWN = 5
"""Maximum number of events per server in the report."""

WAITING_SHOWN = 5
"""Maximum number of waiting pods and claims per server in the report."""

WHY_LINES = 6
"""Maximum number of lines about each waiting pod or claim in the report."""

_WITHOUT_FAILURE = {"Scheduled", "Started", "Created", "Pulled"}


class ServerReport:
    """The state of one server when a test failed. Reading it changes nothing in the server."""

    def __init__(self, api: FakeAPI) -> None:
        self.api = api
        self.insight: Insight = api._insight()  # noqa: SLF001 - the report is part of the same package
        self.entries = [*api.requests]

    def requests(self) -> list[Entry]:
        """Returns the requests of the code under test.

        Returns the requests of the test itself if the code under test sent none.
        """
        own = [entry for entry in self.entries if is_of_code_under_test(entry)]
        return own or [entry for entry in self.entries if entry.agent == HELPER]

    def requests_text(self) -> str:
        """Returns the requests as text, refused requests first; "" without requests."""
        entries = self.requests()
        refused = [entry for entry in entries if is_refused(entry)]
        lines = list(_listed("refused:", refused, with_messages=True)) if refused else []
        lines += _listed("all, in order:" if refused else "", entries)
        helpers = sum(entry.agent == HELPER for entry in self.entries)
        if entries and helpers and entries[0].agent != HELPER:
            own = counted(helpers, "request")
            lines.append(f"({own} of the test itself: api.requests.text() shows them too)")
        return "\n".join(lines)

    def state_text(self) -> str:
        """Returns faults, waiting objects, last events, the frozen clock and the live page as text."""
        lines = [*section("faults:", self.faults()), *section("waiting:", self.waiting())]
        lines += section("last events:", [event_line(event) for event in self.events()])
        if frozen := self.insight.frozen():
            lines.append(f"clock: frozen at {frozen}")
        if self.api.page:
            lines.append(f"live page: {self.api.page} (pytest --pdb keeps the server running)")
        return "\n".join(lines)

    def faults(self) -> list[str]:
        """Returns a line for each armed fault, and for each disarmed fault that never fired."""
        armed = [*self.api.faults]
        lines = []
        for fault in armed:
            effect = f"fired {counted(fault.fired, 'time')}" if fault.fired else "never fired"
            matched = counted(fault.matched, "request")
            lines.append(f"{fault.name}: {effect}; {matched} matched {fault.target}")
        names = {fault.name for fault in armed}
        gone = [name for name in self.api.faults.unfired() if name not in names]
        return lines + [f"{name}: never fired, disarmed" for name in gone]

    def waiting(self) -> list[str]:
        """Returns why pods and claims wait, as lines of text. Equal reasons appear once."""
        by_summary: dict[str, list[str]] = {}
        for kind, obj in self._candidates():
            metadata = obj["metadata"]
            namespace = metadata.get("namespace", "default")
            explanation = self.api.explain(kind, metadata["name"], namespace=namespace)
            if explanation.verdict in WAITING:
                text = [line for line in explanation.text.splitlines() if line.strip()]
                by_summary.setdefault(explanation.summary, text[:WHY_LINES])
        shown = [line for text in [*by_summary.values()][:WAITING_SHOWN] for line in text]
        more = len(by_summary) - WAITING_SHOWN
        return [*shown, f"and {more} more"] if more > 0 else shown

    def _candidates(self) -> Iterator[tuple[str, Object]]:
        """Yields the pods that do not run, and the claims without an allocation."""
        for pod in self._items("pods"):
            if pod.get("status", {}).get("phase") in (None, "Pending"):
                yield "pod", pod
        for claim in self._items("resourceclaims.resource.k8s.io"):
            if not claim.get("status", {}).get("allocation"):
                yield "claim", claim

    def events(self) -> list[Object]:
        """Returns the last warnings, oldest first.

        Without warnings, returns the last events except events of a normal start, such as Scheduled and
        Pulled. Without any of these, returns the last events of all kinds.
        """
        events = in_order(self._items("events"))
        bad = [each for each in events if each.get("type") == "Warning"]
        chosen = bad or [each for each in events if each.get("reason") not in _WITHOUT_FAILURE] or events
        return chosen[-EVENTS_SHOWN:]

    def _items(self, name: str) -> list[Object]:
        """Returns the objects of a resource in all namespaces; [] if the server does not serve it."""
        return self.insight.items(name)


def sections(servers: Sequence[FakeAPI]) -> Iterator[tuple[str, str]]:
    """Yields the title and the text of each section of a report. Leaves out stopped servers."""
    for number, api in enumerate(servers, 1):
        if not api.running:
            continue
        which = f" of server {number}" if len(servers) > 1 else ""
        report = ServerReport(api)
        if text := report.requests_text():
            own = report.requests()[0].agent != HELPER
            yield f"fakeapi requests{which}{' by the code under test' if own else ''}", text
        if text := report.state_text():
            yield f"fakeapi state{which}", text


def is_refused(entry: Entry) -> bool:
    """Whether a request got an error response or no response."""
    return not 0 < entry.code < 400


def _listed(title: str, entries: Sequence[Entry], *, with_messages: bool = False) -> Iterator[str]:
    shown = entries[-REQUESTS_SHOWN:]
    if title:
        yield title
    if len(entries) > len(shown):
        yield f"({len(entries) - len(shown)} earlier requests)"
    for entry in shown:
        yield str(entry)
        if entry.message and with_messages:
            yield f"      {entry.message}"
