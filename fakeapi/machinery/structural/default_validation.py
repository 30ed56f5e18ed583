"""Validates and prunes the defaults in the schema of a CustomResourceDefinition.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/defaulting` (ValidateDefaults, PruneDefaults).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import msgspec

from fakeapi.machinery.field_errors import FieldError, first_words, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.equality import same
from fakeapi.machinery.structural.object_meta import coerce, validate_meta
from fakeapi.machinery.structural.pruning import TYPE_AND_META, as_root, one, prune
from fakeapi.machinery.structural.results import shown
from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.machinery.structural.schema import Schema, copied
from fakeapi.machinery.structural.validation import validate

Steps = tuple[str | None, ...]
"""A path from a resource to a JSON value within it: member names, and None for each list item."""

_ANY_MEMBER = "*"


class DefaultChecker(Protocol):
    """Evaluates the CEL rules of a schema on the defaults in the schema.

    `exhausted`: whether the CEL cost budget is used up. Further defaults are then not validated.
    """

    exhausted: bool

    def check_default(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]: ...


def default_errors(
    schema: Schema,
    path: str,
    object_meta: Struct,
    rules: SchemaRules,
    checker: DefaultChecker | None,
    *,
    requires_pruned: bool,
) -> list[FieldError]:
    """Validates the defaults in a structural schema, except within additionalProperties.

    CEL rules are evaluated only for a default without other errors. Errors about unknown fields do not count.

    - `object_meta`: the schema node of ObjectMeta in the release.
    - `checker`: validates defaults by CEL rules. With None, CEL rules are not evaluated.
    - `requires_pruned`: whether defaults with unknown fields are errors.
    """
    walk = _Defaults(object_meta, rules, checker, requires_pruned)
    root = as_root(schema)
    return list(walk.errors(root, root, path, (), inside_meta=False))


def prune_defaults(schema: Schema, object_meta: Struct) -> Schema:
    """Returns the schema without unknown fields in its defaults; prunes them like kube-apiserver."""
    return _pruned(schema, as_root(schema), (), object_meta)


class _Defaults(msgspec.Struct, frozen=True):
    object_meta: Struct
    rules: SchemaRules
    checker: DefaultChecker | None
    requires_pruned: bool

    def errors(
        self, schema: Schema, root: Schema, path: str, steps: Steps, *, inside_meta: bool
    ) -> Iterator[FieldError]:
        if schema.embedded_resource:
            inside_meta, steps, root = False, (), schema
        if schema.default is not None:
            at = f"{path}.default"
            problems = (
                self._meta_errors(schema, root, at, steps) if inside_meta else self._errors_of(schema, at)
            )
            yield from problems or self._value_errors(schema, at, is_resource_root=schema is root)
        if self._is_exhausted():
            return
        items = one(schema.items)
        if items is not None:
            below = (*steps, None)
            yield from self.errors(items, root, f"{path}.items", below, inside_meta=inside_meta)
        for name in sorted(schema.properties):
            if self._is_exhausted():
                return
            yield from self.errors(
                schema.properties[name],
                root,
                f"{path}.properties[{name}]",
                (*steps, name),
                inside_meta=inside_meta or (schema.embedded_resource and name in TYPE_AND_META),
            )

    def _is_exhausted(self) -> bool:
        return self.checker is not None and self.checker.exhausted

    def _meta_errors(self, schema: Schema, root: Schema, path: str, steps: Steps) -> list[FieldError]:
        """Validates a default within metadata; wraps it in a whole resource for the validation.

        - `schema`: the schema node with the default
        - `root`: the schema of the resource
        - `steps`: the path from the resource to the default
        """
        obj = _surrounded(copied(schema.default), steps)
        obj.setdefault("kind", "Validation")
        obj.setdefault("apiVersion", "validation/v1")
        error, _ = coerce(obj, root, self.object_meta, rules=self.rules)
        problems = [error] if error is not None else validate_meta(obj, root, rules=self.rules)
        if not problems:
            return []
        words = str(error) if error is not None else first_words(problems)
        detail = f"must result in valid metadata: {words}"
        return [invalid(path, shown(schema.default, self.rules), detail)]

    def _errors_of(self, schema: Schema, path: str) -> list[FieldError]:
        is_root = schema.embedded_resource
        value = copied(schema.default)
        error, _ = coerce(value, schema, self.object_meta, path, is_resource_root=is_root, rules=self.rules)
        unknown: list[FieldError] = []
        if self.requires_pruned:
            pruned = copied(schema.default)
            prune(pruned, schema, is_resource_root=is_root)
            if not same(pruned, schema.default):  # the error includes the value with coerced metadata
                unknown = [invalid(path, shown(value, self.rules), "must not have unknown fields")]
        if error is not None:
            return [*unknown, error]
        problems = validate_meta(value, schema, path, is_resource_root=is_root, rules=self.rules)
        if problems or not unknown:
            return [*unknown, *problems]
        return [*unknown, *self._value_errors(schema, path, is_resource_root=False)]

    def _value_errors(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]:
        problems = validate(schema.default, schema, path, rules=self.rules, is_default=True)
        if problems or self.checker is None:
            return problems
        return self.checker.check_default(schema, path, is_resource_root=is_resource_root)


def _surrounded(value: Any, steps: Steps) -> Object:
    """Wraps `value` in objects and lists, so that it is at the path `steps`.

    Returns {} if the result is not an object.
    """
    for step in reversed(steps):
        value = [value] if step is None else {step: value}
    return value if isinstance(value, dict) else {}


def _inside(value: Any, steps: Steps) -> Any:
    """Returns the JSON value at the end of a path; None if the path does not exist."""
    for step in steps:
        if step is None:
            value = value[0] if isinstance(value, list) and value else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _pruned(schema: Schema, root: Schema, steps: Steps, object_meta: Struct) -> Schema:
    """Returns the schema with pruned defaults; the same schema if no default changes.

    Does not copy nodes without need, because copying takes most of the time and few definitions need a copy.
    """
    default = schema.default
    if default is not None and (steps or isinstance(default, dict)):
        obj = _surrounded(copied(default), steps)
        coerce(obj, root, object_meta, drop_invalid=True)
        prune(obj, root)
        default = _inside(obj, steps)
    changed: dict[str, Any] = {} if default == schema.default else {"default": default}
    for name, below, step in (
        ("items", one(schema.items), None),
        ("additional_properties", one(schema.additional_properties), _ANY_MEMBER),
    ):
        if below is not None and (pruned := _pruned(below, root, (*steps, step), object_meta)) is not below:
            changed[name] = pruned
    properties = {
        name: pruned
        for name, below in schema.properties.items()
        if (pruned := _pruned(below, root, (*steps, name), object_meta)) is not below
    }
    if properties:
        changed["properties"] = {**schema.properties, **properties}
    return replace(schema, **changed) if changed else schema
