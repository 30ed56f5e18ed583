"""Lists the reasons why e2e specs fail although they need no missing feature."""

import re

RULES: tuple[tuple[str, str], ...] = (
    (
        r"ResourceSlice Controller creates slices",
        "100 slices of 700 KB are to be written in a minute, which took longer on two busy cores",
    ),
    (
        r"blocks new pod after force-delete",
        "no container takes its time to end: the claim is unprepared at once",
    ),
    (
        r"async preemption",
        "not all pods of medium priority are scheduled in time (until 2026-11-27: no victim took time)",
    ),
    (r"continue listing from the last key", "nothing is compacted by time: a continue token lives longer"),
    (r"requests can be classified", "requests are not classified by flow schemas"),
    (r"StorageVersion resources", "served only where internal.apiserver.k8s.io is switched on"),
    (r"building a client with a CSR", "client certificates identify nobody"),
    (
        r"kube-root-ca\.crt exist",
        "the server speaks plain HTTP in this run, and has no certificate to publish",
    ),
    (
        r"kubectl explain works for CR with the same",
        "flaky upstream as well: kubectl asks its discovery cache",
    ),
)
"""Pairs: a pattern for names of e2e specs, and the reason why these specs fail."""

_COMPILED = [(re.compile(pattern), why) for pattern, why in RULES]


def reason_of(spec: str, release: str) -> str | None:
    return next((why for pattern, why in _COMPILED if pattern.search(spec)), None)
