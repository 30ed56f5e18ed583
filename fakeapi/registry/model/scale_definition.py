"""The KindDefinition of Scales.

The resource of Scales is internal: the server does not serve this resource.
"""

from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.model.scale import SCALE
from fakeapi.registry.model.strategy import Strategy
from fakeapi.releases import Kind


def scale_definition(kind: Kind) -> KindDefinition:
    """Returns the KindDefinition for the Scales of a resource. `kind`: the kind Scale."""
    return KindDefinition(
        group=kind.group,
        resource=kind.resource,
        strategies=lambda kind, rules, context: {"": Strategy(), SCALE: Strategy()},
        cells=lambda quirks: {"Desired": _replicas_of("spec"), "Available": _replicas_of("status")},
        table_subresources=frozenset((SCALE,)),
    )


def _replicas_of(member: str) -> Cell:
    """Returns a table cell with the replicas of a Scale; `member` is "spec" or "status"."""
    return lambda obj, now: (obj.get(member) or {}).get("replicas", 0)
