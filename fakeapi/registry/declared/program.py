"""Compiles the declarative validation in a release's data tables into functions: one per Go type.

A compiled function is called a body. `tools/declared.py` describes the steps of a body in the tables. Clients
never receive the errors of alpha rules, and of beta rules if no feature gate enables them. The program keeps
such a rule only if the rule may end a body.
"""

import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec
from msgspec.structs import replace

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.registry.declared import checks
from fakeapi.registry.declared.custom import CUSTOM
from fakeapi.registry.declared.formats import FORMATS, Show
from fakeapi.registry.declared.run import Body, Found, Rule, Run
from fakeapi.registry.declared.values import Key, Same, by_key, is_set_by, is_zero, key_of, sameness

Steps: TypeAlias = Sequence[Sequence[Any]]
ALPHA: Final = "alpha"
BETA: Final = "beta"


class _Place(msgspec.Struct, frozen=True):
    """The context in which the rules of a value are compiled."""

    level: str = ""
    """The stage of the enclosing rule: "alpha", "beta", or "" for a stable rule."""

    form: str = "pointer"
    """The form of the value in Go: pointer, text, number, flag, struct or items."""

    named: bool = False
    """Whether strings in the value have a named Go type, which error messages print in another form."""


class Program:
    """The compiled rules of the Go types of one release. Compiles the rules of a type at their first use."""

    def __init__(self, bodies: Callable[[str], Steps], *, beta: bool) -> None:
        """Creates an empty program.

        - `bodies`: returns the rules of a Go type such as `resource/v1.Device`, in the format of the tables.
        - `beta`: whether the release enforces beta rules.
        """
        self._bodies = bodies
        self._beta = beta
        self._types: dict[tuple[str, _Place], Body | None] = {}

    def of_type(self, name: str) -> Body | None:
        """Returns the compiled rules of a Go type; None if clients never receive errors of these rules."""
        return self._type(name, _Place())

    def _type(self, name: str, place: _Place) -> Body | None:
        key = (name, place)
        if key not in self._types:
            self._types[key] = lambda *values: self._call(key, *values)  # a recursive type calls this
            self._types[key] = self._body(self._bodies(name), place)
        return self._types[key]

    def _call(self, key: tuple[str, _Place], run: Run, path: str, new: Any, old: Any) -> None:
        body = self._types[key]
        if body is not None:
            body(run, path, new, old)

    def _shows(self, level: str) -> bool:
        return level != ALPHA and (level != BETA or self._beta)

    def _body(self, steps: Steps, place: _Place) -> Body | None:
        compiled = [compiled_step for step in steps if (compiled_step := self._step(step, place)) is not None]
        if not any(compiled_step.shows for compiled_step in compiled):
            return None
        if all(not compiled_step.may_stop for compiled_step in compiled):
            runs = [compiled_step.run for compiled_step in compiled]
            return runs[0] if len(runs) == 1 else partial(_all, runs)
        return partial(_until_gate, compiled)

    def _step(self, step: Sequence[Any], place: _Place) -> "_Step | None":
        match step:
            case ["gate"]:
                return _Step(_nothing, is_gate=True, shows=False)
            case ["type", name]:
                body = self._type(name, place)
                return None if body is None else _Step(body)
            case ["block", inner]:
                body = self._body(inner, place)
                return None if body is None else _Step(body)
            case ["field", name, form, steps, *named]:
                return self._field(name, form, steps, _Place(place.level, form, bool(named)))
            case ["rule", name, arguments, level, effect]:
                return self._rule_step(name, arguments, effect, replace(place, level=place.level or level))
        return None

    def _field(self, name: str, form: str, steps: Steps, place: _Place) -> "_Step | None":
        same = None
        if steps and steps[0][0] == "same":
            same, steps = sameness(steps[0][1], form), steps[1:]
        absent = None
        if _ends_where_absent(steps):
            absent = _is_absent(form)
            steps = [step for step in steps if not _is_optional(step)]
        body = self._body(steps, place)
        return None if body is None else _Step(partial(_of_field, name, form, same, absent, body))

    def _rule_step(self, name: str, arguments: list[Any], effect: str, place: _Place) -> "_Step | None":
        if not self._shows(place.level):
            # Clients never receive the errors of this rule. With the effect "stop", an error still ends the
            # body.
            effect = "quiet" if effect == "stop" else effect
            if effect == "add":
                return None
        if name in _WITH_BODIES:
            body = self._with_bodies(name, arguments, place)
            if body is None:
                return None
        else:
            body = partial(_of_rule, _rule(name, arguments, place), place.level)
        return _Step(body, may_stop=effect != "add", shows=effect != "quiet")

    def _with_bodies(self, name: str, arguments: list[Any], place: _Place) -> Body | None:
        """Compiles a rule that contains other rules, for example for the items of a list.

        - `name` and `arguments`: the rule as in the data tables of the release.
        - `place`: the context of the rule.

        Returns None if clients never receive any errors of these rules. Raises ValueError for an unknown
        rule.
        """
        match name, arguments:
            case "Value", [steps]:
                return self._body(steps, place)
            case "EachSliceVal" | "EachValSliceVal", [match_, same, steps]:
                inner = self._body(steps, replace(place, form="struct"))
                equal = sameness(same, "struct")
                return None if inner is None else partial(_each_item, key_of(match_), equal, inner)
            case "EachMapVal", [same, steps]:
                inner = self._body(steps, replace(place, form="struct"))
                return None if inner is None else partial(_each_member, sameness(same, "struct"), inner)
            case "EachMapKey", [steps]:
                inner = self._body(steps, replace(place, form="struct"))
                return None if inner is None else partial(_each_key, inner)
            case "Subfield", [member, form, same, steps]:
                inner = self._body(steps, _Place(place.level, form))
                equal = sameness(same, form)
                return None if inner is None else partial(_of_field, member, form, equal, None, inner)
            case "IfOption", [option, enabled, steps]:
                inner = self._body(steps, place)
                return None if inner is None else partial(_if_option, (option, enabled), inner)
            case "Discriminated", [member, form, discriminator, same, otherwise, by_value]:
                inside = _Place(place.level, form)
                bodies = {value: self._body(steps, inside) for value, steps in by_value.items()}
                default = self._body(otherwise, inside)
                if default is None and not any(bodies.values()):
                    return None
                equal = sameness(same, form)
                assert equal is not None
                return partial(_discriminated, member, discriminator, equal, default, bodies)
        raise ValueError(f"a rule {name}")


