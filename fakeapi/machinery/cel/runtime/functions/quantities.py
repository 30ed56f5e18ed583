"""CEL quantities: `quantity('1.5Gi')` and its methods.

Follows k8s.io/apiserver `pkg/cel/library/quantity.go` and k8s.io/apimachinery `pkg/api/resource`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from fakeapi.machinery.cel.runtime.values import INT_MAX, INT_MIN, Err, Opaque
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta import quantity

_FAST_DIGITS = 18
_NANO = -9
_PARTS = lazy_pattern(r"[+-]?0*(?P<whole>[0-9]*)\.?(?P<fraction>[0-9]*)(?P<suffix>.*)", re.DOTALL)
_POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


@dataclass(frozen=True, slots=True)
class Quantity(Opaque):
    """A CEL value for a resource.Quantity of Kubernetes.

    `scale`: the power of ten in upstream's int64Amount; None if upstream stores the quantity as an inf.Dec.
    """

    type_name = "kubernetes.Quantity"

    amount: Decimal
    scale: int | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.amount == other.amount

    def __hash__(self) -> int:
        return hash(self.amount)

    @property
    def integer(self) -> int | None:
        """The value as an int64; None if Kubernetes cannot convert the value without loss."""
        if self.scale is None or self.scale < 0 or not INT_MIN <= self.amount <= INT_MAX:
            return None
        return int(self.amount)


def parse(text: str) -> Quantity:
    """Parses a quantity such as `1.5Gi`. Raises ValueError with Kubernetes' message if it is not valid."""
    return Quantity(quantity.parse(text).amount, _scale(text))


def _scale(text: str) -> int | None:
    parts = _PARTS.match(text.strip())
    assert parts is not None
    whole, fraction, suffix = len(parts["whole"] or "0"), len(parts["fraction"]), parts["suffix"]
    if suffix in _BINARY_POWERS:
        power = _BINARY_POWERS[suffix]
        return None if fraction or 14 - whole - int(power * 3 / 10) < 0 else 0
    scale = (_POWERS[suffix] if suffix in _POWERS else int(suffix[1:] or 0)) - fraction
    return scale if whole + fraction <= _FAST_DIGITS and scale >= _NANO else None


def _sum(one: Quantity, other: Quantity, sign: int) -> Quantity:
    amount = one.amount + sign * other.amount
    if one.scale is None or other.scale is None:
        return Quantity(amount, None)
    if not other.amount:
        return Quantity(amount, one.scale)
    scale = other.scale if not one.amount else min(one.scale, other.scale)
    return Quantity(amount, scale if abs(amount.scaleb(-scale)) <= INT_MAX else None)


def _whole(number: int) -> Quantity:
    return Quantity(Decimal(number), 0)


def _quantity(text: str) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        return Err(str(error))


def _integer(value: Quantity) -> Any:
    number = value.integer
    return Err("cannot convert value to integer") if number is None else number


def _compared(one: Quantity, other: Quantity) -> int:
    return (one.amount > other.amount) - (one.amount < other.amount)


OVERLOADS: dict[str, Callable[..., Any]] = {
    "string_to_quantity": _quantity,
    "is_quantity_string": lambda text: type(_quantity(text)) is Quantity,
    "quantity_sign": lambda value: (value.amount > 0) - (value.amount < 0),
    "quantity_is_greater_than": lambda one, other: one.amount > other.amount,
    "quantity_is_less_than": lambda one, other: one.amount < other.amount,
    "quantity_compare_to": _compared,
    "quantity_get_float": lambda value: float(value.amount),
    "quantity_get_int": _integer,
    "quantity_is_integer": lambda value: value.integer is not None,
    "quantity_add": lambda one, other: _sum(one, other, 1),
    "quantity_add_int": lambda one, other: _sum(one, _whole(other), 1),
    "quantity_sub": lambda one, other: _sum(one, other, -1),
    "quantity_sub_int": lambda one, other: _sum(one, _whole(other), -1),
}
