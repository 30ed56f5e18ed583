"""Pairs the parts of an object with their old values, to find the parts that an update changed.

Follows k8s.io/apiserver `pkg/cel/common` (CorrelatedObject, MapList).
"""

from typing import Any

from fakeapi.machinery.structural.equality import key_of, same
from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import Schema

_FREE = Schema(additional_properties=True)


class Correlated:
    """A value, its old value before an update, and the schema of both.

    List items have old values only in lists of type map, where keys identify them. Comparisons are cached.
    """

    __slots__ = ("_children", "_old_items", "_rules", "_unchanged", "old", "schema", "value")

    def __init__(self, value: Any, old: Any, schema: Schema, rules: SchemaRules = NEWEST) -> None:
        self.value = value
        self.old = old
        self.schema = schema
        self._rules = rules
        self._children: dict[str | int, Correlated] = {}
        self._old_items: dict[Any, Any] | None = None
        self._unchanged: bool | None = None

    def member(self, name: str) -> "Correlated | None":
        """Returns an object's member with its old value.

        Returns None if the value or the old value lacks the member, or if the schema does not specify the
        member. With `correlates_free_members`, additionalProperties true and false specify all members.
        """
        if name in self._children:
            return self._children[name]
        if not (isinstance(self.old, dict) and isinstance(self.value, dict)):
            return None
        if name not in self.old or name not in self.value:
            return None
        others = self.schema.additional_properties
        schema = self.schema.properties.get(name) or one(others)
        if schema is None and others is not None and self._rules.correlates_free_members:
            schema = _FREE
        if schema is None:
            return None
        child = self._children[name] = Correlated(self.value[name], self.old[name], schema, self._rules)
        return child

    def item(self, index: int) -> "Correlated | None":
        """Returns an item of a list of type map with its old value.

        Returns None if the old list has no item with the same keys, and for lists of other types.
        """
        if index in self._children:
            return self._children[index]
        if self.schema.list_type != "map":
            return None
        if not (isinstance(self.old, list) and isinstance(self.value, list)):
            return None
        if self._old_items is None:
            self._old_items = self._by_key(self.old)
        old = self._old_items.get(self._key(self.value[index]))
        schema = one(self.schema.items)
        if old is None or schema is None:
            return None
        child = self._children[index] = Correlated(self.value[index], old, schema, self._rules)
        return child

    def is_unchanged(self) -> bool:
        if self._unchanged is None:
            self._unchanged = self._compared()
        return self._unchanged

    def _compared(self) -> bool:
        value, old = self.value, self.old
        if value is None or old is None:
            return value is old
        if isinstance(value, list) and isinstance(old, list):
            return len(value) == len(old) and self._same_items(value)
        if isinstance(value, dict) and isinstance(old, dict):
            return len(value) == len(old) and self._same_members(value)
        return same(value, old)

    def _same_items(self, value: list[Any]) -> bool:
        for index in range(len(value)):
            child = self.item(index)
            if child is None:
                return self._old_items is None and same(value, self.old)
            if not child.is_unchanged():
                return False
        return True

    def _same_members(self, value: dict[str, Any]) -> bool:
        for name in value:
            child = self.member(name)
            if child is None or not child.is_unchanged():
                return False
        return True

    def _by_key(self, items: list[Any]) -> dict[Any, Any]:
        """Returns list items by their keys; if several items have the same keys, the first item counts."""
        items_by_key: dict[Any, Any] = {}
        if self.schema.type == "array" and self.schema.list_map_keys:
            for item in items:
                key = self._key(item)
                if key is not None:
                    items_by_key.setdefault(key, item)
        return items_by_key

    def _key(self, item: Any) -> Any:
        """Returns the values of an item's key fields, in a list of type map.

        Returns None if a key field is missing or its value is not a scalar.
        """
        if not isinstance(item, dict):
            return None
        values = [item.get(name) for name in self.schema.list_map_keys]
        if not values or any(value is None or isinstance(value, dict | list) for value in values):
            return None
        return tuple(map(key_of, values))
