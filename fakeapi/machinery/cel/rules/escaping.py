"""Converts property names to CEL identifiers: `a.b-c` gives `a__dot__b__dash__c`.

Follows k8s.io/apiserver `pkg/cel/escaping.go`.
"""

import re
from functools import lru_cache

from fakeapi.machinery.lazy_pattern import lazy_pattern

KEYWORDS = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_PARTS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_ALLOWED = lazy_pattern(r"[A-Za-z_./-][A-Za-z0-9_./-]*")
_ESCAPED = lazy_pattern(r"__[^_]+__")
_UNESCAPED = {text[2:-2]: part for part, text in _PARTS.items()}


@lru_cache(4096)
def escaped(name: str) -> str | None:
    """Returns the CEL identifier of a property name: `a.b` gives `a__dot__b`.

    Returns None if the name cannot be escaped. Expressions cannot access such a property.
    """
    if name in KEYWORDS:
        return f"__{name}__"
    if not _ALLOWED.fullmatch(name):
        return None
    return re.sub(r"__|[-./]", lambda match: _PARTS[match[0]], name)


@lru_cache(4096)
def unescaped(identifier: str) -> str | None:
    """Returns the property name of a CEL identifier: `a__dot__b` gives `a.b`.

    Returns None if the identifier has an unknown escape.
    """
    name = identifier
    for escape in _ESCAPED.findall(identifier):
        contents = escape[2:-2]
        if contents not in _UNESCAPED and (contents not in KEYWORDS or escape != identifier):
            return None
        name = name.replace(escape, _UNESCAPED.get(contents, contents), 1)
    return name
