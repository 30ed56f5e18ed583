"""A fixture: commands print no progress, even on a slow machine."""

import pytest


@pytest.fixture(autouse=True)
def _no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.cli.progress.PLAIN_SECONDS", 3600.0)
