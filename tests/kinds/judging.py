"""Decodes, defaults, prepares and validates an object by the rules of its kind, as for a request."""

import copy
from functools import cache
from random import Random
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
"""Validation errors as pairs (field, message)."""


@cache
def resource_of(release: str, group: str, version: str, resource: str, *gates: str) -> Resource:
    """Returns a resource of the release, with the default feature gates and with `gates` enabled."""
    loaded = load_release(release, dict.fromkeys(gates, True))
    context = StrategyContext(
        namespace_labels=lambda name: {},
        now=lambda: NOW,
        fraction=Random(1).random,  # the same addresses in each run, never those that a test asks for
        apply_defaults=apply_defaults,
    )
    return Resource(loaded.kind(group, version, resource), loaded, definition_of, context)


def canonical(resource: Resource, body: Body) -> Body:
    """Decodes `body` and sets its defaults; returns the object in the internal version."""
    sent = {"apiVersion": resource.api_version, "kind": resource.kind.kind, **copy.deepcopy(body)}
    sent.setdefault("metadata", {}).setdefault("name", "a")
    obj, _ = decode(sent, resource.schema)
    return resource.to_hub(resource.body_type.default(obj))


def created(resource: Resource, body: Body) -> Body:
    """Returns the object that a create prepares from the body, before validation."""
    return resource.strategy_for("").prepare_create(canonical(resource, body))


def refusals(resource: Resource, body: Body) -> Found:
    """Validates a create of the body; returns the errors as (field, message)."""
    obj = created(resource, body)
    errors = resource.with_declared(resource.strategy_for("").validate_create(obj), obj)
    return [(error.field, error.body) for error in errors]


def refused_change(resource: Resource, body: Body, changed: Body, subresource: str = "") -> Found:
    """Validates an update of the object `body` to `changed`; returns the errors as (field, message)."""
    strategy, old = resource.strategy_for(subresource), created(resource, body)
    new = strategy.prepare_update(canonical(resource, changed), old)
    errors = resource.with_declared(strategy.validate_update(new, old), new, old, subresource)
    return [(error.field, error.body) for error in errors]
