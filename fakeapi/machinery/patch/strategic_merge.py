"""Applies strategic merge patches to JSON objects, by the schema of their kind.

Follows k8s.io/apimachinery `pkg/util/strategicpatch`. Responses follow k8s.io/apiserver
`pkg/endpoints/handlers/patch.go`. Releases differ in the schema (which lists merge, and by which key) and in
the rule `keeps_directives`.

Two kinds of patch make Go panic, so that kube-apiserver closes the connection:

- `$setElementOrder` for a list of objects that does not merge, because Go cannot hash an object
- null in a list that merges, because null has no Go type

fakeapi responds with status 500 instead, as for other unexpected errors of the handler.
"""

from collections.abc import Hashable
from typing import Any

from fakeapi.machinery.codec import JsonError, value_of
from fakeapi.machinery.errors import ApiError, bad_request
from fakeapi.machinery.golang.fmt import printed, type_name
from fakeapi.machinery.golang.json_decoding import decode_untyped, duplicate_errors_of, json_kind
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.patch.strategic_list_order import (
    DIRECTIVE,
    check_order,
    deduplicated,
    element_kind,
    identity,
    in_order,
    is_directive,
    live_order,
    no_merge_key,
    partition,
    unexpected,
    wrong_type,
)
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct

_RETAIN_KEYS = "$retainKeys"
_DELETE_FROM_LIST = "$deleteFromPrimitiveList"
_ELEMENT_ORDER = "$setElementOrder"
_STRUCTS = (ScalarKind.TIME, ScalarKind.MICRO_TIME, ScalarKind.QUANTITY, ScalarKind.INT_OR_STRING)


def decode_patch(body: bytes) -> dict[str, Any]:
    """Decodes a strategic merge patch; null is an empty patch.

    Raises ApiError 400 if the body is not valid JSON, or is neither an object nor null.
    """
    try:
        patch = decode_untyped(body)
    except JsonError as error:
        raise bad_request(str(error)) from error
    if patch is not None and not isinstance(patch, dict):
        raise bad_request(
            f"json: cannot unmarshal {json_kind(patch)} into Go value of type map[string]interface {{}}"
        )
    return patch or {}


def strict_errors(body: bytes) -> list[str]:
    """Returns the strict errors for repeated keys in a strategic merge patch itself.

    In a response, these errors precede the errors of the patched object.
    """
    return duplicate_errors_of(body)


def apply(
    patch: dict[str, Any], document: dict[str, Any], schema: Node, *, keeps_directives: bool = False
) -> dict[str, Any]:
    """Applies a strategic merge patch and returns the patched document.

    The result shares unchanged parts with `document`; no argument is changed. Raises ApiError: 400 and 422
    for malformed patches, 500 for patches that kube-apiserver does not expect.

    `keeps_directives`: whether to follow the rule of release 1.27. New values keep the directives inside them
    as unknown fields, and `$deleteFromPrimitiveList` replaces a list that does not merge.
    """
    return _Merge(keeps_directives=keeps_directives).objects(document, patch, schema)


def _bad_directive(directive: Any, item: dict[str, Any]) -> ApiError:
    text = directive if isinstance(directive, str) else f"%!s({type_name(directive)}={printed(directive)})"
    return unexpected(f"unknown patch type: {text} in map: {printed(item)}")


def _bad_form(of: str) -> ApiError:
    return bad_request(f"invalid patch format of {of}")


