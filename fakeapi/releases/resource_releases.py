"""The releases that have a resource, for messages about a resource that a server does not serve."""

from fakeapi.releases.offered import RELEASES
from fakeapi.releases.release import load_release


def releases_with(resource: str, group: str | None = None) -> list[str]:
    """Returns the releases that have a resource such as "podschedulingcontexts", oldest first.

    Includes releases that serve the resource only if `runtime_config` or a feature gate enables it.

    `group`: the API group of the resource; None for every group.
    """
    return [
        name
        for name in RELEASES
        if any(kind.resource == resource and group in (None, kind.group) for kind in load_release(name).kinds)
    ]
