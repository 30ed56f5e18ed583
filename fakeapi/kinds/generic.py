"""Defines the strategies of kinds that have no module of their own.

Follows the rules that nearly all strategies of k8s.io/kubernetes `pkg/registry` share. The strategies
validate only metadata.

- Writes to the object keep its status.
- Writes to `/status` change only the status and some metadata.
- In a kind with a status, changes outside metadata and status increment the generation.
"""

from functools import cached_property
from typing import ClassVar

from fakeapi.kinds.common.statuses import empty_status, with_status_of
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import reset_for_status, without_metadata
from fakeapi.registry.model.strategy import Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


class WithStatusStrategy(Strategy):
    """Strategy for creates and updates of objects that have the subresource `/status`; keeps the status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    @cached_property
    def _empty_status(self) -> Object:
        return empty_status(self._kind)

    def prepare_create(self, obj: Object) -> Object:
        obj["metadata"]["generation"] = 1
        return with_status_of(obj, self._empty_status)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = with_status_of(new, old)
        if without_metadata(new) != without_metadata(old):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        return new


class StatusStrategy(Strategy):
    """Strategy for `/status` of a kind without its own module. Changes only the status and some metadata."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def prepare_update(self, new: Object, old: Object) -> Object:
        metadata = reset_for_status(new["metadata"], old["metadata"])
        return {**with_status_of(old, new), "metadata": metadata}


def generic_definition(kind: Kind) -> KindDefinition:
    """Returns a definition with strategies that validate only metadata, for a kind without its own module."""
    return KindDefinition(group=kind.group, resource=kind.resource, strategies=_strategies)


def plain_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    """Returns the strategies of a kind without subresources, which validate only metadata."""
    return {"": Strategy()}


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    if kind.subresource("status") is None:
        return {"": Strategy()}
    return {"": WithStatusStrategy(kind), "status": StatusStrategy()}
