"""CBOR (RFC 8949) as Kubernetes writes and reads it.

Follows k8s.io/apimachinery `pkg/runtime/serializer/cbor` and the options that it sets for
github.com/fxamacker/cbor. General libraries accept data that it rejects, such as duplicate keys and large
arrays. They also interpret tags that have no meaning here.
"""

SELF_DESCRIBED = b"\xd9\xd9\xf7"
"""The head of the self-described CBOR tag, with which every object begins."""


class CborError(ValueError):
    """Data that is not a valid value. The message is Go's.

    `level` is 0 for malformed data. For well-formed data it is the depth of the error, 1 for the outermost
    map.
    """

    def __init__(self, text: str, level: int = 0) -> None:
        super().__init__(text)
        self.level = level
