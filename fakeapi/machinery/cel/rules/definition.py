"""Validates the CEL rules of a CustomResourceDefinition: whether they compile, and their estimated cost.

Follows k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`.
"""

from typing import Any

import msgspec

from fakeapi.machinery.cel import library, limits
from fakeapi.machinery.cel.rules.compilation import Expression, Rule, RuleCompiler
from fakeapi.machinery.cel.rules.declared import declared, has_rules
from fakeapi.machinery.cel.rules.settings import Language, RuleSettings
from fakeapi.machinery.cel.rules.validator import rule_validator
from fakeapi.machinery.cel.sizes import MOST, capped
from fakeapi.machinery.field_errors import FieldError, forbidden, internal, invalid
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.rule_sites import RuleSite
from fakeapi.machinery.structural.schema import Schema

_NAMED_MAX = 4
"""Maximum number of expensive rules that get their own error if the total cost is too high."""


def unchecked_warning(schema: Schema | None) -> str | None:
    """Returns the warning for CEL rules that are not checked, because the extra `cel` is missing.

    Returns None if the extra is installed or the schema has no rules.
    """
    if library.is_installed() or schema is None or not has_rules(schema):
        return None
    return f"fakeapi does not check x-kubernetes-validations: {library.INSTALL}"


class Preexisting(msgspec.Struct, frozen=True):
    """The expressions of a CustomResourceDefinition before an update.

    If an update keeps an expression, the expression may use the language `RuleSettings.stored`.
    """

    rules: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()


def preexisting(schemas: list[Schema]) -> Preexisting:
    """Returns all rules and messageExpressions in the schemas of a CustomResourceDefinition, at any depth."""
    rules: set[str] = set()
    messages: set[str] = set()
    pending = list(schemas)
    while pending:
        schema = pending.pop()
        for rule in schema.validations:
            rules.add(rule.get("rule") or "")
            messages.add(rule.get("messageExpression") or "")
        pending += _parts(schema)
    return Preexisting(frozenset(rules), frozenset(messages - {""}))


def _parts(schema: Schema) -> list[Schema]:
    parts: list[Any] = [
        *schema.properties.values(),
        *schema.all_of,
        *schema.any_of,
        *schema.one_of,
        *schema.definitions.values(),
        *schema.pattern_properties.values(),
        schema.not_,
        schema.items,
        schema.additional_properties,
    ]
    return [part for part in parts if isinstance(part, Schema)]


