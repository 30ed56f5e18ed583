"""Makes text from a trace safe for a terminal, whose escape sequences it could contain."""


def printable(text: str) -> str:
    r"""The text with control, format and other unprintable characters as escapes: "\x1b", "\u202e", "\n"."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
