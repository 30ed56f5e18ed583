"""Files that a fault has gone through."""

from pathlib import Path

from hypothesis import strategies as st

from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import TraceError


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """`whole` with a few bytes of it gone, changed or added."""
    begin = draw(st.integers(0, len(whole)))
    end = draw(st.integers(begin, min(len(whole), begin + 20)))
    return whole[:begin] + draw(st.binary(max_size=6)) + whole[end:]


def complaint(path: Path) -> str | None:
    """What reading the trace to its end is refused with; raises whatever is not a TraceError."""
    try:
        with open_trace(path) as reader:
            list(reader)
    except TraceError as error:
        return str(error)
    return None
