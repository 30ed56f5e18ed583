"""CBOR (RFC 8949) as Kubernetes writes and reads it.

Follows k8s.io/apimachinery `pkg/runtime/serializer/cbor` and the options that it sets for
github.com/fxamacker/cbor. General libraries accept data that Kubernetes rejects, such as duplicate keys and
large arrays. They also interpret tags that Kubernetes ignores.
"""

SELF_DESCRIBED = b"\xd9\xd9\xf7"
"""The self-described CBOR tag (55799) as bytes; every encoded object begins with it."""


class CborError(ValueError):
    """The CBOR data is malformed, or Kubernetes rejects it; the message is Go's.

    `level` is 0 if decoding stops at the error, such as for malformed data. For other errors, `level` is the
    nesting depth of the invalid value: 1 for the outermost map and its values.
    """

    def __init__(self, text: str, level: int = 0) -> None:
        super().__init__(text)
        self.level = level
