"""The report of a replay: its results, which `str()` renders as text for people."""

from fakeapi.traces.reporting.results import Results
from fakeapi.traces.reporting.text import text


class Report(Results):
    """The results of one replay. `assert report.ok, report` prints them as text if the assertion fails."""

    __slots__ = ()

    def __str__(self) -> str:
        return text(self)
