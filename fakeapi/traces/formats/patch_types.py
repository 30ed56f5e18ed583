"""Infers the media type of a patch from an audit log, which does not record the Content-Type.

Some bodies and queries allow only one type. For other patches, the function `infer` uses evidence such as
the response, or assumes a type.
"""

from typing import Any
from urllib.parse import parse_qs

from fakeapi.machinery.patch.media_types import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    SHORT_NAMES,
    STRATEGIC_MERGE_PATCH,
)

NAMES = {media_type: name for name, media_type in SHORT_NAMES.items()}

_BUILT_IN_GROUPS = frozenset({"", "apps", "autoscaling", "batch", "extensions", "policy"})
_MERGING_AGENTS = ("kopf",)
"""The prefixes of User-Agents of clients whose patches are merge patches by default."""


def infer(
    patch: Any, *, query: str, group: str, agent: str, answer: Any = None, assume: str = STRATEGIC_MERGE_PATCH
) -> tuple[str, str]:
    """Returns the media type of a patch, and the reason for this conclusion as text.

    - `patch` and `answer`: the decoded bodies of request and response; `answer` is None if unknown.
    - `query`: the query of the request.
    - `group`: the API group of the resource.
    - `agent`: the User-Agent of the client.
    - `assume`: the media type to return without any evidence.
    """
    if isinstance(patch, list):
        return JSON_PATCH, "its body is a list"
    options = parse_qs(query, keep_blank_values=True)
    if "force" in options:
        return APPLY_PATCH, "only an apply accepts `force`"
    managers = options.get("fieldManager", [])
    operations = _operations(answer, managers[0]) if managers else set()
    whole = isinstance(patch, dict) and "apiVersion" in patch and "kind" in patch
    if whole and managers and operations != {"Update"}:
        return APPLY_PATCH, "a whole object from a named field manager"
    if _has_directive(patch):
        return STRATEGIC_MERGE_PATCH, "its body has directives of strategic merge"
    if _is_custom(group):
        return MERGE_PATCH, f"custom resources such as those of {group} take no strategic merge"
    if _was_merged(patch, answer):
        return STRATEGIC_MERGE_PATCH, "the answer has more list entries than the patch"
    if agent.startswith(_MERGING_AGENTS):
        return MERGE_PATCH, f"assumed: {agent.partition('/')[0]} sends merge patches"
    return assume, "assumed: nothing indicates another type"


def _is_custom(group: str) -> bool:
    return group not in _BUILT_IN_GROUPS and not group.endswith(".k8s.io")


def _has_directive(value: Any) -> bool:
    if isinstance(value, dict):
        return any(key.startswith("$") or _has_directive(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(_has_directive, value))


def _operations(answer: Any, manager: str) -> set[str]:
    metadata = answer.get("metadata") if isinstance(answer, dict) else None
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    if not isinstance(entries, list):
        return set()
    return {
        str(entry.get("operation"))
        for entry in entries
        if isinstance(entry, dict) and entry.get("manager") == manager
    }


def _was_merged(patch: Any, answer: Any) -> bool:
    """Whether a list is longer in the response than in the patch, as after a strategic merge patch."""
    if isinstance(patch, dict) and isinstance(answer, dict):
        return any(_was_merged(value, answer.get(key)) for key, value in patch.items())
    return isinstance(patch, list) and isinstance(answer, list) and 0 < len(patch) < len(answer)
