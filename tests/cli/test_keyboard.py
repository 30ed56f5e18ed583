"""Key presses in a terminal pause, step and stop a replay."""

import io
import os
import pty
import threading
from typing import Any

from fakeapi.cli.keyboard import handle_key, keys
from fakeapi.traces.replay.pacing import ReplayControl

PATIENCE_SECONDS = 30.0


def test_a_key_pauses_steps_and_stops() -> None:
    control = ReplayControl()
    handle_key(control, b" ")
    assert control.is_paused
    handle_key(control, b" ")
    assert not control.is_paused
    handle_key(control, b"n")
    assert control.is_paused
    handle_key(control, b"?")
    assert control.is_paused


class Noticing(ReplayControl):
    """A ReplayControl that records calls of `step`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.stepped = threading.Event()

    def step(self, count: int = 1) -> None:
        super().step(count)
        self.stepped.set()


def test_keys_are_heard_on_a_terminal_and_nowhere_else() -> None:
    control = Noticing()
    with keys(control, io.StringIO()) as listening:
        assert not listening
    main_end, terminal = pty.openpty()
    with os.fdopen(terminal) as stream, keys(control, stream) as listening:
        assert listening
        os.write(main_end, b"n")
        assert control.stepped.wait(PATIENCE_SECONDS)
    os.close(main_end)
