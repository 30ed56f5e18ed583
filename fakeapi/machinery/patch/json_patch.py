"""Applies JSON patches (RFC 6902) like Kubernetes, which uses gopkg.in/evanphx/json-patch v4.12.

evanphx/json-patch differs from the RFC:

- Replacing or copying a missing key adds the key.
- A test of a missing key against null passes.
- Indexes may be negative.
- Scalars are compared as text.

Responses follow k8s.io/apiserver `pkg/endpoints/handlers/patch.go`, in all releases. Only responses about
patches from webhooks include the messages of evanphx/json-patch.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from fakeapi.machinery.codec import JsonError, value_of
from fakeapi.machinery.errors import ApiError, Details, bad_request
from fakeapi.machinery.golang.duplicate_keys import (
    RepeatedKeys,
    duplicate_errors,
    first_strict_errors,
    holds_repeated,
    members,
)
from fakeapi.machinery.golang.json_decoding import check_untyped, decode_marking_duplicates, json_kind
from fakeapi.machinery.golang.json_encoding import go_encode, is_as_go_writes
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.patch.json_literals import decode_literals, literals_of, matches_literals
from fakeapi.machinery.schema import raw_extension

MAX_OPERATIONS = 10_000
"""Maximum number of operations of a JSON patch; more operations are rejected with status 413."""

MAX_COPIED_BYTES = 3 * 1024 * 1024
"""Maximum size of the JSON that all `copy` operations of a patch add, in bytes.

A patch that adds more is rejected with status 422.
"""

ABSENT: Any = object()
"""Stands for a missing member `value` of an operation: `add` and `replace` then use null; `test` fails."""

_TEXT_MEMBERS = ("op", "path", "from")
_OF_A_VALUE = ("into Go value of type float64", "into Go struct field jsonPatchOp.value of type float64")
"""The end of the error for a number that is too large: in fakeapi's decoder, and in kube-apiserver."""


class PatchError(ValueError):
    """Raised if a JSON patch operation cannot be applied. The message comes from evanphx/json-patch."""


class FailedTestError(PatchError):
    """Raised if the value of a `test` operation in a JSON patch differs from the value in the document."""


_MISSING = "missing value"
_FAILED_TEST = "test failed"
_BAD_INDEX = "invalid index referenced"


class Operation(msgspec.Struct, frozen=True):
    """An operation of a JSON patch.

    - `kind`: the member `op`; "unknown" if it is absent or not a string.
    - `path`, `source`: the members `path` and `from`; None if they are absent or not strings.
    - `value`: the decoded member `value`, or ABSENT.
    - `text`: only for `test`: the member `value` with each scalar as its JSON text in bytes.
    """

    kind: str
    path: str | None
    source: str | None
    value: Any
    text: Any = None


def decode_operations(body: bytes, *, checked: bool = True) -> list[Operation]:
    """Decodes the operations of a JSON patch.

    Null counts as an empty list, and a null item as an operation without members. Raises ApiError 400 if the
    body is not a list of objects, and ApiError 413 for more than MAX_OPERATIONS.

    `checked`: False for fieldValidation=Ignore. Error messages then have no prefix. Members with a wrong type
    are then errors only when the operation is applied.
    """
    prefix = "error decoding patch: " if checked else ""
    try:
        items = decode_marking_duplicates(body)
        if checked:
            check_untyped(body)
    except JsonError as error:
        problem = str(error).replace(*_OF_A_VALUE) if checked else str(error)
        raise bad_request(f"{prefix}{problem}") from error
    problem = _type_error(items, checked=checked)
    if problem:
        raise bad_request(f"{prefix}json: cannot unmarshal {problem}")
    items = items or []
    if len(items) > MAX_OPERATIONS:
        raise ApiError(
            413,
            "RequestEntityTooLarge",
            "Request entity too large: The allowed maximum operations in a JSON patch is "
            f"{MAX_OPERATIONS}, got {len(items)}",
        )
    operations = [_operation(item or {}) for item in items]
    if any(operation.kind == "test" for operation in operations):
        texts = map(literals_of, items) if is_as_go_writes(body, items) else decode_literals(body)
        operations = [_with_text(operation, text) for operation, text in zip(operations, texts, strict=True)]
    return operations


def strict_errors(body: bytes) -> list[str]:
    """Returns the strict errors of a JSON patch itself: unknown and repeated members of its operations.

    `body` must have passed `decode_operations`. In a response, these errors precede the errors of the patched
    object.
    """
    return first_strict_errors(
        f"json patch {error}" for error in _strict_errors(decode_marking_duplicates(body) or [])
    )


