"""Expands references such as `$(NAME)` in commands, arguments and environment variables.

Follows k8s.io/kubernetes `third_party/forked/golang/expansion`.
"""

import re
from collections.abc import Mapping

from fakeapi.machinery.lazy_pattern import lazy_pattern

_REFERENCE = lazy_pattern(r"\$(?:\$|\(([^)]*)\))")


def expand(text: str, *variables: Mapping[str, str]) -> str:
    """Returns the text with all references replaced by their values. `$$` becomes `$`.

    `variables`: values by name. The first mapping with a name takes precedence. References to unknown names
    stay unchanged.
    """

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return "$"
        return next((values[name] for values in variables if name in values), match[0])

    return _REFERENCE.sub(value_of, text)
