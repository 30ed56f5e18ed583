"""Compiles the CEL rules of one schema node.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel/compilation.go`.
"""

from collections.abc import Callable

import msgspec

from fakeapi.machinery.cel.checker import Checked
from fakeapi.machinery.cel.compiler import Invalid, Strictness, Unchecked, check_text, planning_fault
from fakeapi.machinery.cel.cost import Pricing
from fakeapi.machinery.cel.environment import Environment, Extent, Fields
from fakeapi.machinery.cel.rules.declared import REQUEST_MAX, Declared
from fakeapi.machinery.cel.rules.settings import Language, RuleSettings
from fakeapi.machinery.cel.runtime.plan import plan
from fakeapi.machinery.cel.runtime.program import Program
from fakeapi.machinery.cel.types import BOOL, STRING, Type, optional_of
from fakeapi.machinery.json_types import Object

SELF, OLD_SELF = "self", "oldSelf"
_TYPE_NAME = "selfType0"
"""Name of the CEL type of `self`; in Kubernetes the suffix is the time of compilation instead of 0."""


class _Root(dict[str, Extent]):
    """The size limits of the CEL variables of a rule: `self` and `oldSelf` have the same limits."""

    def __init__(self, of: Extent) -> None:
        super().__init__()
        self._of = of

    def get(self, name: str, default: object = None) -> Extent:
        return self._of


class Expression(msgspec.Struct, frozen=True):
    """A compiled CEL expression of a rule.

    - `error`: the reason why the expression does not compile; "" if the expression compiles.
    - `program`: the compiled program. None if there is an error, or if fakeapi accepts the expression without
      checking it.
    - `cost`: the estimated maximum cost in CEL cost units.
    """

    error: str = ""
    program: Program | None = None
    cost: int = 0
    uses_old_self: bool = False


class Rule(msgspec.Struct, frozen=True):
    """A compiled rule of x-kubernetes-validations.

    `condition`: the field `rule`.
    `message`: the field `messageExpression`; None if it is unset, or if the condition does not compile.
    """

    condition: Expression
    message: Expression | None = None


LanguageOf = Callable[[str], Language]
"""A function that returns the `Language` that an expression may use: (expression) -> language."""


class RuleCompiler:
    """Compiles the CEL rules of one schema node, with shared CEL environments.

    `of`: the CEL type of the node's values.
    """

    def __init__(self, settings: RuleSettings, of: Declared) -> None:
        self.settings = settings
        self.of = of
        self._environments: dict[tuple[Language, bool], Environment] = {}

    def cardinality(self) -> int:
        """Returns the maximum number of values of the type `of` that fit into one request."""
        return REQUEST_MAX // (self.of.least + 1)

    def compile(self, rule: Object, rules_speak: LanguageOf, messages_speak: LanguageOf) -> Rule:
        """Compiles a rule; the result contains compilation errors.

        `rules_speak`: returns the language that a `rule` may use.
        `messages_speak`: returns the language that a `messageExpression` may use.
        """
        optional = rule.get("optionalOldSelf") is True
        text, message = rule.get("rule") or "", rule.get("messageExpression") or ""
        if not text.strip():
            return Rule(Expression())
        condition = self._expression(text, rules_speak(text), _CONDITION, optional=optional)
        if condition.error or not message:
            return Rule(condition)
        return Rule(
            condition, self._expression(message, messages_speak(message), _MESSAGE, optional=optional)
        )

    def _expression(self, text: str, language: Language, wanted: "_Wanted", *, optional: bool) -> Expression:
        environment = self._environment(language, optional=optional)
        checked = check_text(text, environment, _strictness(self.settings, language))
        match checked:
            case Invalid(detail):
                return Expression(f"{wanted.prefix}{detail}")
            case Unchecked():
                return Expression()
        if checked.type(checked.root) != wanted.type:
            return Expression(wanted.otherwise)
        uses_old = OLD_SELF in checked.names.values()
        fault = planning_fault(checked, environment)
        if fault:
            return Expression(f"{wanted.planning}{fault}", uses_old_self=uses_old)
        return self._planned(checked, environment, uses_old=uses_old)

    def _planned(self, checked: Checked, environment: Environment, *, uses_old: bool) -> Expression:
        price: Pricing = self.settings.pricing
        return Expression(
            program=plan(checked, environment, self.settings.dialect),
            cost=price(checked, environment.extents),
            uses_old_self=uses_old,
        )

    def _environment(self, language: Language, *, optional: bool) -> Environment:
        key = language, optional
        if key not in self._environments:
            self._environments[key] = self._made(language, optional=optional)
        return self._environments[key]

    def _made(self, language: Language, *, optional: bool) -> Environment:
        structs: dict[str, Fields] = {}
        of = self.of.named(_TYPE_NAME, structs, keywords=language.selects_keywords)
        return Environment(
            variables={SELF: of.type, OLD_SELF: optional_of(of.type) if optional else of.type},
            libraries=language.libraries,
            structs=structs,
            extents=_Root(self.of.extent()),
            forgets_unknown_calls=self.settings.forgets_unknown_calls,
        )


class _Wanted(msgspec.Struct, frozen=True):
    """The required result type of an expression, and the wording of compilation errors."""

    type: Type
    prefix: str
    otherwise: str
    planning: str


_CONDITION = _Wanted(BOOL, "", "cel expression must evaluate to a bool", "program instantiation failed: ")
_MESSAGE = _Wanted(
    STRING,
    "messageExpression ",
    "messageExpression must evaluate to a string",
    "messageExpression instantiation failed: ",
)


def _strictness(settings: RuleSettings, language: Language) -> Strictness:
    return Strictness(
        any_result=False,
        dyn_result=False,
        checks_formats=language.checks_formats,
        checks_literals=language.checks_literals,
        cost_max=None,
        pricing=settings.pricing,
        wording=settings.wording,
    )