def apply(operations: Sequence[Operation], document: Any) -> Any:
    """Applies a JSON patch to an object or list. Raises ApiError 422 if an operation cannot be applied.

    Returns the patched document. It shares unchanged parts with `document`; `document` itself is not changed.
    Objects along the path of an operation have sorted keys, because Go encodes them again. If an earlier
    operation wrote the value, `test` compares with Go's encoding of the value.
    """
    try:
        return applied(operations, document)
    except PatchError as error:
        raise ApiError(
            422, "Invalid", "the server rejected our request due to an error in our request", Details()
        ) from error


def applied(operations: Sequence[Operation], document: Any) -> Any:
    """Applies a JSON patch like `apply`, but raises PatchError if an operation cannot be applied."""
    target = _Document(document)
    for operation in operations:
        target.apply(operation)
    result = target.finished()
    if type(result) is dict and any(holds_repeated(operation.value) for operation in operations):
        return RepeatedKeys([*result.items()])  # For this type, the decoder reports repeated keys.
    return result


def _type_error(items: Any, *, checked: bool) -> str:
    if items is not None and not isinstance(items, list):
        expected = "[]handlers.jsonPatchOp" if checked else "jsonpatch.Patch"
        return f"{json_kind(items)} into Go value of type {expected}"
    for item in items or ():
        if item is not None and not isinstance(item, dict):
            expected = "handlers.jsonPatchOp" if checked else "jsonpatch.Operation"
            return f"{json_kind(item)} into Go value of type {expected}"
        for name, value in members(item or {}) if checked else ():
            if name in _TEXT_MEMBERS and value is not None and not isinstance(value, str):
                return f"{json_kind(value)} into Go struct field jsonPatchOp.{name} of type string"
    return ""


def _operation(item: dict[str, Any]) -> Operation:
    kind, path, source = (
        value if isinstance(value := item.get(name), str) else None for name in _TEXT_MEMBERS
    )
    return Operation("unknown" if kind is None else kind, path, source, item.get("value", ABSENT))


def _with_text(operation: Operation, text: dict[str, Any] | None) -> Operation:
    if operation.kind != "test" or not text or "value" not in text:
        return operation
    return Operation(operation.kind, operation.path, operation.source, operation.value, text["value"])


def _strict_errors(items: list[Any]) -> Iterator[str]:
    for index, item in enumerate(items):
        seen = set()
        for name, value in members(item or {}):
            path = f"[{index}].{name}"
            if name != "value" and name not in _TEXT_MEMBERS:
                yield f"unknown field {quote(path)}"
                continue
            if name in seen:
                yield f"duplicate field {quote(path)}"
            seen.add(name)
            yield from duplicate_errors(value, path)


def _position(items: list[Any], key: str, *, end: int, odd: str = "") -> int:
    """Returns the list index of a path segment, parsed like Go's Atoi.

    Raises PatchError unless the index is between -`end` and `end` - 1; a negative index counts from `end`.

    `end`: the number of valid indexes.
    `odd`: the prefix of the error for a segment that is not a number.
    """
    try:
        index = parse_int(key)
    except ValueError:
        raise PatchError(f"{odd}strconv.Atoi: parsing {quote(key)}: invalid syntax") from None
    if not -end <= index < end:
        raise PatchError(f"Unable to access invalid index: {index}: {_BAD_INDEX}")
    return index + end if index < 0 else index


def _get(container: Any, key: str) -> Any:
    """Returns a member of an object, or an item of a list; None if the member is missing.

    Raises PatchError if `key` is not a valid index of the list.
    """
    if isinstance(container, dict):
        return container.get(key)
    return container[_position(container, key, end=len(container))]


def _add(container: Any, key: str, value: Any) -> None:
    value = None if value is ABSENT else value
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        odd = f"value was not a proper array index: '{key}': "
        container.insert(_position(container, key, end=len(container) + 1, odd=odd), value)


def _remove(container: Any, key: str) -> None:
    if isinstance(container, list):
        del container[_position(container, key, end=len(container))]
    elif key in container:
        del container[key]
    else:
        raise PatchError(f"Unable to remove nonexistent key: {key}: {_MISSING}")


def _put(container: Any, key: str, value: Any) -> None:
    """Sets a new or existing member of an object, or an existing item of a list.

    Raises PatchError if `key` is not a valid index of the list.
    """
    value = None if value is ABSENT else value
    if isinstance(container, dict):
        container[key] = value
    else:
        container[_position(container, key, end=len(container))] = value


