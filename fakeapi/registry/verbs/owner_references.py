"""Removes duplicate owner references with a warning, like k8s.io/apiserver `pkg/endpoints/handlers`."""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.registry.requests.options import Warnings


def deduplicate_owners(obj: Object, warnings: Warnings, *, after_admission: bool = False) -> None:
    """Removes duplicate owner references from an object, and adds upstream's warning about duplicates.

    `after_admission`: whether mutating admission has run; the warning then mentions admission.
    """
    owners = obj["metadata"].get("ownerReferences")
    if not owners or len(owners) < 2:
        return
    kept: dict[tuple[Any, ...], Object] = {}
    dropped: list[str] = []
    for owner in owners:
        members = tuple(owner.items())
        if members in kept:
            dropped.append(owner.get("uid", ""))
        else:
            kept[members] = owner
    if dropped:
        obj["metadata"]["ownerReferences"] = list(kept.values())
        which = ", ".join(dropped)
        after = " after mutating admission happens" if after_admission else ""
        warnings.add(
            f".metadata.ownerReferences contains duplicate entries{after}; API server dedups owner "
            "references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
            f"duplicate UID(s) observed: {which}"
        )
