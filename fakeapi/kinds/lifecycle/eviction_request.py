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
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": TargetedStrategy(rules), "status": TargetedStatusStrategy(rules)}


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
    strategies=_strategies,
    name_validator=name_is_long_name,
    cells=_cells,
    table_subresources=frozenset(("status",)),
    is_declared=True,
)
