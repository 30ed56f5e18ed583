"""The nouns of the control API, a module each, which lists its routes in ROUTES.

A new noun is a module and its name in NOUNS.
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
    """The routes of all nouns, in order."""
    return [route for noun in NOUNS for route in import_module(f"{__name__}.{noun}").ROUTES]
