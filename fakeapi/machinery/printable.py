"""Escapes untrusted text for terminals and logs, because it may contain control sequences and line breaks."""

LINE_MAX = 4_096
"""Maximum number of characters of untrusted text in a line of a log or message; longer text is truncated."""

_CUT = "…"


def printable(text: str) -> str:
    r"""Replaces control, format and other unprintable characters with escapes such as `\x1b` and `\n`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def counted(count: int, noun: str) -> str:
    """Returns a number with its noun, such as "1 pod" or "2 pods"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def printable_line(text: object, length_max: int = LINE_MAX) -> str:
    """Formats a value as one printable line; truncates it to `length_max` characters with an ellipsis.

    Replaces white space with single spaces, and escapes other unprintable characters like `printable`.
    """
    whole = str(text)
    line = printable(" ".join(whole[: length_max + 1].split()))
    if len(whole) <= length_max and len(line) <= length_max:
        return line
    return line[: length_max - len(_CUT)] + _CUT


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