_WITH_BODIES: Final = frozenset(
    {"Discriminated", "EachMapKey", "EachMapVal", "EachSliceVal", "EachValSliceVal", "IfOption", "Subfield"}
    | {"Value"}
)


class _Step(msgspec.Struct, frozen=True):
    """A compiled step of a body. A body is the function that validates values of one Go type."""

    run: Body

    is_gate: bool = False
    """Whether the step is a gate. A gate ends the body if an earlier step with `may_stop` found an error."""

    may_stop: bool = False
    """Whether an error of the step ends the body at the next gate."""

    shows: bool = True
    """Whether clients receive the errors of the step."""


def _nothing(run: Run, path: str, new: Any, old: Any) -> None:
    pass


def _all(bodies: Sequence[Body], run: Run, path: str, new: Any, old: Any) -> None:
    for body in bodies:
        body(run, path, new, old)


def _until_gate(steps: Sequence[_Step], run: Run, path: str, new: Any, old: Any) -> None:
    stops = False
    for step in steps:
        if step.is_gate:
            if stops:
                return
            continue
        before = len(run.found)
        step.run(run, path, new, old)
        if step.may_stop and len(run.found) > before:
            stops = True
            if not step.shows:
                del run.found[before:]


_QUIET_WHERE_ABSENT: Final = frozenset({"MaxItems", "MaxLength", "MaxBytes", "MaxProperties"})
"""Names of rules that never report an error for an unset field."""


def _is_optional(step: Sequence[Any]) -> bool:
    return bool(step[0] == "rule" and step[1].startswith("Optional"))


def _ends_where_absent(steps: Steps) -> bool:
    """Whether the rules of a field report no errors if the field is not set, so that they can be skipped."""
    first = list(itertools.takewhile(lambda step: step != ["gate"], steps))
    return (
        len(first) < len(steps)
        and any(map(_is_optional, first))
        and all(
            _is_optional(step) or (step[0] == "rule" and step[1] in _QUIET_WHERE_ABSENT) for step in first
        )
    )


def _is_absent(form: str) -> Callable[[Any], bool]:
    if form == "pointer":
        return lambda value: value is None
    return operator.not_ if form == "items" else is_zero


def _of_field(
    name: str,
    form: str,
    same: Same | None,
    absent: Callable[[Any], bool] | None,
    body: Body,
    run: Run,
    path: str,
    new: Any,
    old: Any,
) -> None:
    if not name:  # the field is an inlined struct
        body(run, path, new, old)
        return
    value = new.get(name)
    if absent is not None and absent(value):
        return
    before = None
    if old is not None:
        before = old.get(name)
        if run.update and same is not None and same(value, before):
            return
        if before is None:
            before = _ZEROES.get(form)
    if value is None:
        value = _ZEROES.get(form)
    body(run, f"{path}.{name}" if path else name, value, before)


_ZEROES: Final[Mapping[str, Any]] = {"text": "", "number": 0, "flag": False, "struct": {}}
"""The value that replaces an absent field, by the field's form in Go. For other forms, this is None."""


def _each_item(
    key: Key | None, same: Same | None, body: Body, run: Run, path: str, new: Any, old: Any
) -> None:
    past = by_key(old, key) if key is not None and old else {}
    for index, item in enumerate(new or ()):
        before = None if key is None or not past else past.get(key(item))
        if run.update and before is not None and (same is None or same(item, before)):
            continue
        body(run, f"{path}[{index}]", item, before)


