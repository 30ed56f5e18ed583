"""Formats scalars in Go syntax (`%#v`): strings, numbers, times, quantities and IntOrString values.

Follows Go's fmt package, and the types of k8s.io/apimachinery `pkg/api/resource` and `pkg/util/intstr`.
"""

import re
from typing import Any

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.schema.nodes import Scalar, ScalarKind

TIMES = (ScalarKind.TIME, ScalarKind.MICRO_TIME)

_ZERO_TIME = "time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)"
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def scalar_syntax(value: Any, node: Scalar) -> str:
    """Formats a canonical value of the type `node`; None is the zero value."""
    match node.kind:
        case ScalarKind.STRING:
            return quote(value or "")
        case ScalarKind.BOOLEAN:
            return "true" if value else "false"
        case ScalarKind.TIME | ScalarKind.MICRO_TIME:
            return _date(value)
        case ScalarKind.QUANTITY:
            return quantity_syntax(value or "")
        case ScalarKind.INT_OR_STRING:
            return int_or_string_syntax(value or 0)
        case ScalarKind.BYTES:
            return f"{node.go_type}{{{'' if value is None else value}}}"
        case _:
            return str(value or 0)


def quantity_syntax(text: str, *, cached: bool = True) -> str:
    """Formats a canonical `resource.Quantity`; "" is the zero value.

    `cached`: whether the Go struct contains the text, which Go caches when it formats the quantity.
    """
    number = quantity.parse(text or "0").amount
    exponent = number.as_tuple().exponent
    scale = min(0, exponent if isinstance(exponent, int) else 0)
    style = "BinarySI" if text.endswith("i") else "DecimalSI"
    return (
        f"resource.Quantity{{i:resource.int64Amount{{value:{int(number.scaleb(-scale))}, scale:{scale}}}, "
        f'd:resource.infDecAmount{{Dec:(*inf.Dec)(nil)}}, s:"{text if cached else ""}", '
        f'Format:"{style if text else ""}"}}'
    )


def int_or_string_syntax(value: int | str) -> str:
    """Formats an `intstr.IntOrString`."""
    if isinstance(value, str):
        return f"intstr.IntOrString{{Type:1, IntVal:0, StrVal:{quote(value)}}}"
    return f'intstr.IntOrString{{Type:0, IntVal:{value}, StrVal:""}}'


def _date(value: str | None) -> str:
    if value is None:
        return _ZERO_TIME
    year, month, day, hour, minute, second = (int(digits) for digits in re.findall(r"[0-9]+", value)[:6])
    return f"time.Date({year}, time.{_MONTHS[month - 1]}, {day}, {hour}, {minute}, {second}, 0, time.Local)"
