"""Reads the error of the API server about an exceeded ResourceQuota."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

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


def _amounts(match: re.Match[str]) -> Iterator[ExceededAmount]:
    requested, used, limited = (_by_resource(match[part]) for part in ("requested", "used", "limited"))
    for resource, limit in limited.items():
        taken, more = used.get(resource, "0"), requested.get(resource, "0")
        wanted = quantity.add(taken, more)
        if quantity.compare(wanted, limit) > 0:
            yield ExceededAmount(resource, more, taken, limit, wanted)


def _by_resource(text: str) -> Mapping[str, str]:
    """Returns the amounts in a part of the message, such as "pods=1,cpu=2"."""
    pairs = (pair.partition("=") for pair in text.split(","))
    return {name.strip(): amount.strip() for name, equals, amount in pairs if equals}
