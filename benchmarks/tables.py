"""Prints tables of measured figures and their goals, and writes them into documents between markers."""

from pathlib import Path

_printed: list[str] = []


def heading(title: str, *columns: str) -> None:
    _say("", f"### {title}", "")
    row("", *columns)
    row("---", *("---:" for _ in columns))


def row(name: str, *cells: object) -> None:
    _say("| " + " | ".join([name, *map(str, cells)]) + " |")


def note(line: str) -> None:
    _say(line)


def _say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)
    _printed.extend(lines)


def take() -> list[str]:
    """Returns the lines of tables printed since the last call of `take`."""
    taken = [*_printed]
    _printed.clear()
    return taken


def at_most(figure: float, bound: float, unit: str) -> tuple[str, str]:
    """Returns two table cells for a measured figure: the goal, and whether the figure is at most `bound`."""
    return f"≤ {bound:g} {unit}", _verdict(figure <= bound)


def at_least(figure: float, bound: float, unit: str) -> tuple[str, str]:
    return f"≥ {bound:g} {unit}", _verdict(figure >= bound)


def compared(name: str, unit: str, theirs: float, ours: float, bound: float) -> None:
    """Prints a row with the figures of another server and of fakeapi, and how many times as good fakeapi is.

    `unit`: "per s" for a rate, where more is better; a unit such as "ms" or "MB", where less is better.
    `bound`: the goal for the number of times.
    """
    times = ours / theirs if unit == "per s" else theirs / ours
    digits = 2 if unit == "ms" else 0
    figures = (f"{each:,.{digits}f}" for each in (theirs, ours))
    row(f"{name}, {unit}", *figures, f"{times:.1f}", *at_least(times, bound, "times"))


def _verdict(reached: object) -> str:
    return "reached" if reached else "**missed**"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"


def write_between(path: Path, marker: str, lines: list[str]) -> None:
    """Replaces the lines of a document between `<!-- marker -->` and `<!-- /marker -->`.

    Raises ValueError if the file lacks one of the two markers.
    """
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    before, opened, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise ValueError(f"{path} has no {begin.strip()} … {end}")
    body = "\n".join(lines).strip("\n")
    path.write_text(f"{before}{begin}\n{body}\n\n{end}{after}", encoding="utf-8")
