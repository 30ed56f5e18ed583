"""Known differences between fakeapi and kube-apiserver, each with its reason."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that no mistake of fakeapi causes.

    - `pattern`: matches the whole description of the difference
    - `reason`: why the two servers may differ
    """

    name: str
    pattern: str
    reason: str


KNOWN: tuple[Known, ...] = ()


def named(lines: Iterable[str], known: Iterable[Known] = KNOWN) -> list[str]:
    """Returns the names of the known differences that explain all lines; [] if a line has no explanation."""
    names = []
    for line in lines:
        entry = next((each for each in known if re.fullmatch(each.pattern, line, re.DOTALL)), None)
        if entry is None:
            return []
        names.append(entry.name)
    return names
