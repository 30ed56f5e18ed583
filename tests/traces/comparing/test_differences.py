"""Differences between two responses are formatted as text."""

from fakeapi.traces.comparing.differences import SHOWN_MAX, render, show


def test_paths_are_rendered_as_they_are_read() -> None:
    assert render(("items", 0, "metadata", "labels", "a.b/c")) == "items[0].metadata.labels[a.b/c]"


def test_a_long_value_is_cut_off() -> None:
    assert len(show("x" * 1000)) == SHOWN_MAX
