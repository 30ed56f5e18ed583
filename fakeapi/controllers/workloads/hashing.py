"""Computes the hashes of pod templates and revisions. The hashes become labels and parts of names.

Follows `ComputeHash` of k8s.io/kubernetes `pkg/controller` and `HashControllerRevision` of
`pkg/controller/history`, with one difference. Kubernetes hashes the Go struct of a template; this module
hashes its JSON. So the hashes of templates differ from the hashes in a real cluster.
"""

from typing import Any

from fakeapi.machinery import codec

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_BASIS, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF


def template_hash(template: Any, collision_count: int | None) -> str:
    """Returns the hash of a pod template, as the value of the label pod-template-hash.

    `collision_count`: the collisionCount in the status of the workload; None without a collisionCount.
    """
    data = codec.encode(codec.in_key_order(template))
    return _text(_fnv32a(data + _collisions(collision_count)))


def revision_hash(data: Any, collision_count: int | None) -> str:
    """Returns the hash of the data of a ControllerRevision."""
    digits = b"" if collision_count is None else str(collision_count).encode()
    return _text(_fnv32(codec.encode(codec.in_key_order(data)) + digits))


def _collisions(count: int | None) -> bytes:
    return b"" if count is None else count.to_bytes(8, "little")


def _fnv32a(data: bytes) -> int:
    value = _BASIS
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def _fnv32(data: bytes) -> int:
    value = _BASIS
    for byte in data:
        value = (value * _PRIME) & _MASK ^ byte
    return value


def _text(number: int) -> str:
    """Encodes a hash without vowels, to avoid bad words, as `SafeEncodeString` of apimachinery does."""
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in str(number))
