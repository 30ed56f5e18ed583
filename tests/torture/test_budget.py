"""The timeouts of the torture suite grow with the machine's load."""

import os

import pytest

from tests.torture.budget import patience


@pytest.mark.parametrize(
    ("load", "processors", "seconds"),
    [
        ((0.1, 0.2, 0.3), 2, 60),
        ((2.0, 2.0, 2.0), 2, 60),
        ((8.0, 4.0, 1.0), 2, 240),
        ((1.0, 9.0, 1.0), 2, 270),
    ],
)
def test_what_shares_its_processors_with_others_is_given_more_time(
    load: tuple[float, float, float], processors: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: load)
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    assert patience(60) == seconds
