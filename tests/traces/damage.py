"""Damaged trace files for tests."""

from pathlib import Path

from hypothesis import strategies as st

from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import TraceError


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Draws a copy of `whole` with a few bytes removed, changed or added."""
    begin = draw(st.integers(0, len(whole)))
    end = draw(st.integers(begin, min(len(whole), begin + 20)))
    return whole[:begin] + draw(st.binary(max_size=6)) + whole[end:]


def complaint(path: Path) -> str | None:
    """Reads a trace to its end; returns the TraceError's text, or None. Raises any other error."""
    try:
        with open_trace(path) as reader:
            list(reader)
    except TraceError as error:
        return str(error)
    return None
