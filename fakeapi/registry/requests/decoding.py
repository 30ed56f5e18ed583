"""Decodes request bodies to canonical, defaulted objects of the expected kind.

Follows k8s.io/apimachinery `pkg/runtime/serializer` and the create and update handlers of k8s.io/apiserver.
Malformed bodies, and unknown or duplicate fields, cause the same errors as upstream.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from fakeapi.machinery.cbor import CborError
from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.errors import ApiError, bad_request
from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.golang.duplicate_keys import members
from fakeapi.machinery.golang.json_syntax import json_syntax_error
from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.golang.yaml_scalars import STRICT_PREFIX
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import protobuf, raw_extension
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.requests.options import Warnings
from fakeapi.releases import Kind
from fakeapi.releases.kinds import COMMON_KINDS, UNVERSIONED_KINDS

YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
CBOR = "application/cbor"
SUMMARY_LENGTH = 30
"""Number of bytes of a malformed body that error messages print."""

_SCHEME = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"
_CUSTOM_SCALES_SCHEME = "k8s.io/client-go/scale/util.go:146"
_API_SERVICES_SCHEME = "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28"
TYPE_META = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)


class Unreadable(ValueError):
    """Raised if a body is so malformed that the server cannot read its kind."""


def read_object(
    wanted: BodyType, body: bytes, media_type: str, validation: str, warnings: Warnings
) -> Object:
    """Decodes the object in the body of a POST or PUT.

    `validation`: the query parameter fieldValidation. Unknown and duplicate fields become warnings with Warn,
    and an error with Strict. Such fields have no effect with Ignore, or in a protobuf body.

    Raises ApiError 400 if the body is malformed or has another kind or API version than `wanted`.
    """
    try:
        if media_type == PROTOBUF:
            return _read_protobuf(wanted, body)
        value, repeated, is_encoded = parse(body, media_type)
        kind, api_version = type_of(value, wanted)
        check_kind(value, wanted, lambda: body.decode(errors="replace"))
    except Unreadable as error:
        unrecognized = f"the object provided is unrecognized (must be of type {wanted.kind.kind})"
        raise _decoding_error(wanted, f"{unrecognized}: {error} ({summary(body)})") from None
    except CborError as error:
        raise _cannot_handle(wanted, wanted.kind.kind, wanted.api_version, str(error)) from None
    sent = _sent_kind(wanted, kind, api_version)
    try:
        obj, strict = decode(value, sent.schema)
    except DecodeError as error:
        raise _cannot_handle(wanted, kind, api_version, str(error)) from None
    if media_type == CBOR:
        strict = _unknown_field(value, strict)
    if media_type in (YAML, CBOR):
        obj = raw_extension.mapped(obj, sent.schema, lambda value: raw_extension.marshalled(rewritten(value)))
    elif not is_encoded:
        obj = raw_extension.as_written(obj, body, sent.schema)
    refusal = warn_or_refuse([*repeated, *strict], validation, warnings)
    if refusal:
        raise _cannot_handle(wanted, kind, api_version, refusal)
    return _of_the_path(wanted, obj, api_version, value)


def check_kind(value: Any, wanted: BodyType, text: Callable[[], str]) -> None:
    """Raises Unreadable if `value` is a custom object without a kind.

    - `wanted`: the expected type of the object.
    - `text`: returns the object as text for the error message.
    """
    if wanted.kind.unstructured and not stated_type(value)[0]:
        raise Unreadable(f"Object 'Kind' is missing in '{text()}'")


def _sent_kind(wanted: BodyType, kind: str, api_version: str) -> Kind:
    problem = conversion_problem(wanted, kind, api_version)
    if problem:
        raise _cannot_handle(wanted, kind, api_version, problem)
    return wanted.kind if wanted.kind.unstructured else wanted.versions.kind_of(api_version) or wanted.kind


def _of_the_path(wanted: BodyType, obj: Object, api_version: str, value: Any) -> Object:
    if api_version != wanted.api_version and api_version not in wanted.also:
        raise bad_request(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({wanted.api_version})"
        )
    return complete(wanted, obj, value)


def _read_protobuf(wanted: BodyType, body: bytes) -> Object:
    """Decodes the object in a protobuf body, without field validation.

    Raises Unreadable if the body is not a Kubernetes protobuf message. Raises ApiError 400 if its object is
    malformed or has another kind or API version than `wanted`.
    """
    try:
        kind, api_version, raw = protobuf.unwrap(body)
    except protobuf.ProtobufError as error:
        raise Unreadable(str(error)) from None
    kind, api_version = kind or wanted.kind.kind, api_version or wanted.api_version
    sent = _sent_kind(wanted, kind, api_version)
    try:
        value = protobuf.decode(raw, sent.schema)
        obj, _ = decode(value, sent.schema)
    except (protobuf.ProtobufError, DecodeError) as error:
        raise _cannot_handle(wanted, kind, api_version, str(error)) from None
    return _of_the_path(wanted, obj, api_version, value)


def complete(wanted: BodyType, obj: Object, sent: Any) -> Object:
    """Returns a decoded object with kind, apiVersion, and the defaults of its API version.

    `sent`: the JSON value from which the object was decoded.

    Typed objects get the kind and apiVersion of the request, as their first fields. Custom objects keep their
    own kind and apiVersion.
    """
    if wanted.kind.unstructured:
        return wanted.default(obj)
    typed = {"kind": wanted.kind.kind, "apiVersion": wanted.api_version}
    return wanted.default(wanted.strategy.restore_after_decoding({**typed, **obj, **typed}, sent))


def parse(body: bytes, media_type: str) -> tuple[Any, list[str], bool]:
    """Decodes a JSON, YAML or CBOR body; returns (value, messages about duplicate YAML keys, is encoded).

    `is encoded` says whether the body has exactly the bytes that `codec.encode` writes. Duplicate JSON keys
    cause no message, because the returned value marks these keys. Raises Unreadable or CborError if the body
    is malformed.
    """
    if media_type == CBOR:
        return _parse_cbor(body), [], False
    if media_type == YAML:
        from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - loads PyYAML, only for YAML

        try:
            loaded = yaml_text.load_strictly(body)
        except yaml_text.YamlError as error:
            raise Unreadable(str(error)) from None
        return loaded.value, [loaded.strict_error] if loaded.strict_error else [], False
    try:
        value, is_encoded = json_decoding.decode_noting_form(body)
    except JsonError as error:
        words = json_syntax_error(body) or str(error)
        raise Unreadable(f"couldn't get version/kind; json parse error: {words}") from None
    return value, [], is_encoded


def _parse_cbor(body: bytes) -> Any:
    """Decodes a CBOR body.

    Raises Unreadable if kind and apiVersion cannot be read, and CborError if a nested value is malformed.
    """
    from fakeapi.machinery.cbor import decoding  # noqa: PLC0415 - behind a gate that is off by default

    try:
        return decoding.decode(body)
    except CborError as error:
        if error.level > 1:
            raise
        raise Unreadable(f"unable to determine group/version/kind: {error}") from None


def _unknown_field(value: Any, strict: list[str]) -> list[str]:
    """Returns a list with one message about the first unknown field, like upstream's CBOR decoder.

    `value`: the decoded body. `strict`: the messages of the JSON decoder about unknown fields. Without
    unknown fields, the list is empty.
    """
    for text in strict:
        *path, name = re.findall(r"[^.\[\]]+", text.removeprefix("unknown field ").strip('"'))
        place = value
        for step in path:
            place = place[int(step)] if isinstance(place, list) else place.get(step) or {}
        if name in place:
            return [f"cbor: found unknown field at map element index {list(place).index(name)}"]
    return []


def type_of(value: Any, wanted: BodyType) -> tuple[str, str]:
    """Returns (kind, apiVersion) of the body `value`. Takes missing fields from the expected type `wanted`.

    Raises Unreadable if the body is neither an object nor null, or if kind or apiVersion is malformed.
    """
    kind, api_version = stated_type(value)
    if not api_version or api_version == f"{wanted.kind.group}/":
        api_version = wanted.api_version
    return kind or wanted.kind.kind, api_version


def stated_type(value: Any) -> tuple[str, str]:
    """Returns (kind, apiVersion) in the body; "" for a missing field.

    Like Go's encoding/json, ignores the case of field names, and uses the last of duplicate fields. Raises
    Unreadable if the body is neither an object nor null, or if kind or apiVersion is malformed.
    """
    if value is None:
        return "", ""
    if not isinstance(value, dict):
        raise Unreadable(_type_mismatch(_go_kind(value), f"Go value of type {TYPE_META}"))
    stated = {"kind": "", "apiversion": ""}
    for key, item in members(value):
        name = key.casefold()
        if name not in stated or item is None:
            continue
        if not isinstance(item, str):
            field = "kind" if name == "kind" else "apiVersion"
            raise Unreadable(_type_mismatch(_go_kind(item), f"Go struct field .{field} of type string"))
        stated[name] = item
    kind, api_version = stated.values()
    if api_version.count("/") > 1:
        raise Unreadable(f"unexpected GroupVersion string: {api_version}")
    return kind, api_version.removeprefix("/")


def _type_mismatch(kind: str, place: str) -> str:
    return f"couldn't get version/kind; json parse error: json: cannot unmarshal {kind} into {place}"


def _go_kind(value: Any) -> str:
    names = {str: "string", bool: "bool", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def conversion_problem(wanted: BodyType, kind: str, api_version: str) -> str:
    """Returns why a body of this kind and apiVersion cannot be converted to the wanted kind; "" if possible.

    Custom objects always pass this check, because their validation checks kind and apiVersion.
    """
    if wanted.kind.unstructured:
        return ""
    if kind == wanted.kind.kind and wanted.versions.kind_of(api_version) is not None:
        return ""
    scheme = _scheme_of(wanted)
    if not wanted.release.knows(api_version, kind) or not _has(scheme, kind, api_version):
        return f'no kind "{kind}" is registered for version "{api_version}" in scheme "{scheme}"'
    of_meta = kind in UNVERSIONED_KINDS or kind in COMMON_KINDS
    version = "v1" if of_meta else api_version.rpartition("/")[2]  # this is the name of the type's Go package
    package = wanted.kind.group.split(".")[0] or "core"
    return f"converting ({version}.{kind}) to ({package}.{wanted.kind.kind}): unknown conversion"


def _scheme_of(wanted: BodyType) -> str:
    """Returns the Go source position of the scheme that decodes a kind, for error messages."""
    if wanted.scheme_without_type:
        return _CUSTOM_SCALES_SCHEME
    match wanted.kind.group:
        case "apiextensions.k8s.io":
            return wanted.release.quirks.definitions_scheme
        case "apiregistration.k8s.io":
            return _API_SERVICES_SCHEME
    return _SCHEME


def _has(scheme: str, kind: str, api_version: str) -> bool:
    """Whether the Go scheme at a source position knows a kind of the release.

    The main scheme, `_SCHEME`, knows all kinds. Other schemes know only kinds such as Status and ListOptions.
    """
    return scheme == _SCHEME or kind in UNVERSIONED_KINDS or (kind in COMMON_KINDS and api_version == "v1")


def _cannot_handle(wanted: BodyType, kind: str, api_version: str, why: str) -> ApiError:
    version = api_version.rpartition("/")[2]
    text = f'{kind} in version "{version}" cannot be handled as a {wanted.kind.kind}: {why}'
    return _decoding_error(wanted, text)


def _decoding_error(wanted: BodyType, text: str) -> ApiError:
    """Returns the error 400 for a body that cannot be decoded. `text`: the message for most types.

    Follows transformDecodeError of k8s.io/apiserver `pkg/endpoints/handlers/rest.go`. That function looks up
    the name of the Go type for the message, and returns the error of this lookup if the scheme lacks the
    type.
    """
    if not wanted.scheme_without_type:
        return bad_request(text)
    go_type = f"{wanted.kind.version}.{wanted.kind.kind}"
    return bad_request(
        f'no kind is registered for the type {go_type} in scheme "{wanted.scheme_without_type}"'
    )


def summary(body: bytes) -> str:
    """Returns the first bytes of a body for error messages.

    The result is text if the body looks like a JSON object, otherwise hexadecimal.
    """
    if not body:
        return "<empty>"
    start = body[:SUMMARY_LENGTH]
    text = start.decode("utf-8", "replace") if body.startswith(b"{") else start.hex()
    return f"{text} ..." if len(body) > SUMMARY_LENGTH else text


def warn_or_refuse(texts: Iterable[str], validation: str, warnings: Warnings) -> str:
    """Handles strict decoding errors as the query parameter fieldValidation says.

    `validation`: with Strict, returns an error message, or "" without errors. With Warn, adds the texts as
    warnings and returns "". With Ignore, returns "".
    """
    messages = list(texts)
    if validation == "Strict" and messages:
        return "strict decoding error: " + ", ".join(messages)
    if validation == "Warn":
        for text in messages:
            warn_of(text, warnings)
    return ""


def warn_of(text: str, warnings: Warnings) -> None:
    """Adds a strict decoding error as a warning. Each duplicate YAML key becomes a separate warning.

    Follows k8s.io/apiserver `pkg/endpoints/handlers` (parseYAMLWarnings).
    """
    if not text.startswith(STRICT_PREFIX):
        warnings.add(text)
        return
    for line in text.removeprefix(STRICT_PREFIX).split("\n"):
        warnings.add(line.strip())
