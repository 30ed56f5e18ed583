"""Formats quantities, resource names and IntOrString values as the field errors of a release print them."""

from fakeapi.kinds.common.printing.values import printed_value
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.meta.wording import Wording
from fakeapi.machinery.schema.scalar_syntax import int_or_string_syntax, quantity_syntax


def printed_quantity(amount: str, wording: Wording, *, cached: bool = True) -> Dump:
    """Formats a canonical quantity.

    `cached`: whether upstream formatted the quantity earlier. Go then keeps the text in the struct, and
    errors in Go syntax print this text too.
    """
    return printed_value(amount, quantity_syntax(amount, cached=cached), wording)


def printed_int_or_string(value: int | str, wording: Wording) -> Dump:
    """Formats an intstr.IntOrString."""
    return printed_value(value, int_or_string_syntax(value), wording)


def printed_resource_name(name: str, wording: Wording) -> Dump:
    """Formats the name of a resource: as JSON, or without quotes in releases with Go syntax."""
    return printed_value(name, name, wording)


def printed_invalid_resource_name(name: str, wording: Wording) -> Dump | str:
    """Formats an invalid resource name for an error. Some releases print the name as a quoted string."""
    return name if wording.quoted_resource_names else printed_resource_name(name, wording)
