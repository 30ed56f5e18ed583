"""Collects the errors of decoding an object, in Go's wording: the first error, and all strict errors.

Follows k8s.io/apimachinery `pkg/runtime/serializer/json` on sigs.k8s.io/json, and `pkg/runtime/converter.go`.
"""

from typing import Any, TypeAlias

from fakeapi.machinery.golang.numbers import converted, rewritten
from fakeapi.machinery.golang.strconv import quote

Path: TypeAlias = tuple[Any, ...]
"""A path to a value in an object as nested pairs (path of the container, last segment); () is the root.

For example, `(((), "spec"), "name")` is `spec.name`.
"""

STRICT_ERRORS_MAX = 100
"""Maximum number of unknown and repeated fields that are reported; further fields are ignored silently."""


class DecodeErrors:
    """The errors of decoding an object.

    - `error`: the message of the first error; None without errors.
    - `strict`: the strict errors for unknown and repeated fields.
    - `repeats`: whether a field is repeated.
    """

    __slots__ = ("error", "repeats", "strict")

    def __init__(self) -> None:
        self.error: str | None = None
        self.strict: list[str] = []
        self.repeats = False

    def wrong(self, message: str) -> None:
        if self.error is None:
            self.error = message

    def mismatch(self, value: Any, path: Path, owner: str, go: str, basic: str = "") -> None:
        """Records the error that a value does not fit the Go type of a field.

        - `path`: the path of the field.
        - `owner`: the name of the struct that contains the field.
        - `go`: the name of the Go type of the field.
        - `basic`: the underlying basic type of `go`, such as "string"; "" if it has none.
        """
        self.wrong(
            f"json: cannot unmarshal {_json_kind(value, go)} into Go {_place(path, owner)} of type {go}"
        )

    def integer(self, value: Any, bits: int) -> int | None:
        """Converts a value that is not an integer of `bits` bits; returns None if the value is not valid.

        This class always returns None, like Go's JSON decoder; subclasses may convert numbers.
        """
        return None

    def context(self, path: Path, owner: str) -> tuple[Path, str]:
        """Returns the path and the struct that errors of a type with its own JSON decoder name."""
        return path, owner

    def of_any_shape(self, value: Any) -> Any:
        """Returns the decoded form of a JSON value without a schema. This class returns the value itself."""
        return value

    def unknown(self, path: Path) -> None:
        self._note(f"unknown field {quote(spell(path))}")

    def duplicate(self, path: Path) -> None:
        self.repeats = True
        self._note(f"duplicate field {quote(spell(path))}")

    def _note(self, text: str) -> None:
        if len(self.strict) < STRICT_ERRORS_MAX and text not in self.strict:
            self.strict.append(text)


class UnstructuredDecodeErrors(DecodeErrors):
    """The errors and rules for converting an unstructured object to a Go type.

    Strategic merge patches and server-side apply use this conversion. Whole floats are accepted as integers.
    Values without a schema get sorted keys, because Go encodes them again. Follows k8s.io/apimachinery
    `pkg/runtime/converter.go`.
    """

    __slots__ = ()

    def integer(self, value: Any, bits: int) -> int | None:
        if type(value) is int or (type(value) is float and value.is_integer()):
            return converted(value, bits)
        return None

    def context(self, path: Path, owner: str) -> tuple[Path, str]:
        return (), ""

    def of_any_shape(self, value: Any) -> Any:
        try:
            return rewritten(value)
        except ValueError as error:
            self.error = self.error or str(error)
            return None

    def mismatch(self, value: Any, path: Path, owner: str, go: str, basic: str = "") -> None:
        kind = _UNSTRUCTURED.get(type(value), "invalid")
        if go.startswith(("[]", "map[")):
            target = "slice" if go.startswith("[]") else "map"
            self.wrong(f"cannot restore {target} from {kind}")
        elif not basic:
            self.wrong(f"cannot restore struct from: {kind}")
        elif basic == JSON_TEXT:
            super().mismatch(value, (), "", "string")
        elif (kind, basic) in _CONVERTIBLE_IN_GO:
            self.wrong(f"cannot convert {kind} to {go}")
        else:
            self.wrong(f"unrecognized type: {basic}")


_UNSTRUCTURED = {str: "string", bool: "bool", int: "int64", float: "float64", list: "slice", dict: "map"}
_CONVERTIBLE_IN_GO = frozenset(
    (("int64", "string"), ("int64", "int32"), ("float64", "int32"), ("float64", "int64"))
)
JSON_TEXT = "JSON text"
"""The argument `basic` of `mismatch` for Go types with their own UnmarshalJSON, such as times."""


def spell(path: Path) -> str:
    """Formats a path like field errors do: `spec.devices.requests[0].name`."""
    parts: list[str] = []
    while path:
        path, segment = path
        parts.append(f"[{segment}]" if isinstance(segment, int) else f".{segment}")
    return "".join(reversed(parts)).removeprefix(".")


def _place(path: Path, owner: str) -> str:
    """Formats the place of an error like Go: `struct field Pod.spec.nodeName`, or `value` for the root.

    Leaves out indexes and map keys. `owner`: the name of the struct that contains the field.
    """
    fields: list[str] = []
    while path:
        path, segment = path
        if isinstance(segment, str) and not isinstance(segment, MapKey):
            fields.append(segment)
    return f"struct field {owner}.{'.'.join(reversed(fields))}" if fields else "value"


class MapKey(str):
    """A path segment that is a key of a map, not the name of a field."""

    __slots__ = ()


def _json_kind(value: Any, go: str) -> str:
    match value:
        case str():
            return "string"
        case bool():
            return "bool"
        case int() | float():
            # Go includes the number if it does not fit an integer type
            return f"number {value}" if go.startswith(("int", "uint")) else "number"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "null"
