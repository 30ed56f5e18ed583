"""Converts objects to Tables and to PartialObjectMetadata.

Follows k8s.io/apiserver `pkg/endpoints/handlers/response.go`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from fakeapi.http import table_rows
from fakeapi.http.negotiation import PARTIAL, PARTIAL_LIST, TABLE, Representation
from fakeapi.machinery import codec, errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.registry.model.columns import Column
from fakeapi.registry.model.resource import Resource
from fakeapi_storage import Entry

INCLUDE_METADATA, INCLUDE_OBJECT, INCLUDE_NONE = "Metadata", "Object", "None"
ROWS_A_PIECE = 64
"""Maximum number of rows in one piece of a long list. Other requests can run between the pieces."""

PIECE_BYTES = 256 * 1024
"""Size, in bytes, at which a piece of a long list ends, even if it has fewer than ROWS_A_PIECE rows."""

_INCLUDES = ("", INCLUDE_METADATA, INCLUDE_OBJECT, INCLUDE_NONE)


class Transform(msgspec.Struct, frozen=True):
    """Converts objects of one resource to Table, PartialObjectMetadata or PartialObjectMetadataList.

    - `kind` and `api_version`: the kind and apiVersion of the result.
    - `include`: the content of the field `object` in each row of a Table: Metadata (or ""), Object or None.
    - `clock`: returns the time for ages, in seconds since the epoch.
    """

    resource: Resource
    kind: str
    api_version: str
    include: str
    clock: Callable[[], float]

    def of_object(self, body: bytes, *, headers: bool = True) -> bytes:
        """Converts the JSON of one object. `headers`: whether a Table contains its column definitions.

        Raises ApiError 406 if the client requested PartialObjectMetadataList.
        """
        if self.kind == PARTIAL_LIST:
            raise self._wrong_shape("is not a list", self.resource.kind.kind)
        obj = codec.decode(body)
        if self.kind == PARTIAL:
            return self._partial(obj)
        metadata = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
        if not metadata["resourceVersion"]:
            metadata = {}
        return b"%b%b]}" % (self._table_start(metadata, headers=headers), self._row(body, obj))

    def of_list(self, metadata: dict[str, Any], entries: Sequence[Entry]) -> Iterator[bytes]:
        """Yields the JSON of the converted list in pieces. `metadata`: the metadata of the list.

        Raises ApiError 406 if the client requested PartialObjectMetadata, which is not a list.
        """
        if self.kind == PARTIAL:
            raise self._wrong_shape("is a list", self.resource.kind.list_kind)
        if self.kind == TABLE:
            if not entries and self.resource.has_default_table:
                yield b'%b,"rows":null}' % self._table_head(metadata, headers=True)
                return
            yield self._table_start(metadata, headers=True)
            yield from separated(_runs(self._rows(entries)))
            yield b"]}"
            return
        items = self._bodies(entries)
        start = codec.encode({"kind": self.kind, "apiVersion": self.api_version, "metadata": metadata})
        partials = _runs(self._partial(codec.decode(item)) for item in items)
        first = next(partials, None)
        if first is None:
            yield b'%b,"items":null}' % start[:-1]
            return
        yield b'%b,"items":[' % start[:-1]
        yield from separated(chain((first,), partials))
        yield b"]}"

    def empty_list(self) -> dict[str, Any]:
        """Returns an empty PartialObjectMetadataList, in the requested apiVersion."""
        return {"kind": PARTIAL_LIST, "apiVersion": self.api_version, "metadata": {}, "items": None}

    def _table_start(self, metadata: dict[str, Any], *, headers: bool) -> bytes:
        return b'%b,"rows":[' % self._table_head(metadata, headers=headers)

    def _table_head(self, metadata: dict[str, Any], *, headers: bool) -> bytes:
        """Returns the JSON of a table without its rows and without the closing brace."""
        start = codec.encode(
            {
                "kind": TABLE,
                "apiVersion": self.api_version,
                "metadata": metadata,
                "columnDefinitions": self._definitions if headers else None,
            }
        )
        return start[:-1]

    def _bodies(self, entries: Iterable[Entry]) -> Iterator[bytes]:
        return (self.resource.json_of(entry.value, entry.revision) for entry in entries)

    def _rows(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        if self.include in ("", INCLUDE_METADATA) and table_rows.can_be_kept(self.resource):
            return table_rows.rows(self.resource, entries, self.clock(), self._partial)
        return (self._row(item, codec.decode(item)) for item in self._bodies(entries))

    def _row(self, body: bytes, obj: dict[str, Any]) -> bytes:
        now, obj = self.clock(), self.resource.printed(obj)
        cells = codec.encode([column.cell(obj, now) for column in self._columns])
        if self.include == INCLUDE_OBJECT:
            embedded = body
        elif self.include == INCLUDE_NONE:
            embedded = b"null"
        else:
            embedded = self._partial(obj)
        conditions = self.resource.definition.row_conditions
        more = conditions(obj) if conditions is not None else ()
        if more:
            return b'{"cells":%b,"conditions":%b,"object":%b}' % (cells, codec.encode(more), embedded)
        return b'{"cells":%b,"object":%b}' % (cells, embedded)

    def _partial(self, obj: dict[str, Any]) -> bytes:
        metadata, hidden = obj["metadata"], self.resource.definition.hidden_annotations
        if hidden.intersection(metadata.get("annotations") or ()):
            annotations = {name: text for name, text in metadata["annotations"].items() if name not in hidden}
            metadata = {**metadata, "annotations": annotations}
            if not annotations:
                del metadata["annotations"]
        return codec.encode({"kind": PARTIAL, "apiVersion": self.api_version, "metadata": metadata})

    @property
    def _definitions(self) -> list[dict[str, str | int]]:
        return [column.definition() for column in self._columns if column.defined]

    @property
    def _columns(self) -> tuple[Column, ...]:
        return self.resource.columns

    def _wrong_shape(self, why: str, kind: str) -> ApiError:
        package = self.resource.kind.group.partition(".")[0] or "core"
        return ApiError(
            406,
            "NotAcceptable",
            f"you requested {self.kind}, but the requested object {why} (*{package}.{kind})",
        )


def transform_for(
    resource: Resource, shape: Representation, query: dict[str, str], clock: Callable[[], float]
) -> Transform | None:
    """Returns the conversion that a client has requested; None for unconverted objects.

    - `query`: the first value of each query parameter.
    - `clock`: returns the time for ages, in seconds since the epoch.

    Raises ApiError 400 for an unknown value of the parameter `includeObject`.
    """
    if not shape.kind:
        return None
    include = query.get("includeObject", "")
    if shape.kind == TABLE and include not in _INCLUDES:
        raise errors.bad_request(
            f"Unable to convert to Table as requested: includeObject: Invalid value: {quote(include)}: "
            "must be 'Metadata', 'Object', 'None', or empty"
        )
    return Transform(resource, shape.kind, shape.api_version, include, clock)


def separated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the pieces, and a comma before each piece except the first."""
    comma = b""
    for piece in pieces:
        if comma:
            yield comma
        yield piece
        comma = b","


def _runs(items: Iterator[bytes]) -> Iterator[bytes]:
    """Joins consecutive items with commas, and yields the joined pieces.

    A piece ends at ROWS_A_PIECE items or PIECE_BYTES bytes.
    """
    waiting: list[bytes] = []
    size = 0
    for item in items:
        waiting.append(item)
        size += len(item)
        if len(waiting) >= ROWS_A_PIECE or size >= PIECE_BYTES:
            yield b",".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b",".join(waiting)
