"""SelectionPredicate: combines the label, field and shard selectors of a list or watch."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.meta.field_selector import FieldSelector
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.machinery.meta.shard_selector import ShardSelector, parse
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.selectable_fields import SelectableFields
from fakeapi_storage import Entry

FieldsOf = Callable[[dict[str, Any]], Mapping[str, str]]
"""A function that returns the selectable fields of an object, except its name and namespace."""

_NO_LABELS: Mapping[str, str] = {}

LABELS_KEPT = 2048
"""Maximum number of stored objects whose decoded labels are cached.

Label selectors then need not decode the object again, and all watches share the decoded labels.
"""

LABELS_KEPT_BYTES_MAX = 8 * 1024
"""Maximum size in bytes of a stored object whose labels are cached. The cache keeps these bytes as its
key.
"""


def _labels_of(value: bytes) -> Mapping[str, str]:
    return _kept_labels(value) if len(value) <= LABELS_KEPT_BYTES_MAX else _read_labels(value)


def _read_labels(value: bytes) -> Mapping[str, str]:
    return codec.labels_of(stored_form.json_of(value)) or _NO_LABELS


_kept_labels = lru_cache(LABELS_KEPT)(_read_labels)


class SelectionPredicate(msgspec.Struct, frozen=True):
    """The selectors of a list or watch request. A selector that the request does not have is None.

    - `fields_of`: returns the selectable fields of an object; None if these are only name and namespace.
    - `known`: a cache with the results of `fields_of`; None without a cache.
    """

    labels: Selector | None
    fields: FieldSelector | None
    fields_of: FieldsOf | None = None
    shards: ShardSelector | None = None
    known: SelectableFields | None = None

    @property
    def everything(self) -> bool:
        """Whether every object matches, so that no object needs to be decoded."""
        return self.labels is None and self.fields is None and self.shards is None

    @property
    def labels_alone(self) -> bool:
        """Whether the label selector is the only selector."""
        return self.labels is not None and self.fields is None and self.shards is None

    def select(self, entries: Iterable[Entry]) -> list[Entry]:
        """Returns the storage entries whose objects match, in the given order."""
        if self.fields is not None and self.known is not None and self.labels is None and self.shards is None:
            has_fields, fields_of = self.fields.matches, self.known.of
            return [entry for entry in entries if has_fields(fields_of(entry.value))]
        if self.labels is None or not self.labels_alone:
            return [entry for entry in entries if self.matches(entry)]
        matches = self.labels.matches
        return [entry for entry in entries if matches(_labels_of(entry.value))]

    def matches(self, entry: Entry) -> bool:
        """Whether the object of a storage entry matches. Decodes the object only if necessary."""
        if self.fields is not None and self.fields_of is None:
            *_, namespace, name = entry.key.rsplit("/", 2)
            if not self.fields.matches({"metadata.name": name, "metadata.namespace": namespace}):
                return False
            if self.labels is None and self.shards is None:
                return True
        elif self.everything:
            return True
        if self.fields is None and self.shards is None:
            assert self.labels is not None, "not everything matches"
            return self.labels.matches(_labels_of(entry.value))
        if self.known is not None and self.fields is not None and self.shards is None:
            is_selected = self.fields.matches(self.known.of(entry.value))
            return is_selected and (self.labels is None or self.labels.matches(_labels_of(entry.value)))
        obj = codec.decode(stored_form.json_of(entry.value))
        meta = obj["metadata"]
        if self.shards is not None and not self.shards.matches(meta):
            return False
        if self.fields is not None and self.fields_of is not None:
            known = {"metadata.name": meta["name"], "metadata.namespace": meta.get("namespace", "")}
            if not self.fields.matches({**known, **self.fields_of(obj)}):
                return False
        return self.labels is None or self.labels.matches(meta.get("labels") or _NO_LABELS)


def predicate_of(
    labels: Selector | None,
    fields: FieldSelector | None,
    fields_of: FieldsOf | None = None,
    shards: str = "",
    known: SelectableFields | None = None,
) -> SelectionPredicate:
    """Combines the selectors of a request. Replaces empty selectors, which match everything, by None.

    `fields_of` and `known`: see SelectionPredicate. Raises ApiError 500 if the shard selector is malformed.
    """
    return SelectionPredicate(
        None if labels is None or labels.empty else labels,
        None if fields is None or fields.empty else fields,
        fields_of,
        _shard_selector(shards) if shards else None,
        known,
    )


def _shard_selector(text: str) -> ShardSelector:
    try:
        return parse(text)
    except ValueError as error:
        raise ApiError(500, "", f"invalid shard selector: {error}") from None
