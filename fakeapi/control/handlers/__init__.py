"""Handlers of the control API. Each module handles one resource and lists its routes in ROUTES.

To add a resource, add a module, and add its name to MODULES.
"""

from importlib import import_module

from fakeapi.control.route import Route

MODULES = (
    "state",
    "compaction",
    "clock",
    "containers",
    "snapshots",
    "requests",
    "watches",
    "events",
    "drivers",
    "faults",
    "nodes",
    "objects",
    "tables",
    "manifests",
    "devices",
    "attention",
    "waiting",
    "terminating",
    "controllers",
    "figures",
    "explain",
    "webhook_services",
)


def all_routes() -> list[Route]:
    """Returns the routes of all handler modules, in the order of MODULES."""
    return [route for module in MODULES for route in import_module(f"{__name__}.{module}").ROUTES]
