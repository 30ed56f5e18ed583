"""Encodes and decodes JSON, with the library msgspec."""

from typing import Any

import msgspec


class RawJson:
    """An immutable JSON value with its exact text. Comparisons and `encode` use the text."""

    __slots__ = ("json", "value")

    def __init__(self, json: bytes, value: Any) -> None:
        self.json = json
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RawJson) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __str__(self) -> str:
        return self.json.decode()


def value_of(value: Any) -> Any:
    """Returns the decoded value of a RawJson; returns other values unchanged."""
    return value.value if isinstance(value, RawJson) else value


def _as_it_came(text: Any) -> msgspec.Raw | str:
    if isinstance(text, RawJson):
        return msgspec.Raw(text.json)
    if isinstance(text, str):  # msgspec encodes str, but none of its subclasses
        return str(text)
    raise TypeError(f"{type(text).__name__} is not JSON")


_encode = msgspec.json.Encoder(enc_hook=_as_it_came).encode
_decode = msgspec.json.Decoder().decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class _Labels(msgspec.Struct):
    labels: dict[str, str] | None = None


class _Labelled(msgspec.Struct):
    metadata: _Labels


_decode_labels = msgspec.json.Decoder(_Labelled).decode


class JsonError(ValueError):
    """The bytes are not valid JSON, or the JSON is nested deeper than the decoder allows."""


def encode(value: Any) -> bytes:
    """Encodes a value as compact JSON. Keys keep their order; a RawJson keeps its text."""
    return _encode(value)


def in_key_order(value: Any) -> Any:
    """Returns a copy of a JSON value with the keys of all objects sorted, as Go encodes maps."""
    if isinstance(value, dict):
        return {key: in_key_order(item) for key, item in sorted(value.items())}
    return [in_key_order(item) for item in value] if isinstance(value, list) else value


def encode_noting_raw(value: Any) -> tuple[bytes, bool]:
    """Encodes a value like `encode`; returns (JSON, whether the value contains a RawJson).

    The JSON takes no more memory than its length. msgspec leaves up to a third of its buffer unused behind
    the text, which is too much for JSON that is kept.
    """
    raws: list[Any] = []

    def hook(text: Any) -> msgspec.Raw | str:
        raws.append(text)
        return _as_it_came(text)

    return bytes(memoryview(msgspec.json.encode(value, enc_hook=hook))), bool(raws)


def compact(data: bytes) -> bytes:
    """Removes the spaces between the tokens of JSON text, without changing the tokens."""
    return msgspec.json.format(data, indent=-1)


def members(data: bytes) -> dict[str, bytes]:
    """Returns the members of a JSON object as undecoded text.

    Raises JsonError if `data` is not a JSON object.
    """
    try:
        return {name: bytes(text) for name, text in _decode_members(data).items()}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JsonError(str(error)) from error


def labels_of(data: bytes) -> dict[str, str] | None:
    """Returns `metadata.labels` of an encoded object without decoding other fields; None without labels.

    Raises JsonError if the JSON is not an object with metadata.
    """
    try:
        return _decode_labels(data).metadata.labels
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JsonError(str(error)) from error


def items(data: bytes) -> list[bytes]:
    """Returns the items of a JSON list as undecoded text. Raises JsonError if `data` is not a JSON list."""
    try:
        return [bytes(text) for text in _decode_items(data)]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JsonError(str(error)) from error


def decode(data: bytes | str) -> Any:
    """Decodes JSON text; if a key is repeated, the last value counts.

    Raises JsonError if the text is not JSON, or is nested too deeply for the decoder.
    """
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise JsonError(str(error)) from error
