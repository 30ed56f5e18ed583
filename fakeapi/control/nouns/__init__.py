"""The resources of the control API: each module lists its routes in ROUTES.

To add a resource, add a module and its name in NOUNS.
"""

from importlib import import_module

from fakeapi.control.route import Route

NOUNS = (
    "state",
    "compaction",
    "clock",
    "snapshots",
    "requests",
    "watches",
    "events",
    "faults",
    "objects",
    "figures",
)


def all_routes() -> list[Route]:
    """Returns the routes of all resources, in order."""
    return [route for noun in NOUNS for route in import_module(f"{__name__}.{noun}").ROUTES]