class _Merge:
    def __init__(self, *, keeps_directives: bool) -> None:
        self._keeps_directives = keeps_directives

    def objects(self, original: dict[str, Any], patch: dict[str, Any], schema: Node) -> dict[str, Any]:
        if DIRECTIVE in patch:
            return _directed(patch)
        merged, patch = dict(original), dict(patch)
        if _RETAIN_KEYS in patch:
            merged = _retained(merged, patch, patch.pop(_RETAIN_KEYS))
        for key in [key for key in patch if key.startswith(_ELEMENT_ORDER)]:
            self._ordered_list(merged, patch, key, schema)
        for key, value in patch.items():
            if key.startswith(_DELETE_FROM_LIST):
                self._deletion_list(merged, _after_slash(key, "primitive list"), value, schema)
            else:
                self._member(merged, key, value, schema)
        return merged

    def _member(self, merged: dict[str, Any], key: str, value: Any, schema: Node) -> None:
        if value is None:
            merged.pop(key, None)
            return
        current = value_of(merged.get(key))
        if isinstance(current, dict) and isinstance(value, dict):
            field = _field(schema, key)
            merged[key] = value if field.patch_replace else self.objects(current, value, field.node)
        elif isinstance(current, list) and isinstance(value, list):
            node = _list_field(schema, key)
            merged[key] = self._lists(current, value, node) if node.patch_merge else value
        elif isinstance(value, dict) and DIRECTIVE in value and not self._keeps_directives:
            merged.pop(key, None)
        else:
            value = _without_nulls(value)
            merged[key] = value if self._keeps_directives else _without_directives(value)

    def _deletion_list(self, merged: dict[str, Any], key: str, value: Any, schema: Node) -> None:
        if value is None:
            merged.pop(key, None)
            return
        current = merged.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            merged[key] = self.objects(current, value, _field(schema, key).node)
        elif isinstance(current, list) and isinstance(value, list):
            node = _list_field(schema, key)
            if node.patch_merge or not self._keeps_directives:
                merged[key] = self._lists(current, value, node, deletes=True)
            else:
                merged[key] = value
        elif key in merged and type(current) is type(value):
            merged[key] = value

    def _ordered_list(
        self, merged: dict[str, Any], patch: dict[str, Any], directive: str, schema: Node
    ) -> None:
        """Merges a list in the order given by `$setElementOrder/FIELD` in the patch.

        Removes the list and this directive from `patch`. Raises ApiError if the list or the order is
        malformed.

        - `merged`: the object that contains the list; receives the merged list
        - `directive`: the full key, such as `$setElementOrder/containers`
        """
        order = patch.pop(directive)
        if not isinstance(order, list):
            raise wrong_type([], order)
        key = _after_slash(directive, "setElementOrder list")
        for holder in (merged, patch):
            if key in holder and not isinstance(holder[key], list):
                raise wrong_type([], holder[key])
        node = _list_field(schema, key)
        merge_key = node.patch_merge_key or ""
        original, changes = merged.get(key) or [], patch.get(key) or []
        check_order(changes, order, merge_key)
        if key in merged and key in patch:
            result = self._lists(original, changes, node) if node.patch_merge else changes
            original = live_order(original, changes, merge_key) if node.patch_merge else original
        elif key in patch:
            result = changes if self._keeps_directives else _without_directives(changes)
        elif key in merged:
            result = original
        else:
            return
        named, others = partition(result, order, merge_key)
        kind = element_kind(original, changes)
        merged[key] = in_order(named, others, order, original, merge_key if kind is dict else None)
        patch.pop(key, None)

    def _lists(
        self, original: list[Any], patch: list[Any], node: List, *, deletes: bool = False
    ) -> list[Any]:
        if not original and not patch:
            return original
        kind = element_kind(original, patch)
        merge_key = node.patch_merge_key or ""
        if kind is not dict:
            if deletes:
                unwanted = {identity(item) for item in patch}
                return [item for item in original if identity(item) not in unwanted]
            merged = deduplicated(original + patch)
        elif not merge_key:
            raise unexpected(f"cannot merge lists without merge key for {_go_kind(node.items)}")
        else:
            original, patch = _apply_element_directives(original, patch, merge_key)
            merged = self._elements(original, patch, node)
        named, others = partition(merged, patch, merge_key)
        return in_order(named, others, patch, original, merge_key if kind is dict else None)

    def _elements(self, original: list[Any], patch: list[Any], node: List) -> list[Any]:
        """Merges the elements of two lists by merge key: live elements first, then new elements.

        `original`: the live list
        `patch`: the list in the patch

        Raises ApiError for an element of the patch without the merge key.
        """
        merge_key = node.patch_merge_key or ""
        merged = list(original)
        places: dict[Hashable, int] = {}
        for index, item in enumerate(merged):
            if merge_key in item:
                places.setdefault(identity(item[merge_key]), index)
        for item in patch:
            if merge_key not in item:
                raise no_merge_key(item, merge_key)
            key = identity(item[merge_key])
            if key in places:
                place = places[key]
                merged[place] = self.objects(merged[place], item, node.items)
            else:
                places[key] = len(merged)
                merged.append(item)
        return merged


