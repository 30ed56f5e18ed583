"""CBOR (RFC 8949) as Kubernetes writes and reads it.

Follows k8s.io/apimachinery `pkg/runtime/serializer/cbor` and the modes that it sets for
github.com/fxamacker/cbor. General libraries take what it refuses (a key twice, any size) and give a meaning
to tags that have none here.
"""

SELF_DESCRIBED = b"\xd9\xd9\xf7"
"""The head of the tag that every object begins with."""


class CborError(ValueError):
    """Data that is no value, in Go's words.

    `level` is 0 for malformed data, which nothing can be read of; else the depth of what is wrong in a value
    that is well-formed, 1 for the outermost map.
    """

    def __init__(self, text: str, level: int = 0) -> None:
        super().__init__(text)
        self.level = level
