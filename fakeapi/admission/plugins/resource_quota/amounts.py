"""Arithmetic on amounts: mappings from resource names to quantities, such as `{"cpu": "500m"}`.

Follows k8s.io/apiserver `pkg/quota/v1/resources.go`.
"""

from collections.abc import Collection, Iterable, Mapping

from fakeapi.kinds.common.pod_resources import Resources
from fakeapi.machinery.meta import quantity

ZERO = "0"


def masked(amounts: Mapping[str, str], names: Collection[str]) -> Resources:
    """Returns only the amounts of the named resources."""
    return {name: amount for name, amount in amounts.items() if name in names}


def grown(new: Mapping[str, str], old: Mapping[str, str]) -> Resources:
    """Returns the growth of each amount from `old` to `new`; "0" for an amount that did not grow."""
    growth = dict.fromkeys((*new, *old), ZERO)
    for name, amount in new.items():
        more = quantity.subtract(amount, old[name]) if name in old else amount
        if quantity.compare(more, ZERO) > 0:
            growth[name] = more
    return growth


def without_zeros(amounts: Mapping[str, str]) -> Resources:
    return {name: amount for name, amount in amounts.items() if quantity.compare(amount, ZERO)}


def negative(amounts: Mapping[str, str]) -> list[str]:
    """Returns the names of resources whose amounts are below 0."""
    return [name for name, amount in amounts.items() if quantity.compare(amount, ZERO) < 0]


def exceeding(amounts: Mapping[str, str], bounds: Mapping[str, str]) -> list[str]:
    """Returns the names of resources whose amounts are above their bounds."""
    return [
        name
        for name, bound in bounds.items()
        if name in amounts and quantity.compare(amounts[name], bound) > 0
    ]


def are_equal(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two mappings have the same resources with equal amounts."""
    return one.keys() == other.keys() and not any(
        quantity.compare(amount, other[name]) for name, amount in one.items()
    )


def printed(amounts: Mapping[str, str]) -> str:
    """Returns the amounts as a list for an error message, such as `cpu=1,memory=1Gi`."""
    return ",".join(f"{name}={amount}" for name, amount in sorted(amounts.items()))


def printed_names(names: Iterable[str]) -> str:
    return ",".join(sorted(names))
