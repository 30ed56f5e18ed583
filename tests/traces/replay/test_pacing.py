"""A replay can be paused, stepped and stopped from another thread."""

import threading
from pathlib import Path

import pytest

from fakeapi import FakeAPI
from fakeapi.testing import replaying
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.replay.options import Progress
from fakeapi.traces.replay.pacing import ReplayControl
from tests.traces.sessions import RELEASE, record


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("session") / "session.jsonl")


def test_stepping_waits_for_each_step(session: Path) -> None:
    control = ReplayControl(stepping=True)
    seen: list[int] = []

    def on_progress(progress: Progress) -> None:
        seen.append(progress.done)
        if progress.done < 4:
            control.step()
        else:
            control.stop()

    control.step()
    with FakeAPI(release=RELEASE) as api, open_trace(session) as reader:
        report = replaying.replay_on(
            api, reader, replaying.options(), control=control, on_progress=on_progress
        )
    assert seen == [1, 2, 3, 4]
    assert report.replayed == 4
    assert report.stopped == "by request"


class ResumedAtOnce(ReplayControl):
    """A ReplayControl that resumes from another thread after each pause."""

    pauses = 0

    def pause(self) -> None:
        super().pause()
        self.pauses += 1
        threading.Thread(target=self.resume).start()


def test_a_pause_lasts_until_it_is_resumed(session: Path) -> None:
    control = ResumedAtOnce(pause_at=0.0)
    with FakeAPI(release=RELEASE) as api, open_trace(session) as reader:
        report = replaying.replay_on(api, reader, replaying.options(), control=control)
    assert report.ok
    assert report.replayed == report.exchanges
    assert control.pauses == 1
