"""Lists the reasons why e2e specs fail although they need no missing feature."""

import re

RULES: tuple[tuple[str, str], ...] = (
    (r"continue listing from the last key", "nothing is compacted by time: a continue token lives longer"),
    (
        r"kubectl explain works for CR with the same",
        "flaky upstream as well: kubectl asks its discovery cache",
    ),
    (
        r"Containers should|image specified user|without a specified user",
        "a directory has no default command and user",
    ),
    (r"FSGroup ownership|using FSGroup", "files of an emptyDir do not get the group fsGroup"),
    (r"memory backed volumes|tmpfs", "an emptyDir with the medium Memory is a directory on the disk"),
    (r"AllowPrivilegeEscalation", "the image for it is not there"),
    (r"seccomp runtime/default|SELinux", "seccomp and SELinux are not set up"),
    (r"private registry", "images are not pulled"),
    (
        r"variable names with various prefixes|printable ASCII|read only busybox",
        "the busybox of this machine is another one",
    ),
    (r"hostAliases", "the file hosts has another first line"),
    (r"updates should be reflected", "a running container does not see later changes of its volumes"),
)
"""Pairs: a pattern for names of e2e specs, and the reason why these specs fail."""

_COMPILED = [(re.compile(pattern), why) for pattern, why in RULES]


def reason_of(spec: str, release: str) -> str | None:
    return next((why for pattern, why in _COMPILED if pattern.search(spec)), None)
