"""Merges and compares the tolerations of pods.

Follows k8s.io/kubernetes `pkg/util/tolerations`.
"""

from collections.abc import Sequence

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import semantically_equal


def merged(tolerations: Sequence[Object]) -> list[Object]:
    """Returns tolerations without duplicates.

    Omits each toleration that another toleration covers. Of equal tolerations, keeps the first.
    """
    kept: list[Object] = []
    for index, toleration in enumerate(tolerations):
        later = (wide for wide in tolerations[index + 1 :] if not semantically_equal(wide, toleration))
        if not any(covers(wide, toleration) for wide in (*kept, *later)):
            kept.append(toleration)
    return kept


def covers(wide: Object, toleration: Object) -> bool:
    """Whether the toleration `wide` tolerates all taints that `toleration` tolerates."""
    if semantically_equal(wide, toleration):
        return True
    operator, key, effect = (wide.get(name, "") for name in ("operator", "key", "effect"))
    if toleration.get("key", "") != key and (key or operator != "Exists"):
        return False
    if effect not in ("", toleration.get("effect", "")):
        return False
    seconds, others = wide.get("tolerationSeconds"), toleration.get("tolerationSeconds")
    if effect == "NoExecute" and seconds is not None and (others is None or others > seconds):
        return False
    if operator == "Exists":
        return True
    is_equal = toleration.get("operator") == "Equal" and toleration.get("value", "") == wide.get("value", "")
    return operator in ("", "Equal") and is_equal