def _directed(patch: dict[str, Any]) -> dict[str, Any]:
    directive = patch[DIRECTIVE]
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != DIRECTIVE}
    if directive == "delete":
        return {}
    raise _bad_directive(directive, patch)


def _after_slash(directive: str, of: str) -> str:
    """Returns the field name in a directive such as `$setElementOrder/containers`.

    Raises ApiError 400 for text that is not such a directive; `of` names the directive in the message.
    """
    name, slash, key = directive.partition("/")
    if not slash or name not in (_DELETE_FROM_LIST, _ELEMENT_ORDER):
        raise _bad_form(of)
    return key


def _retained(merged: dict[str, Any], patch: dict[str, Any], keys: Any) -> dict[str, Any]:
    """Applies `$retainKeys` to the object `merged`: drops members that `keys` does not list.

    Raises ApiError 400 if `keys` is not a list, or if the patch sets members that `keys` does not list.
    """
    if not isinstance(keys, list):
        raise _bad_form("retainKeys")
    kept = {key for key in keys if isinstance(key, str)}
    for key, value in patch.items():
        if value is not None and key not in kept and not key.startswith((_DELETE_FROM_LIST, _ELEMENT_ORDER)):
            raise _bad_form("retainKeys")
    return {key: value for key, value in merged.items() if key in kept}


def _without_nulls(value: Any) -> Any:
    """Returns a copy of a JSON value without null members of objects, at any depth; keeps nulls in lists."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


def _without_directives(value: Any) -> Any:
    """Returns a copy of a JSON value without inner objects that contain `$patch`, at any depth."""
    if isinstance(value, dict):
        return {key: _without_directives(item) for key, item in value.items() if not is_directive(item)}
    if isinstance(value, list):
        return [_without_directives(item) for item in value if not is_directive(item)]
    return value


def _apply_element_directives(
    original: list[Any], patch: list[Any], merge_key: str
) -> tuple[list[Any], list[Any]]:
    """Applies the list elements with `$patch`; returns the remaining elements of `original` and `patch`.

    `original`: the live list
    `patch`: the list in the patch

    Raises ApiError 500 for an unknown directive, for `merge`, and for a deletion without the merge key.
    """
    changes = [item for item in patch if DIRECTIVE not in item]
    replaced = False
    unwanted: set[Hashable] = set()
    for item in patch:
        if DIRECTIVE not in item:
            continue
        directive = item[DIRECTIVE]
        if directive == "delete":
            if merge_key not in item:
                raise no_merge_key(item, merge_key)
            unwanted.add(identity(item[merge_key]))
        elif directive == "replace":
            replaced = True
        elif directive == "merge":
            raise unexpected("merging lists cannot yet be specified in the patch")
        else:
            raise _bad_directive(directive, item)
    if replaced:
        return changes, []
    left = [item for item in original if merge_key not in item or identity(item[merge_key]) not in unwanted]
    return left, changes


def _field(schema: Node, key: str) -> Field:
    """Returns the field of a struct by its JSON name, ignoring case.

    Raises ApiError 500 if the schema node is not a struct or has no such field.
    """
    kind = _go_kind(schema)
    if kind != "struct":
        raise unexpected(f"merging an object in json but data type is not struct, instead is: {kind}")
    fields = schema.fields if isinstance(schema, Struct) else {}
    if key in fields:
        return fields[key]
    for name, field in fields.items():
        if name.casefold() == key.casefold():
            return field
    struct = schema.go_type.rpartition(".")[2]
    raise unexpected(f"unable to find api field in struct {struct} for the json field {quote(key)}")


def _list_field(schema: Node, key: str) -> List:
    node = _field(schema, key).node
    if not isinstance(node, List):
        raise unexpected(f"expected slice or array type, but got: {_go_kind(schema)}")
    if isinstance(node.items, List):
        raise unexpected("unexpected slice of slice")
    return node


def _go_kind(node: Node) -> str:
    match node:
        case Struct() | AnyValue():
            return "struct"
        case Map():
            return "map"
        case List():
            return "slice"
        case Scalar(kind=kind) if kind in _STRUCTS:
            return "struct"
        case Scalar(go_type=go):
            return go
