"""A Hypothesis strategy that damages trace files, and a reader that returns the error message."""

from pathlib import Path

from hypothesis import strategies as st

from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import TraceError


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Draws a copy of `whole` in which up to 20 bytes are removed, changed or replaced."""
    begin = draw(st.integers(0, len(whole)))
    end = draw(st.integers(begin, min(len(whole), begin + 20)))
    return whole[:begin] + draw(st.binary(max_size=6)) + whole[end:]


def complaint(path: Path) -> str | None:
    """Reads a whole trace; returns the message of the TraceError, or None if the trace is valid.

    All other exceptions pass through.
    """
    try:
        with open_trace(path) as reader:
            list(reader)
    except TraceError as error:
        return str(error)
    return None
