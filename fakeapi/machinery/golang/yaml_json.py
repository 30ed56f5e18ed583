"""Converts decoded YAML values to JSON values like sigs.k8s.io/yaml."""

from collections.abc import Hashable
from decimal import Decimal
from math import isfinite, isnan
from typing import Any

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.golang.yaml_encoding import float_text
from fakeapi.machinery.golang.yaml_nodes import YamlError
from fakeapi.machinery.golang.yaml_scalars import MAX_INT64


class YamlMembers:
    """The members of a YAML mapping by (type of the key, key): Go distinguishes the keys `1` and `1.0`."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[tuple[type, Hashable], Any] = {}


def json_value(value: Any) -> Any:
    """Converts a decoded YAML value to JSON like sigs.k8s.io/yaml.

    Keys become sorted strings, and whole floats become integers. Raises YamlError for infinity, for NaN,
    and for keys that cannot become strings.
    """
    if isinstance(value, YamlMembers):
        members = {_key(key, item): json_value(item) for (_, key), item in value.values.items()}
        return dict(sorted(members.items()))
    if isinstance(value, list):
        return [json_value(item) for item in value]
    if isinstance(value, float):
        return _number(value)
    return value


def _key(key: Any, value: Any) -> str:
    match key:
        case str():
            return key
        case bool():
            return "true" if key else "false"
        case float():
            return float_text(key, bits=32)
        case int() if key <= MAX_INT64:
            return str(key)
    kind, text = ("uint64", f"{key:#x}") if key else ("%!s(<nil>)", "<nil>")
    raise YamlError(f"unsupported map key of type: {kind}, key: {text}, value: {go_syntax(value)}")


def go_syntax(value: Any, nil: str = "<nil>") -> str:
    """Formats a decoded YAML value like Go's `%#v`; `nil` is the text for null."""
    match value:
        case None:
            return nil
        case str():
            return quote(value)
        case bool():
            return "true" if value else "false"
        case float():
            return float_text(value)
        case list():
            return f"[]interface {{}}{{{', '.join(go_syntax(item, 'interface {}(nil)') for item in value)}}}"
        case YamlMembers():
            pairs = (
                f"{go_syntax(key)}:{go_syntax(item, 'interface {}(nil)')}"
                for (_, key), item in value.values.items()
            )
            return f"map[interface {{}}]interface {{}}{{{', '.join(pairs)}}}"
        case _:
            return str(value)


def _number(value: float) -> float | int:
    """Converts a float as if Go encoded it to JSON and decoded it again.

    Whole numbers below 1e+21 become integers. Raises YamlError for infinity and NaN.
    """
    if not isfinite(value):
        name = "NaN" if isnan(value) else f"{'+' if value > 0 else '-'}Inf"
        raise YamlError(f"json: unsupported value: {name}")
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < 1e21 else value
