"""Asks a kind's rules about a body as a request would: decoded, defaulted, prepared, validated."""

import copy
from functools import cache
from typing import Any

from fakeapi.kinds import definition_of
from fakeapi.kinds.common.defaults import apply_defaults
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.definition import StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import load_release

NOW = "2025-01-01T00:00:00Z"
Body = dict[str, Any]
Found = list[tuple[str, str]]
"""Errors as (field, message)."""


@cache
def resource_of(release: str, group: str, version: str, resource: str, *gates: str) -> Resource:
    """The resource as the release has it with its defaults, and with `gates` on."""
    loaded = load_release(release, dict.fromkeys(gates, True))
    context = StrategyContext(
        namespace_labels=lambda name: {}, now=lambda: NOW, apply_defaults=apply_defaults
    )
    return Resource(loaded.kind(group, version, resource), loaded, definition_of, context)


def canonical(resource: Resource, body: Body) -> Body:
    """The body as the registry sees it, with its defaults, in the hub."""
    sent = {"apiVersion": resource.api_version, "kind": resource.kind.kind, **copy.deepcopy(body)}
    sent.setdefault("metadata", {}).setdefault("name", "a")
    obj, _ = decode(sent, resource.schema)
    return resource.to_hub(resource.body_type.default(obj))


def created(resource: Resource, body: Body) -> Body:
    """The object that a create makes of the body."""
    return resource.strategy_for("").prepare_create(canonical(resource, body))


def refusals(resource: Resource, body: Body) -> Found:
    """Errors of a create."""
    obj = created(resource, body)
    found = resource.with_declared(resource.strategy_for("").validate_create(obj), obj)
    return [(error.field, error.body) for error in found]


def refused_change(resource: Resource, body: Body, changed: Body, subresource: str = "") -> Found:
    """Errors of an update from the one body to the other."""
    strategy, old = resource.strategy_for(subresource), created(resource, body)
    new = strategy.prepare_update(canonical(resource, changed), old)
    found = resource.with_declared(strategy.validate_update(new, old), new, old, subresource)
    return [(error.field, error.body) for error in found]
