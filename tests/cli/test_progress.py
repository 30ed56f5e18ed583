"""The progress of a replay, on a terminal and elsewhere."""

import io

from fakeapi.cli.progress import ProgressLine, describe
from fakeapi.traces.replay.options import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_tells_count_rate_and_remaining_time() -> None:
    progress = Progress(total=100, done=25, divergent=2)
    assert describe(progress, 5.0) == "25 of 100 exchanges, 5/s, 15 s left, 2 diverge"
    assert describe(Progress(total=100_000, done=10), 1.0) == "10 of 100000 exchanges, 10/s, 2:46 h left"
    assert describe(Progress(total=1000, done=10), 1.0) == "10 of 1000 exchanges, 10/s, 1:39 min left"
    assert describe(Progress(), 0.0) == "0 of 0 exchanges, 0/s"


def test_a_terminal_gets_a_bar_with_the_count_of_divergences() -> None:
    terminal = Terminal()
    line = ProgressLine(terminal)
    line(Progress(total=2, done=1, divergent=3))
    assert "1/2" in terminal.getvalue()
    assert "3 diverge" in terminal.getvalue()
    line.end()
    assert "\n" in terminal.getvalue()


def test_elsewhere_lines_are_few_and_plain() -> None:
    plain = io.StringIO()
    line = ProgressLine(plain)
    for done in range(100):
        line(Progress(total=100, done=done))
    line.end()
    assert plain.getvalue() == ""