def _each_member(same: Same | None, body: Body, run: Run, path: str, new: Any, old: Any) -> None:
    """Validates the values of a map with `body`, sorted by key. Upstream's order is random.

    `same`: returns whether an old and a new value are equal; an update skips equal values. None skips no
    values.
    """
    for key, value in sorted((new or {}).items()):
        before = (old or {}).get(key)
        if run.update and before is not None and same is not None and same(value, before):
            continue
        body(run, f"{path}[{key}]", value, before)


def _each_key(body: Body, run: Run, path: str, new: Any, old: Any) -> None:
    for key in sorted(new or ()):
        if not (run.update and key in (old or ())):
            body(run, path, key, None)


def _if_option(given: tuple[str, bool], body: Body, run: Run, path: str, new: Any, old: Any) -> None:
    """Validates a value with `body` if an option has the required state.

    `given`: the name of the option, and whether it must be on.
    """
    option, enabled = given
    if run.options[option] == enabled:
        body(run, path, new, old)


def _discriminated(
    member: str,
    discriminator: str,
    same: Same,
    default: Body | None,
    bodies: Mapping[str, Body | None],
    run: Run,
    path: str,
    new: Any,
    old: Any,
) -> None:
    value, kind = new.get(member), new.get(discriminator, "")
    before = None if old is None else old.get(member)
    if run.update and old is not None and kind == old.get(discriminator, "") and same(value, before):
        return
    body = bodies.get(kind, default)
    if body is not None:
        body(run, f"{path}.{member}" if path else member, value, before)


def _of_rule(rule: Rule, level: str, run: Run, path: str, new: Any, old: Any) -> None:
    errors = rule(run, path, new, old)
    if errors:
        run.found += [Found(error, level) for error in errors]


def _shown_as_json(text: str) -> Any:
    return Dump(go_encode(text).decode())


def _itself(text: str) -> Any:
    return text


def _rule(name: str, arguments: list[Any], place: _Place) -> Rule:
    show: Show = _shown_as_json if place.named else _itself
    if name in FORMATS:
        check = FORMATS[name]
        return lambda run, path, new, old: check(new, path, show) if new is not None else ()
    if name in CUSTOM:
        return CUSTOM[name]
    for prefix, rule in (
        ("Required", checks.required_rule),
        ("Optional", checks.optional_rule),
        ("Forbidden", checks.forbidden_rule),
    ):
        if name.startswith(prefix):
            return partial(rule, _ABSENT[name.removeprefix(prefix)])
    return _RULES[name](arguments, show)


_ABSENT: Final[Mapping[str, Callable[[Any], bool]]] = {
    "Value": is_zero,
    "Pointer": lambda value: value is None,
    "Slice": lambda value: not value,
    "Map": lambda value: not value,
}


def _members(arguments: list[Any]) -> list[tuple[str, Callable[[Any], bool], bool]]:
    """Converts the arguments of a union rule in the tables to `checks.Member` tuples."""
    return [(name, is_set_by(form), isinstance(form, Mapping)) for name, form in arguments]


_RULES: Final[Mapping[str, Callable[[list[Any], Show], Rule]]] = {
    "Immutable": lambda arguments, show: checks.immutable,
    "Monotonic": lambda arguments, show: checks.monotonic,
    "MaxItems": lambda arguments, show: partial(checks.max_items, arguments[0]),
    "MaxBytes": lambda arguments, show: partial(checks.max_bytes, arguments[0]),
    "MaxLength": lambda arguments, show: partial(checks.max_length, arguments[0]),
    "Minimum": lambda arguments, show: partial(checks.minimum, arguments[0]),
    "Maximum": lambda arguments, show: partial(checks.maximum, arguments[0]),
    "Enum": lambda arguments, show: partial(checks.enum, tuple(arguments[0]), _shown_as_json),
    "Unique": lambda arguments, show: partial(checks.unique, key_of(arguments[0]), show),
    "ValSliceUnique": lambda arguments, show: partial(checks.unique, key_of(arguments[0]), show),
    "ValSliceUpdate": lambda arguments, show: partial(checks.list_change, key_of(arguments[0]), arguments[1]),
    "UpdatePointer": lambda arguments, show: partial(checks.change, _ABSENT["Pointer"], arguments[0]),
    "UpdateValueByCompare": lambda arguments, show: partial(checks.change, is_zero, arguments[0]),
    "Union": lambda arguments, show: partial(checks.union, _members(arguments)),
    "ZeroOrOneOfUnion": lambda arguments, show: partial(checks.one_at_most, _members(arguments)),
    "DependentRequired": lambda arguments, show: partial(checks.required_with, _members(arguments)),
    "DependentForbidden": lambda arguments, show: partial(checks.forbidden_with, _members(arguments)),
}