class DefinitionRules:
    """Checks the CEL rules in one schema of a CustomResourceDefinition; create a new checker for each schema.

    Implements `structural.rule_sites.RuleChecker`. Without the extra `cel`, all methods return no errors.

    `known`: the expressions of the CustomResourceDefinition before an update.
    `suppresses_costs`: whether rules may exceed their cost limit, because an update does not change the
    schema.
    """

    def __init__(
        self, settings: RuleSettings, known: Preexisting | None = None, *, suppresses_costs: bool = False
    ) -> None:
        self.exhausted = False
        self._settings = settings
        self._known = known or Preexisting()
        self._suppresses = suppresses_costs
        self._budget = limits.OBJECT_COST_MAX
        self._total = 0
        self._dearest: list[tuple[int, str]] = []

    def check_default(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]:
        """Validates the default of a schema by the CEL rules of the schema and of all schemas within it.

        Returns no errors after the cost budget for all defaults is used up.

        `path`: the path of the default, for errors.
        `is_resource_root`: whether the schema describes a whole object.
        """
        validator = rule_validator(schema, self._settings, is_resource_root=is_resource_root)
        if validator is None or self.exhausted:
            return []
        outcome = validator.validate(schema.default, None, path, self._budget)
        self._budget = outcome.remaining
        self.exhausted = outcome.remaining < 0
        return outcome.errors

    def check_rules(self, site: RuleSite) -> list[FieldError]:
        """Returns the errors of the CEL rules of one schema node.

        The errors concern compilation, cost and forbidden use of oldSelf.
        """
        if not library.is_installed():
            return []
        place = f"{site.path}.x-kubernetes-validations"
        of = declared(site.schema, self._settings, is_resource=site.is_resource)
        if of is None:
            reason = "unable to convert structural schema to CEL declarations"
            failed = "internal error: failed to construct type information for x-kubernetes-validations rules"
            return [internal(place, f"{failed}: {reason}")]
        compiler = RuleCompiler(self._settings, of)
        cardinality = compiler.cardinality() if site.cardinality is None else site.cardinality
        errors: list[FieldError] = []
        for index, rule in enumerate(site.schema.validations):
            compiled = compiler.compile(rule, self._rules_speak, self._messages_speak)
            errors += self._of_rule(f"{place}[{index}]", rule, compiled, cardinality)
            errors += _old_self_errors(f"{place}[{index}]", rule, compiled.condition, site)
        return errors

    def check_total(self, path: str) -> list[FieldError]:
        """Returns errors if the total cost of all rules passed to `check_rules` exceeds the limit.

        `path`: the path of the schema.
        """
        if self._total <= limits.SCHEMA_COST_MAX:
            return []
        contributed = (
            "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        )
        name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        return [
            *(forbidden(place, contributed) for _, place in self._dearest),
            forbidden(path, _exceeds(name, self._total, limits.SCHEMA_COST_MAX)),
        ]

    def _rules_speak(self, text: str) -> Language:
        return self._settings.stored if text in self._known.rules else self._settings.new

    def _messages_speak(self, text: str) -> Language:
        return self._settings.stored if text in self._known.messages else self._settings.new

    def _of_rule(self, place: str, rule: Object, compiled: Rule, cardinality: int) -> list[FieldError]:
        errors: list[FieldError] = []
        condition, message = compiled.condition, compiled.message
        cost = min(condition.cost * cardinality, MOST)
        errors += self._cost_errors(f"{place}.rule", "estimated rule cost", cost)
        if condition.error:
            errors.append(self._uncompiled(f"{place}.rule", rule, condition.error))
        if message is not None:
            if message.error:
                errors.append(self._uncompiled(f"{place}.messageExpression", rule, message.error))
            elif message.program is not None:
                name = "estimated messageExpression cost"
                errors += self._cost_errors(f"{place}.messageExpression", name, message.cost)
        return errors

    def _uncompiled(self, place: str, rule: Object, detail: str) -> FieldError:
        printed = (
            _rule_json(rule)
            if self._settings.shows_rules_as_json
            else _rule_dump(rule, self._settings.rule_members)
        )
        return FieldError("FieldValueInvalid", place, f"Invalid value: {printed}: {detail}")

    def _cost_errors(self, place: str, name: str, cost: int) -> list[FieldError]:
        self._total = capped(self._total + cost)
        if cost >= limits.SCHEMA_COST_MAX // 100:
            self._dearest.append((cost, place))
            self._dearest.sort(key=lambda priced: -priced[0])
            del self._dearest[_NAMED_MAX:]
        if self._suppresses or cost <= limits.RULE_COST_MAX:
            return []
        return [forbidden(place, _exceeds(name, cost, limits.RULE_COST_MAX))]


def _exceeds(name: str, cost: int, most: int) -> str:
    factor = cost / most
    text = f"{factor:.6f}x" if factor < 1.5 else f"{factor:.1f}x"
    if factor > 100:
        text = "more than 100x"
    hint = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength"
    return f"{name} exceeds budget by factor of {text} ({hint} where arrays, maps, and strings are declared)"


def _rule_json(rule: Object) -> str:
    """Formats a rule like Go's encoding/json formats the internal type ValidationRule."""
    members = {
        "Rule": rule.get("rule") or "",
        "Message": rule.get("message") or "",
        "MessageExpression": rule.get("messageExpression") or "",
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath") or "",
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }
    return go_encode(members).decode()


def _rule_dump(rule: Object, members: int) -> str:
    """Formats a rule like Go's `%#v`, with an invented address for each pointer.

    `members`: the number of fields that errors print, see `RuleSettings.rule_members`
    """
    reason = rule.get("reason")
    parts = (
        f"Rule:{quote(rule.get('rule') or '')}",
        f"Message:{quote(rule.get('message') or '')}",
        f"MessageExpression:{quote(rule.get('messageExpression') or '')}",
        f"Reason:(*apiextensions.FieldValueErrorReason)({'nil' if reason is None else '0xc000000000'})",
        f"FieldPath:{quote(rule.get('fieldPath') or '')}",
        f"OptionalOldSelf:(*bool)({'nil' if rule.get('optionalOldSelf') is None else '0xc000000000'})",
    )
    return f"apiextensions.ValidationRule{{{', '.join(parts[:members])}}}"


def _old_self_errors(place: str, rule: Object, condition: Expression, site: RuleSite) -> list[FieldError]:
    if condition.uses_old_self:
        if site.forbids_old_self_within is None:
            return []
        within = f"the uncorrelatable portion of the schema within {site.forbids_old_self_within}"
        return [invalid(f"{place}.rule", rule["rule"], f"oldSelf cannot be used on {within}")]
    optional = rule.get("optionalOldSelf")
    if optional is None:
        return []
    return [invalid(f"{place}.optionalOldSelf", optional, "may not be set if oldSelf is not used in rule")]
