"""What a server can be asked to serve: of all releases and kinds that there are tables for, those with rules.

A line is added here when the registry has the rules of the kinds that it brings.
"""

RELEASES = (
    "1.27",
    "1.28",
    "1.29",
    "1.30",
    "1.31",
    "1.32",
    "1.33",
    "1.34",
    "1.35",
    "1.36",
    "1.37",
)
"""The releases that `fakeapi serve --release` takes, oldest first."""

RESOURCES: dict[str, frozenset[str] | None] = {
    "": frozenset({"namespaces"}),
    "resource.k8s.io": None,
}
"""By group: the resources that are served; None for all of them."""


def is_offered(group: str, resource: str) -> bool:
    """Whether a resource of a group is served."""
    if group not in RESOURCES:
        return False
    resources = RESOURCES[group]
    return resources is None or resource in resources
