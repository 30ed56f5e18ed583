"""Applies the mutations of MutatingAdmissionPolicies.

The CEL expression of a mutation returns an ApplyConfiguration or a JSON patch. Follows k8s.io/apiserver
`pkg/admission/plugin/policy/mutating/patch`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite
from fakeapi.admission.policies.expressions import CALL_EXCEEDED, Expressions, OutOfBudget
from fakeapi.machinery import codec, errors
from fakeapi.machinery.apply.merge import merge
from fakeapi.machinery.apply.pathelement import of_field, spell
from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.apply.validate import validate
from fakeapi.machinery.cel.evaluation import Failed, Unsupported
from fakeapi.machinery.cel.runtime.constructed import json_of, misnamed
from fakeapi.machinery.cel.runtime.memory import MemoryLimitError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch import json_patch
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import AnyValue, List, ListType, Map, Node, Struct
from fakeapi.registry.model.resource import Resource


class MutationError(ValueError):
    """Raised if a mutation cannot be applied. The message is the reason."""


def mutate(
    mutation: Mapping[str, Any], asked: Expressions, write: VersionedWrite, resource: Resource
) -> Unsupported | None:
    """Applies a mutation to the new object of a write.

    Returns Unsupported if fakeapi cannot evaluate the expression of the mutation; otherwise None.

    - `asked`: evaluates the expressions of the policy
    - `resource`: the resource in the API version of the mutation

    Raises MutationError if the mutation cannot be applied. Raises ApiError 500 if the result is not a valid
    object of its kind.
    """
    applies = mutation.get("patchType") == "ApplyConfiguration"
    text = (mutation.get("applyConfiguration" if applies else "jsonPatch") or {}).get("expression", "")
    try:
        outcome = asked.outcome(text, patches=True)
    except OutOfBudget as error:
        raise MutationError(str(error)) from None
    if isinstance(outcome, Unsupported):
        return outcome
    if isinstance(outcome, Failed):
        raise MutationError(outcome.reason)
    value = _json(outcome.value, asked)
    obj = write.new_in(resource)
    assert obj is not None, "there is something to mutate"
    node = write.schema(resource)
    change = _merged if applies else _patched
    document = change(value, write.document(obj, resource), node)
    if document is not None:
        try:
            write.replace(document, resource)
        except DecodeError as error:
            raise MutationError(str(error)) from None
    return None


def _json(value: Any, asked: Expressions) -> Any:
    """Returns the CEL result of an expression as decoded JSON.

    Raises MutationError if the result has the wrong type or needs too much memory. `asked`: has the memory
    limit of the policy's expressions.
    """
    try:
        with asked.memory:
            problems = list(misnamed(value))
            if problems:
                raise MutationError("type mismatch: " + "\n".join(problems))
            return json_of(value)
    except (MemoryLimitError, RecursionError):
        raise MutationError(CALL_EXCEEDED) from None


def _merged(configuration: Any, obj: Object, node: Struct) -> Object:
    applied = {**configuration, **{name: obj[name] for name in ("kind", "apiVersion") if name in obj}}
    try:
        validate(applied, node)
    except TypedError as error:
        why = f"failed to convert patch object to typed object: {error}"
        raise MutationError(f"error applying patch: {why}") from None
    atomic = list(_atomic(applied, node, ""))
    if atomic:
        why = f"may not mutate atomic arrays, maps or structs: {', '.join(atomic)}"
        raise MutationError(f"error applying patch: invalid ApplyConfiguration: {why}")
    try:
        document: Object = merge(obj, applied, node)
    except TypedError as error:
        raise MutationError(f"error applying patch: failed to merge patch: {error}") from None
    return document


def _atomic(value: Any, node: Node, path: str) -> Iterator[str]:
    """Yields the paths of all atomic lists, maps and structs in a decoded JSON value.

    `node`: the schema node of the value. `path`: the field path of the value.
    """
    match value:
        case dict():
            if isinstance(node, AnyValue) or (isinstance(node, Struct | Map) and node.atomic):
                yield path
            if isinstance(node, Struct):
                for name, member in value.items():
                    if name in node.fields:
                        yield from _atomic(member, node.fields[name].node, path + spell(of_field(name)))
        case list():
            if isinstance(node, AnyValue) or (isinstance(node, List) and node.list_type is ListType.ATOMIC):
                yield path
            if isinstance(node, List):
                for index, item in enumerate(value):
                    yield from _atomic(item, node.items, f"{path}[{index}]")


def _patched(operations: Any, obj: Object, node: Struct) -> Object | None:
    """Applies a JSON patch; returns None if a `test` operation fails.

    Raises MutationError if another operation fails, and ApiError 500 if the result is not a valid object.
    """
    cleaned = [
        {name: operation[name] for name in operation if name != "from" or operation[name]}
        for operation in operations
    ]
    steps = json_patch.decode_operations(codec.encode(cleaned), checked=False)
    try:
        document: Object = json_patch.applied(steps, obj)
    except json_patch.FailedTestError:
        return None
    except json_patch.PatchError as error:
        raise MutationError(f"JSON Patch: {error}") from None
    try:
        _, strict = decode(document, node)
    except DecodeError as error:
        raise errors.internal(str(error)) from None
    if strict:
        raise errors.internal(f"strict decoding error: {', '.join(strict)}")
    return document
