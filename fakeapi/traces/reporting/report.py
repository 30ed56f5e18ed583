"""The report of a replay: its results, which as text read as people want them."""

from fakeapi.traces.reporting.results import Results
from fakeapi.traces.reporting.text import text


class Report(Results):
    """The results of one replay. `str()` is the text for people, which `assert report.ok, report` shows."""

    __slots__ = ()

    def __str__(self) -> str:
        return text(self)