class _Document:
    """The document that a JSON patch changes; copies objects and lists before it changes them."""

    def __init__(self, root: Any) -> None:
        self._touched: list[Any] = []
        self._own: set[int] = set()
        self._copied_bytes = 0
        self._root = self._copied(root)

    def finished(self) -> Any:
        for container in self._touched:
            if isinstance(container, dict):
                ordered = sorted(container.items())
                container.clear()
                container.update(ordered)
        return self._root

    def apply(self, operation: Operation) -> None:
        match operation.kind:
            case "add":
                container, key = self._parent(operation.path, 'add operation does not apply: {}path: "{}"')
                with _said(f"error in add for path: '{operation.path}'"):
                    _add(container, key, operation.value)
            case "remove":
                container, key = self._parent(operation.path, 'remove operation does not apply: {}path: "{}"')
                with _said(f"error in remove for path: '{operation.path}'"):
                    _remove(container, key)
            case "replace":
                self._replace(operation)
            case "move":
                self._move(operation)
            case "copy":
                self._copy(operation)
            case "test":
                self._test(operation)
            case unknown:
                raise PatchError(f"Unexpected kind: {unknown}")

    def _replace(self, operation: Operation) -> None:
        if operation.path == "":
            # As in evanphx/json-patch, a scalar does not replace the whole document: the operation succeeds
            # without an effect.
            if isinstance(operation.value, dict | list):
                self._root = self._copied(operation.value)
            return
        container, key = self._parent(operation.path, "replace operation does not apply: {}path: {}")
        try:
            _put(container, key, operation.value)
        except PatchError as error:
            problem = f"doc is missing key: {operation.path}: {_MISSING}"
            raise PatchError(f"replace operation does not apply: {problem}") from error

    def _move(self, operation: Operation) -> None:
        container, key = self._parent(operation.source, "move operation does not apply: {}from path: {}")
        with _said(f"error in move for path: '{key}'"):
            value = value_of(_get(container, key))
            _remove(container, key)
        problem = "move operation does not apply: {}destination path: {}"
        container, key = self._parent(operation.path, problem)
        with _said(f"error in move for path: '{operation.path}'"):
            _add(container, key, value)

    def _copy(self, operation: Operation) -> None:
        problem = "copy operation does not apply: {}destination path: {}"
        source, key = self._parent(operation.source, "copy operation does not apply: {}from path: {}")
        with _said(f"error in copy for from: '{operation.source}'"):
            _get(source, key)
        self._parent(
            operation.path, problem
        )  # Go reads both paths before it copies, so the copy has sorted keys
        source, key = self._parent(operation.source, "")
        value = value_of(_get(source, key))
        if value is not None:
            self._copied_bytes += len(go_encode(value))
            if self._copied_bytes > MAX_COPIED_BYTES:
                raise PatchError(
                    "Unable to complete the copy, the accumulated size increase of copy is "
                    f"{self._copied_bytes}, exceeding the limit {MAX_COPIED_BYTES}"
                )
        # The document now contains the value in two places. A later write must change the value in only one
        # place, so this write must copy the objects and lists along the path.
        self._own = {id(self._root)}
        container, key = self._parent(operation.path, problem)
        with _said("error while adding value during copy"):
            _add(container, key, value)

    def _test(self, operation: Operation) -> None:
        if operation.path == "":
            value = self._root
        else:
            container, key = self._parent(
                operation.path, "test operation does not apply: is missing path: {1}"
            )
            with _said(f"error in test for path: '{operation.path}'"):
                value = _get(container, key)
        if operation.value is ABSENT or not matches_literals(value, operation.text):
            raise FailedTestError(f"testing value {operation.path} failed: {_FAILED_TEST}")

    def _parent(self, path: str | None, problem: str) -> tuple[Any, str]:
        """Returns the object or list that contains the target of a path, and the last path segment.

        The caller may change the object or list, because it is a copy. Ignores text before the first slash.
        Raises PatchError if the path is None, or the object or list is missing.

        `problem`: the message template for a missing object or list.
        """
        if path is None:
            operation = problem.partition(" operation")[0]
            if "from path" in problem:
                field = "from: operation, missing from field"
                raise PatchError(f"{operation} operation failed to decode {field}: {_MISSING}")
            raise PatchError(f"{operation} operation failed to decode path: {_MISSING}")
        missing = PatchError(f"{problem.format('doc is missing ', path)}: {_MISSING}")
        steps = path.split("/")
        if len(steps) == 1:
            raise missing
        container = self._root
        for step in steps[1:-1]:
            key = _unescaped(step)
            try:
                child = raw_extension.opened(_get(container, key))
            except PatchError:
                raise missing from None
            if not isinstance(child, dict | list):
                raise missing
            if id(child) not in self._own:
                child = self._copied(child)
                _put(container, key, child)
            container = child
        return container, _unescaped(steps[-1])

    def _copied(self, container: Any) -> Any:
        copy = dict(container) if isinstance(container, dict) else list(container)
        self._own.add(id(copy))
        self._touched.append(copy)  # this reference keeps Python from reusing the id
        return copy


@contextmanager
def _said(what: str) -> Iterator[None]:
    """Context manager: adds the prefix `what`, such as the operation, to the message of a PatchError."""
    try:
        yield
    except PatchError as error:
        raise PatchError(f"{what}: {error}") from None


def _unescaped(step: str) -> str:
    """Replaces `~1` by `/` and `~0` by `~` in a path segment; `~01` becomes `~1`."""
    return step.replace("~1", "/").replace("~0", "~") if "~" in step else step
