"""The rules for the files of recordings: their names, and which existing files they replace."""

import itertools
from pathlib import Path

from fakeapi.traces.model import TraceError

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
"""The names of recordings end with one of these texts, which also choose the compression."""

Signature = tuple[int, int, int]


def check_name(path: Path) -> None:
    """Raises TraceError if the name of a recording has none of the SUFFIXES."""
    if not path.name.endswith(SUFFIXES):
        names = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise TraceError(str(path), 0, "", f"is not the name of a recording: it must end in {names}")


def check_new(path: Path) -> None:
    """Raises TraceError if a recording would replace a file that is not empty.

    Commands call this before they record. The message names the option --replace-recording.
    """
    try:
        size = path.stat().st_size
    except OSError:
        return
    if size:
        remedy = "Choose another name, or set --replace-recording to replace it"
        raise TraceError(str(path), 0, "", f"exists already, and has {size} bytes. {remedy}")


def signature(path: Path) -> Signature | None:
    """Returns values that change when another program writes the file.

    Returns None for a file that does not exist or is empty.
    """
    try:
        facts = path.stat()
    except OSError:
        return None
    return (facts.st_ino, facts.st_mtime_ns, facts.st_size) if facts.st_size else None


def unused(path: Path) -> Path:
    """Returns the path if its file is missing or empty.

    Otherwise returns the first free name with a number, such as "s-2.jsonl.gz" for "s.jsonl.gz".
    """
    suffix = next((end for end in sorted(SUFFIXES, key=len, reverse=True) if path.name.endswith(end)), "")
    stem = path.name.removesuffix(suffix)
    numbered = (path.with_name(f"{stem}-{number}{suffix}") for number in itertools.count(2))
    return next(each for each in itertools.chain([path], numbered) if signature(each) is None)
