"""Report: the results of a replay, with a readable text as `str()`."""

from fakeapi.traces.reporting.results import Results
from fakeapi.traces.reporting.text import text


class Report(Results):
    """The results of one replay. `assert report.ok, report` prints the readable text of `str()`."""

    __slots__ = ()

    def __str__(self) -> str:
        return text(self)
