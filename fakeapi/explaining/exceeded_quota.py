"""Reads the error of the API server about an exceeded ResourceQuota."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta import quantity

_EXCEEDED = lazy_pattern(
    r"exceeded quota: (?P<name>[^,]+), "
    r"requested: (?P<requested>.*), used: (?P<used>.*), limited: (?P<limited>.*)"
)


class ExceededAmount(NamedTuple):
    """A resource of a quota that a request exceeds, with quantities as text.

    - `wanted`: the used and the requested amount together.
    """

    resource: str
    requested: str
    used: str
    limit: str
    wanted: str


class ExceededQuota(NamedTuple):
    """The name of a ResourceQuota, and the resources that a request exceeds."""

    name: str
    amounts: list[ExceededAmount]


def exceeded_quota(message: str) -> ExceededQuota | None:
    """Returns the quota in an error; None for another error.

    `message`: the error of the API server, such as "… is forbidden: exceeded quota: …".
    """
    match = _EXCEEDED.search(message)
    return None if match is None else ExceededQuota(match["name"], [*_amounts(match)])


def amount_now(amount: ExceededAmount, hard: Mapping[str, Any], used: Mapping[str, Any]) -> ExceededAmount:
    """Returns an amount of an older error with the limit and the usage that a quota has now.

    `hard` and `used`: the maps in the status of the quota. A resource that `hard` lacks has the limit "".
    """
    taken = str(used.get(amount.resource, amount.used))
    limit = str(hard.get(amount.resource, ""))
    return ExceededAmount(
        amount.resource, amount.requested, taken, limit, quantity.add(taken, amount.requested)
    )


def is_exceeded(amount: ExceededAmount) -> bool:
    """Whether the used and the requested amount together exceed the limit. False without a limit."""
    return bool(amount.limit) and quantity.compare(amount.wanted, amount.limit) > 0


def _amounts(match: re.Match[str]) -> Iterator[ExceededAmount]:
    requested, used, limited = (_by_resource(match[part]) for part in ("requested", "used", "limited"))
    for resource, limit in limited.items():
        taken, more = used.get(resource, "0"), requested.get(resource, "0")
        amount = ExceededAmount(resource, more, taken, limit, quantity.add(taken, more))
        if is_exceeded(amount):
            yield amount


def names_quota(events: Iterable[Object]) -> bool:
    """Whether the message of an event names an exceeded ResourceQuota."""
    return any(exceeded_quota(str(event.get("message", ""))) is not None for event in events)


def _by_resource(text: str) -> Mapping[str, str]:
    """Returns the amounts in a part of the message, such as "pods=1,cpu=2"."""
    pairs = (pair.partition("=") for pair in text.split(","))
    return {name.strip(): amount.strip() for name, equals, amount in pairs if equals}
