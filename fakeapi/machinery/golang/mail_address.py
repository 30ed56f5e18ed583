"""Validates mail addresses like Go's mail.ParseAddress: `a@b.c` and `A Name <a@b.c>`."""

from fakeapi.machinery.lazy_pattern import lazy_pattern

_ATEXT = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\U0010ffff]"
_DOT_ATOM = lazy_pattern(rf"{_ATEXT}+(?:\.{_ATEXT}+)*")
_QUOTED = lazy_pattern(r'"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e\u0080-\U0010ffff])*)"')
_WORD = lazy_pattern(rf"(?:{_QUOTED.pattern}|{_ATEXT}+|\.)[ \t]*")
_LITERAL = lazy_pattern(r"\[[!-Z^-~]*\]")
_SPACE = " \t"


def is_address(text: str) -> bool:
    """Whether `text` is a single mail address, with or without a display name.

    Rejects comments and groups, which Go accepts.
    """
    rest = text.strip(_SPACE)
    if _ends_address(rest):
        return True
    at = 0
    while at < len(rest) and rest[at] != "<":
        word = _WORD.match(rest, at)
        if not word:
            return False
        at = word.end()
    return rest.endswith(">") and _ends_address(rest[at + 1 : -1])


def _ends_address(text: str) -> bool:
    """Whether `text` is `local-part@domain`, with or without spaces around the parts."""
    text = text.strip(_SPACE)
    local = _QUOTED.match(text) or _DOT_ATOM.match(text)
    if not local or local.group() == '""':
        return False
    rest = text[local.end() :].lstrip(_SPACE)
    if not rest.startswith("@"):
        return False
    domain = rest[1:].lstrip(_SPACE)
    return bool(_DOT_ATOM.fullmatch(domain) or _LITERAL.fullmatch(domain))
