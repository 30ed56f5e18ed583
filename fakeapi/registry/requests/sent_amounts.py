"""Quantities of a request as Go holds them in memory, for the comparison of atomic lists.

Kubernetes compares atomic lists by reflect.DeepEqual (sigs.k8s.io/structured-merge-diff
`value/listreflect.go`). DeepEqual compares the memory of a Quantity, not the amount: `1.5` differs from
`1500m`. Go also keeps the text of some parsed quantities (k8s.io/apimachinery `pkg/api/resource`). Stored
objects come from the watch cache, and have texts for all quantities behind pointers and in lists.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.schema.nodes import List, ListType, Map, Node, Scalar, ScalarKind, Struct, kept_on_node

_PARTS = lazy_pattern(r"[+-]?0*(\d*)(?:\.(\d*))?([a-zA-Z]*)([+-]?\d*)$")
_SCALES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DIGITS_MAX = 18
"""Maximum number of decimal digits that Go parses into an int64 (`maxInt64Factors`)."""

_BINARY_DIGITS_MAX = 14
_SCALE_MIN = -9
_WITHOUT_TEXT = "\0"
"""Marks a quantity without a text in Go. No stored quantity has this mark."""


@kept_on_node
def amount_names(node: Node) -> frozenset[str]:
    """Returns the names of the fields with quantities inside the atomic lists of a type.

    If a field is a map of quantities, its name counts.
    """
    return frozenset(_names(node, "", set(), inside=False))


@kept_on_node
def _all_amount_names(node: Node) -> frozenset[str]:
    """Returns the names of the fields of a type with quantities, inside and outside of atomic lists."""
    return frozenset(_names(node, "", set(), inside=True))


def _names(node: Node, name: str, seen: set[tuple[int, bool]], *, inside: bool) -> Iterator[str]:
    if isinstance(node, Scalar):
        if inside and node.kind is ScalarKind.QUANTITY:
            yield name
        return
    if isinstance(node, Struct):
        if (id(node), inside) in seen:
            return
        seen.add((id(node), inside))
        for field in node.fields.values():
            yield from _names(field.node, field.name, seen, inside=inside)
    elif isinstance(node, Map):
        yield from _names(node.values, name, seen, inside=inside)
    elif isinstance(node, List):
        yield from _names(node.items, name, seen, inside=inside or node.list_type is ListType.ATOMIC)


def with_sent_amounts(
    obj: Any, sent: Any, node: Node, *, inside: bool = False, addressable: bool = True
) -> Any:
    """Returns an object with the quantities of `sent` inside its atomic lists.

    A quantity is marked if it equals the stored text, but Go does not keep the text of `sent`.

    - `obj`: a value in canonical form.
    - `sent`: the same value in the form that a client sent.
    - `node`: the type of the value.
    - `inside`: whether the value is inside an atomic list.
    - `addressable`: whether Go can keep the texts of quantities in the value. Go copies the structs in maps,
      so their quantities have no texts.
    """
    if not (_all_amount_names(node) if inside else amount_names(node)):
        return obj
    match node:
        case Scalar():
            return _amount(obj, sent, addressable=addressable)
        case Struct() if isinstance(obj, dict) and isinstance(sent, dict):
            return _struct(obj, sent, node, inside=inside, addressable=addressable)
        case List() if isinstance(obj, list) and isinstance(sent, list) and len(obj) == len(sent):
            inside = inside or node.list_type is ListType.ATOMIC
            pairs = zip(obj, sent, strict=True)
            return [with_sent_amounts(item, other, node.items, inside=inside) for item, other in pairs]
        case Map() if isinstance(obj, dict) and isinstance(sent, dict):
            return {
                name: with_sent_amounts(item, sent.get(name), node.values, inside=inside, addressable=False)
                for name, item in obj.items()
            }
        case _:
            return obj


def _struct(obj: Object, sent: Object, node: Struct, *, inside: bool, addressable: bool) -> Object:
    result = dict(obj)
    for name, value in sent.items():
        field = node.fields.get(name)
        if field is not None and name in result:
            result[name] = with_sent_amounts(
                result[name], value, field.node, inside=inside, addressable=addressable or field.pointer
            )
    return result


def _amount(stored: Any, sent: Any, *, addressable: bool) -> Any:
    text = str(sent).strip() if isinstance(sent, str | int) and not isinstance(sent, bool) else stored
    return text + _WITHOUT_TEXT if text == stored and addressable and not keeps_text(text) else text


def keeps_text(text: str) -> bool:
    """Whether Go keeps the text of a valid quantity that it parses (ParseQuantity)."""
    if text == "0":
        return True
    parts = _PARTS.match(text)
    if parts is None:
        return False
    whole, fraction, suffix, exponent = parts[1] or "0", parts[2] or "", parts[3], parts[4]
    if suffix in _BINARY:
        bits = _BINARY[suffix]
        is_small = not fraction and len(whole) + int(bits * 3 / 10) <= _BINARY_DIGITS_MAX
        return is_small and int(whole) % 8 != 0
    scale = int(exponent) if exponent else _SCALES.get(suffix, 0)
    scale -= len(fraction)
    digits = whole + fraction
    if len(digits) > _DIGITS_MAX or scale < _SCALE_MIN:
        return False
    return scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
