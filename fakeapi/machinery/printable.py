"""Makes text of others safe for terminals and logs, which could contain escape sequences and faked lines."""

LINE_MAX = 4_096
"""Characters of a text of others in a line of a log or of a message; the rest is cut off."""

_CUT = "…"


def printable(text: str) -> str:
    r"""The text with control, format and other unprintable characters as escapes: "\x1b", "\u202e", "\n"."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def printable_line(text: object, length_max: int = LINE_MAX) -> str:
    """The text of a value as one printable line of at most `length_max` characters, cut with an ellipsis.

    White space becomes single spaces, other unprintable characters become escapes as in `printable`.
    """
    whole = str(text)
    line = printable(" ".join(whole[: length_max + 1].split()))
    if len(whole) <= length_max and len(line) <= length_max:
        return line
    return line[: length_max - len(_CUT)] + _CUT


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
