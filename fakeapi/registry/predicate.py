"""SelectionPredicate: the label and field selector of a list or watch as one test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.meta.field_selector import FieldSelector
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry import stored_form
from fakeapi_storage import Entry

FieldsOf = Callable[[dict[str, Any]], Mapping[str, str]]
"""The selectable fields of an object, beside its name and namespace."""

_NO_LABELS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class SelectionPredicate:
    """A label and a field selector; None where there is none."""

    labels: Selector | None
    fields: FieldSelector | None
    fields_of: FieldsOf | None = None

    @property
    def everything(self) -> bool:
        """Whether every object matches, so that none needs to be decoded."""
        return self.labels is None and self.fields is None

    def matches(self, entry: Entry) -> bool:
        """Whether the object of an entry matches; decodes it only if it has to."""
        if self.fields is not None and self.fields_of is None:
            *_, namespace, name = entry.key.rsplit("/", 2)
            if not self.fields.matches({"metadata.name": name, "metadata.namespace": namespace}):
                return False
            if self.labels is None:
                return True
        elif self.labels is None and self.fields is None:
            return True
        obj = codec.decode(stored_form.json_of(entry.value))
        meta = obj["metadata"]
        if self.fields is not None and self.fields_of is not None:
            known = {"metadata.name": meta["name"], "metadata.namespace": meta.get("namespace", "")}
            if not self.fields.matches({**known, **self.fields_of(obj)}):
                return False
        return self.labels is None or self.labels.matches(meta.get("labels") or _NO_LABELS)


def predicate_of(
    labels: Selector | None, fields: FieldSelector | None, fields_of: FieldsOf | None = None
) -> SelectionPredicate:
    """The predicate of two selectors; selectors that match everything are dropped."""
    return SelectionPredicate(
        None if labels is None or labels.empty else labels,
        None if fields is None or fields.empty else fields,
        fields_of,
    )
