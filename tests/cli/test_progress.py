"""A replay shows its progress: as a bar in a terminal, otherwise as a few plain lines."""

import io
import threading

from fakeapi.cli.progress import Activity, ProgressLine, Waiting, describe
from fakeapi.traces.replay.options import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_tells_count_rate_and_remaining_time() -> None:
    assert (
        describe(25, 100, "exchanges", 5.0, "2 diverge") == "25 of 100 exchanges, 5/s, 15 s left, 2 diverge"
    )
    assert describe(10, 100_000, "exchanges", 1.0) == "10 of 100000 exchanges, 10/s, 2:46 h left"
    assert describe(10, 1000, "objects", 1.0) == "10 of 1000 objects, 10/s, 1:39 min left"
    assert describe(0, 0, "objects", 0.0) == "0 objects, 0/s"


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


def test_what_is_done_soon_shows_nothing_on_a_terminal() -> None:
    terminal = Terminal()
    with Activity("reading", "objects", terminal) as activity:
        activity(1, 2)
    assert terminal.getvalue() == ""


def test_a_bar_without_a_total_shows_its_count() -> None:
    terminal = Terminal()
    with Activity("reading", "objects", terminal, after=0) as activity:
        activity(7, 0, "pods [x]")
    assert "7 objects" in terminal.getvalue()
    assert "pods [x]" in terminal.getvalue()


def test_work_without_a_count_shows_its_title_on_a_terminal_and_nothing_elsewhere() -> None:
    class Drawn(Terminal):
        """A fake terminal that sets an event when it draws progress."""

        def __init__(self) -> None:
            super().__init__()
            self.written = threading.Event()

        def write(self, text: str) -> int:
            if "restoring" in text:
                self.written.set()
            return super().write(text)

    terminal, plain = Drawn(), io.StringIO()
    with Waiting("restoring", terminal, after=0), Waiting("restoring", plain, after=0):
        assert terminal.written.wait(30)
    assert plain.getvalue() == ""
    with Waiting("restoring", terminal):
        written = terminal.getvalue()
    assert terminal.getvalue() == written
