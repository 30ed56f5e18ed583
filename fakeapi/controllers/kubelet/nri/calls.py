"""The calls between a container runtime and an NRI plugin, in protobuf.

Follows github.com/containerd/nri `pkg/api/api.proto` and github.com/containerd/ttrpc `request.proto`.
"""

import msgspec

from fakeapi.machinery.schema.protobuf_wire import Fields, WireError, bytes_field, fields_of, varint_field

PLUGIN_SERVICE = "nri.pkg.api.v1alpha1.Plugin"
RUNTIME_SERVICE = "nri.pkg.api.v1alpha1.Runtime"
UNIMPLEMENTED = 12
"""The code of gRPC for an unknown method."""

REGISTRATION_MILLISECONDS = 5000
REQUEST_MILLISECONDS = 2000
"""The default time limits that containerd sends to plugins."""


class Call(msgspec.Struct, frozen=True):
    """A request: the service, the method and the encoded arguments."""

    service: str
    method: str
    payload: bytes = b""


def call_of(content: bytes) -> Call:
    """Decodes a request. Raises WireError for a malformed request."""
    fields = fields_of(content)
    return Call(text_of(fields, 1), text_of(fields, 2), _bytes_of(fields, 3))


def encoded_call(call: Call) -> bytes:
    """Encodes a request."""
    return (
        bytes_field(1, call.service.encode())
        + bytes_field(2, call.method.encode())
        + bytes_field(3, call.payload)
        + varint_field(4, REQUEST_MILLISECONDS * 1_000_000)
    )


def refusal(code: int, message: str) -> bytes:
    """Encodes the response to a request that fails. A response without bytes is an empty result."""
    return bytes_field(1, varint_field(1, code) + bytes_field(2, message.encode()))


def error_of(content: bytes) -> str:
    """Returns the message of a response if the request failed; otherwise "".

    Raises WireError if the response is malformed.
    """
    status = fields_of(_bytes_of(fields_of(content), 1))
    if not any(status.get(1, ())):
        return ""
    return text_of(status, 2) or "no message"


def configure(version: str) -> Call:
    """Returns the first call to a plugin. The call sends the runtime's name, version and time limits."""
    payload = bytes_field(2, b"fakeapi") + bytes_field(3, version.encode())
    payload += varint_field(4, REGISTRATION_MILLISECONDS) + varint_field(5, REQUEST_MILLISECONDS)
    return Call(PLUGIN_SERVICE, "Configure", payload)


def synchronize() -> Call:
    """Returns the second call to a plugin, with an empty list of pods and containers."""
    return Call(PLUGIN_SERVICE, "Synchronize")


def text_of(fields: Fields, number: int) -> str:
    """Returns a string of a message; "" for a missing field. Raises WireError if the field is a number."""
    return _bytes_of(fields, number).decode(errors="replace")


def _bytes_of(fields: Fields, number: int) -> bytes:
    value = (fields.get(number) or [b""])[-1]
    if isinstance(value, int):
        raise WireError("proto: cannot parse invalid wire-format data")
    return value
