"""Validates matchLabelKeys and mismatchLabelKeys of a pod's selectors.

Follows `ValidateMatchLabelKeysAndMismatchLabelKeys` and `ValidateMatchLabelKeysInTopologySpread` of
k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.core.pod.validation.checks import Errors
from fakeapi.machinery.field_errors import forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.wording import Wording

_NO_SELECTOR = "must not be specified when labelSelector is not set"
_IN_BOTH = "exists in both matchLabelKeys and labelSelector"


def label_keys_errors(
    keys: Sequence[str], mismatched: Sequence[str], selector: Object | None, path: str, wording: Wording
) -> Errors:
    """Validates label keys that the API server merges into the label selector.

    - `keys`: the matchLabelKeys
    - `mismatched`: the mismatchLabelKeys
    - `path`: the path of the affinity term or the topology spread constraint
    """
    yield from _keys_errors(keys, selector, f"{path}.matchLabelKeys", wording)
    yield from _keys_errors(mismatched, selector, f"{path}.mismatchLabelKeys", wording)
    if selector is not None:
        seen = set(selector.get("matchLabels") or ())
        for expression in selector.get("matchExpressions") or ():
            key = expression.get("key", "")
            if key in keys and key in seen:
                last = len(keys) - 1 - list(reversed(keys)).index(key)
                yield invalid(f"{path}[{last}]", key, _IN_BOTH)
            seen.add(key)
    for index, key in enumerate(keys):
        if key in mismatched:
            rule = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield invalid(f"{path}.matchLabelKeys[{index}]", key, rule)


def unmerged_label_keys_errors(
    keys: Sequence[str], selector: Object | None, path: str, wording: Wording
) -> Errors:
    """Validates label keys that the API server does not merge into the label selector.

    `path`: the path of the keys.
    """
    if not keys:
        return
    used: set[str] = set()
    if selector is None:
        yield forbidden(path, _NO_SELECTOR)
    else:
        used = set(selector.get("matchLabels") or ())
        used |= {expression.get("key", "") for expression in selector.get("matchExpressions") or ()}
    for index, key in enumerate(keys):
        yield from validate_qualified_name(key, f"{path}[{index}]", wording)
        if key in used:
            yield invalid(f"{path}[{index}]", key, _IN_BOTH)


def _keys_errors(keys: Sequence[str], selector: Object | None, path: str, wording: Wording) -> Errors:
    if keys and selector is None:
        yield forbidden(path, _NO_SELECTOR)
        return
    for index, key in enumerate(keys):
        yield from validate_qualified_name(key, f"{path}[{index}]", wording)
