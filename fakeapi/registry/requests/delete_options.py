"""Decodes DeleteOptions, the body of a DELETE.

Follows k8s.io/apiserver `pkg/endpoints/handlers/delete.go`, which decodes DeleteOptions with the scheme of
internal list options. Up to 1.34, decoding errors have status 500 and no reason.
"""

from fakeapi.machinery.cbor import CborError
from fakeapi.machinery.errors import ApiError, bad_request
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.decoding import PROTOBUF, Unreadable, parse, stated_type
from fakeapi.releases.kinds import UNVERSIONED_KINDS


def read_delete_options(body: bytes, media_type: str, resource: Resource) -> Object:
    """Decodes DeleteOptions.

    Raises ApiError 400 if the body is malformed or has another kind. Up to 1.34, the code is 500, without a
    reason.
    """
    try:
        return _decode(body, media_type, resource)
    except (Unreadable, CborError, DecodeError, protobuf.ProtobufError, _OtherKindError) as error:
        if resource.release.quirks.delete_body_error_is_500:
            raise ApiError(500, "", str(error)) from None
        raise bad_request(str(error)) from None


class _OtherKindError(Exception):
    """Raised if the kind of the body is not DeleteOptions."""


def _decode(body: bytes, media_type: str, resource: Resource) -> Object:
    schema = resource.release.schemas.struct("meta/v1.DeleteOptions")
    if media_type == PROTOBUF:
        kind, api_version, raw = protobuf.unwrap(body)
        value = protobuf.decode(raw, schema)
    else:
        value, *_ = parse(body, media_type)
        kind, api_version = stated_type(value)
    if kind in UNVERSIONED_KINDS:
        raise _OtherKindError(f"converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")
    if kind not in ("", "DeleteOptions"):
        scheme = 'scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"'
        raise _OtherKindError(
            f'no kind "{kind}" is registered for version "{api_version or "v1"}" in {scheme}'
        )
    options, _ = decode(value, schema)
    return options
