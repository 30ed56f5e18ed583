"""EvictionRequest of lifecycle.k8s.io: a client's request to evict a pod, which the client can withdraw.

Follows k8s.io/kubernetes `pkg/registry/lifecycle/evictionrequest`.
"""

from collections.abc import Mapping

from fakeapi.kinds.lifecycle.strategy import (
    GROUP,
    TargetedStatusStrategy,
    TargetedStrategy,
    name_is_long_name,
    status_cell,
    target_cell,
    target_type_cell,
)
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.releases import Quirks


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Target": target_cell,
        "Target Type": target_type_cell,
        "Status": status_cell,
        "Requester": at("spec", "requester"),
        "Intent": at("spec", "intent"),
    }


EVICTION_REQUEST = KindDefinition(
    group=GROUP,
    resource="evictionrequests",
    strategies=of_rules(TargetedStrategy, TargetedStatusStrategy),
    name_validator=name_is_long_name,
    cells=_cells,
    table_subresources=frozenset(("status",)),
    is_declared=True,
)
