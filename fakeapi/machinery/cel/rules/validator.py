"""Validates an object by the x-kubernetes-validations rules of its schema.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel/validation.go`.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from fakeapi.machinery.cel import library, limits
from fakeapi.machinery.cel.rules.compilation import OLD_SELF, SELF, Rule, RuleCompiler
from fakeapi.machinery.cel.rules.declared import Declared, declared, has_rules, with_object_meta
from fakeapi.machinery.cel.rules.escaping import escaped
from fakeapi.machinery.cel.rules.failures import OverBudget, failure, message_of, rule_text
from fakeapi.machinery.cel.rules.settings import RuleSettings
from fakeapi.machinery.cel.rules.values import typed
from fakeapi.machinery.cel.runtime.values import NONE, Err, Optional
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.correlation import Correlated
from fakeapi.machinery.structural.field_paths import FieldPathError, field_path
from fakeapi.machinery.structural.schema import Schema

_SPENT = "validation failed due to running out of cost budget, no further validation rules will be run"


class Outcome(msgspec.Struct, frozen=True):
    """The result of validating an object by CEL rules.

    `warnings`: rule violations in values that an update did not change (ratcheting).
    `remaining`: the CEL cost units left in the budget; -1 if it is used up.
    """

    errors: list[FieldError]
    warnings: list[str]
    remaining: int


class RuleValidator:
    """Validates objects by the CEL rules of one schema; compiles rules when it first evaluates them."""

    def __init__(self, root: "_Node", settings: RuleSettings) -> None:
        self._root = root
        self._settings = settings

    def validate(
        self, obj: Any, old: Any = None, path: str = "", budget: int = limits.OBJECT_COST_MAX
    ) -> Outcome:
        """Validates a pruned and defaulted object by the CEL rules; changes neither `obj` nor `old`.

        Call this only if `hindrance` returns None for all other errors of the object.

        `old`: the object that an update replaces, in the same API version; None for a create.
        `path`: the path of `obj`, for errors.
        `budget`: the CEL cost units that the rules may use.
        """
        run = _Run(self._settings, budget)
        kept = (
            Correlated(obj, old, self._root.schema) if self._settings.ratchets and old is not None else None
        )
        try:
            run.check(self._root, _Place(path, obj, old, _Kept(kept, None)))
        except OverBudget:
            run.remaining = -1
        return Outcome(run.errors, run.warnings, run.remaining)


def rule_validator(
    schema: Schema, settings: RuleSettings, *, is_resource_root: bool = True
) -> RuleValidator | None:
    """Returns the validator of a schema; None if the schema has no CEL rules or the extra `cel` is missing.

    Keep the validator as long as the schema, because the validator caches the compiled rules.

    `is_resource_root`: whether the schema describes a whole object. CEL rules can then always access its
    metadata.
    """
    if not library.is_installed() or not has_rules(schema):
        return None
    of = declared(schema, settings, is_resource=is_resource_root)
    root = _node(schema, schema, of, settings, is_resource=is_resource_root)
    return None if root is None else RuleValidator(root, settings)


_HINDERING = frozenset((
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
))  # fmt: skip


def hindrance(errors: Sequence[FieldError], settings: RuleSettings) -> FieldError | None:
    """Returns the error to report instead of evaluating CEL rules, if other errors prevent the evaluation.

    Returns None if no error in `errors` prevents the evaluation.
    """
    if not any(error.reason in _HINDERING for error in errors):
        return None
    nothing = "null" if settings.shows_rules_as_json else '"null"'
    unchecked = "some validation rules were not checked because the object was invalid"
    detail = f"{unchecked}; correct the existing errors to complete validation"
    return FieldError("FieldValueInvalid", "<nil>", f"Invalid value: {nothing}: {detail}")


class _Node:
    """The CEL rules of one schema node, and the child nodes that have rules.

    `schema` describes the values. The rules come from this schema or from a schema in its allOf.
    """

    def __init__(
        self,
        rules: Sequence[Object],
        schema: Schema,
        of: Declared | None,
        settings: RuleSettings,
        *,
        is_resource: bool,
    ) -> None:
        self.rules = rules
        self.schema = schema
        self.is_resource = is_resource
        self.properties: dict[str, _Node] = {}
        self.items: _Node | None = None
        self.others: _Node | None = None
        self.all_of: list[_Node] = []
        self.declared = of
        self._settings = settings
        self._compiled: list[Rule] | None = None

    @property
    def compiled(self) -> list[Rule]:
        if self._compiled is None:
            assert self.declared is not None
            compiler = RuleCompiler(self._settings, self.declared)
            stored = self._settings.stored
            self._compiled = [
                compiler.compile(rule, lambda _: stored, lambda _: stored) for rule in self.rules
            ]
        return self._compiled

    @property
    def uses_old(self) -> bool:
        return any(rule.condition.uses_old_self for rule in self.compiled)

    def is_empty(self) -> bool:
        return not (self.rules or self.properties or self.items or self.others or self.all_of)


def _node(
    checks: Schema, schema: Schema, of: Declared | None, settings: RuleSettings, *, is_resource: bool
) -> _Node | None:
    """Returns the node of a schema; None if neither the schema nor a schema within it has CEL rules.

    - `checks`: the schema that contains the rules: `schema` itself, or its counterpart in an allOf
    - `of`: the CEL type of the values; None if expressions cannot access the values
    - `is_resource`: whether the values are resources, whose metadata CEL rules can always access
    """
    node = _Node(checks.validations, schema, of, settings, is_resource=is_resource)
    element = None if of is None else of.element
    if isinstance(checks.items, Schema) and isinstance(schema.items, Schema):
        embedded = schema.items.embedded_resource
        node.items = _node(checks.items, schema.items, element, settings, is_resource=embedded)
    for name, below in checks.properties.items():
        structural = schema.properties.get(name)
        if structural is None:
            continue
        known = _field_type(name, structural, of, settings)
        if known is None:
            continue
        child = _node(below, structural, known, settings, is_resource=structural.embedded_resource)
        if child is not None:
            node.properties[name] = child
    if isinstance(checks.additional_properties, Schema) and isinstance(schema.additional_properties, Schema):
        below = schema.additional_properties
        node.others = _node(
            checks.additional_properties, below, element, settings, is_resource=below.embedded_resource
        )
    for part in checks.all_of if settings.reads_all_of else ():
        alternative = _node(part, schema, of, settings, is_resource=is_resource)
        if alternative is not None:
            node.all_of.append(alternative)
    return None if node.is_empty() else node


def _field_type(name: str, schema: Schema, of: Declared | None, settings: RuleSettings) -> Declared | None:
    identifier = escaped(name)
    if identifier is None:
        return declared(schema, settings, is_resource=schema.embedded_resource)
    return None if of is None else of.fields.get(identifier)


class _Kept(msgspec.Struct, frozen=True):
    """A value paired with its old value, for ratcheting.

    `current`: the pair; None if the value has no old value.
    `around`: the pair of the nearest enclosing object or list with an old value; None if there is none.
    """

    current: Correlated | None
    around: Correlated | None

    def is_unchanged(self) -> bool:
        nearest = self.around if self.current is None else self.current
        return nearest is not None and nearest.is_unchanged()

    def member(self, name: str) -> "_Kept":
        if self.current is None:
            return self
        if self.around is None and name in {"apiVersion", "kind"}:
            return _Kept(None, None)
        return _Kept(self.current.member(name), self.current)

    def item(self, index: int) -> "_Kept":
        return self if self.current is None else _Kept(self.current.item(index), self.current)

    def alternative(self) -> "_Kept":
        return _Kept(None, self.around)


class _Place(msgspec.Struct, frozen=True):
    """A value within an object, and its path; `old` is the value of `oldSelf` in CEL rules."""

    path: str
    value: Any
    old: Any
    kept: _Kept


class _Run:
    """The validation of one object by CEL rules: errors, warnings and the remaining cost budget."""

    def __init__(self, settings: RuleSettings, budget: int) -> None:
        self.errors: list[FieldError] = []
        self.warnings: list[str] = []
        self.remaining = budget
        self._settings = settings

    def check(self, node: _Node, place: _Place) -> None:
        """Evaluates the CEL rules of a node and its child nodes. Raises OverBudget if the budget is used up.

        `place`: the value that the node describes
        """
        if place.value is None:
            return
        if node.rules:
            self._check_rules(node, place)
        for alternative in node.all_of:
            kept = place.kept.alternative()
            self.check(alternative, _Place(place.path, place.value, place.old, kept))
        for below, inner in _below(node, place):
            self.check(below, inner)

    def _check_rules(self, node: _Node, place: _Place) -> None:
        path = place.path or "<nil>"
        if node.declared is None:
            detail = (
                "rule compiler initialization error: failed to convert to declType for CEL validation rules"
            )
            self.errors.append(invalid(path, node.schema.type, detail))
            return
        if self.remaining <= 0:
            self._spent(path, node)
        schema = with_object_meta(node.schema, self._settings) if node.is_resource else node.schema
        completed = partial(with_object_meta, settings=self._settings)
        value = typed(place.value, schema, completed)
        old: Any = None
        if node.uses_old and place.old is not None:
            old = typed(place.old, schema, completed)
        for rule, compiled in zip(node.rules, node.compiled, strict=True):
            moved = self._check_rule(node, place, rule, compiled, (value, old))
            if moved and self._settings.moves_paths:
                place = _Place(moved, place.value, place.old, place.kept)

    def _spent(self, path: str, node: _Node) -> None:
        self.errors.append(invalid(path, node.schema.type, _SPENT))
        raise OverBudget

    def _check_rule(
        self, node: _Node, place: _Place, rule: Object, compiled: Rule, values: tuple[Any, Any]
    ) -> str | None:
        """Evaluates one rule; returns the path of the violation, or None if the value satisfies the rule.

        - `place`: the value that the node describes
        - `rule`, `compiled`: the rule as JSON, and the compiled rule
        - `values`: the CEL values of `self` and `oldSelf`

        Raises OverBudget if the cost budget is used up.
        """
        path, of = place.path or "<nil>", node.schema.type
        condition = compiled.condition
        if condition.error:
            self.errors.append(invalid(path, of, f"rule compile error: {condition.error}"))
            return None
        optional = rule.get("optionalOldSelf") is True
        if condition.program is None or (
            condition.uses_old_self and place.old is None and not (optional and self._settings.ratchets)
        ):
            return None
        plain = (
            {SELF: values[0]}
            if place.old is None or not node.uses_old
            else {SELF: values[0], OLD_SELF: values[1]}
        )
        variables = plain
        if optional and node.uses_old:
            variables = {SELF: values[0], OLD_SELF: NONE if place.old is None else Optional(values[1])}
        evaluation = condition.program.evaluate(variables)
        if evaluation.cost > self.remaining:
            self._spent(path, node)
        self.remaining -= evaluation.cost
        if evaluation.exceeded:
            self._cancelled(path, of, rule)
        if type(evaluation.value) is Err:
            self.errors.append(_failed(path, of, evaluation.value.message, rule))
            return None
        if evaluation.value is True:
            return None
        return self._fail(node, place, rule, compiled, plain)

    def _cancelled(self, path: str, of: str, rule: Object) -> None:
        stopped = "no further validation rules will be run due to call cost exceeds limit for rule"
        detail = f"'operation cancelled: actual cost limit exceeded': {stopped}: {rule_text(rule)}"
        self.errors.append(invalid(path, of, detail))
        raise OverBudget

    def _fail(
        self, node: _Node, place: _Place, rule: Object, compiled: Rule, variables: dict[str, Any]
    ) -> str:
        path = _moved(place.path, rule, node.schema)
        keeps = not compiled.condition.uses_old_self and place.kept.is_unchanged()
        program = None if compiled.message is None else compiled.message.program
        message = message_of(rule, program, variables, self.remaining)
        if message.is_over_budget:
            self._report(invalid(path, node.schema.type, message.text), keeps=keeps)
            raise OverBudget
        self.remaining -= message.cost
        printed = place.value if self._settings.shows_values else node.schema.type
        hides = self._settings.shows_values and node.schema.type in {"object", "array"}
        self._report(failure(rule, path, printed, message.text, hides_value=hides), keeps=keeps)
        return path

    def _report(self, error: FieldError, *, keeps: bool) -> None:
        if keeps:
            self.warnings.append(str(error))
        else:
            self.errors.append(error)


def _failed(path: str, of: str, reason: str, rule: Object) -> FieldError:
    if reason.startswith("no such overload"):
        unmatched = "call arguments did not match a supported operator, function or macro signature for rule"
        return invalid(path, of, f"'{reason}': {unmatched}: {rule_text(rule)}")
    return invalid(path, of, f"{reason} evaluating rule: {rule_text(rule)}")


def _moved(path: str, rule: Object, schema: Schema) -> str:
    """Returns a path with the rule's fieldPath appended, if the fieldPath is valid."""
    text = rule.get("fieldPath") or ""
    if not text:
        return path or "<nil>"
    try:
        relative, _ = field_path(text, schema)
    except FieldPathError:
        return path or "<nil>"
    return f"{path}.{relative}" if path else relative


def _below(node: _Node, place: _Place) -> Iterator[tuple[_Node, _Place]]:
    value, old, kept, path = place.value, place.old, place.kept, place.path
    if isinstance(value, list):
        if node.items is not None:
            pairs = Correlated(value, old, node.schema) if isinstance(old, list) else None
            for index, item in enumerate(value):
                pair = None if pairs is None else pairs.item(index)
                before = None if pair is None else pair.old
                yield node.items, _Place(f"{path}[{index}]", item, before, kept.item(index))
    elif isinstance(value, dict):
        correlates = node.schema.map_type in {None, "granular", "atomic"}
        olds = old if correlates and isinstance(old, dict) else {}
        names = sorted(value)
        if node.others is not None:
            for name in names:
                yield node.others, _Place(f"{path}[{name}]", value[name], olds.get(name), kept.member(name))
        for name in names if node.properties else ():
            if name in node.properties:
                inner = f"{path}.{name}" if path else name
                yield node.properties[name], _Place(inner, value[name], olds.get(name), kept.member(name))
