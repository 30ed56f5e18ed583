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
