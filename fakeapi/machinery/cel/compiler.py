"""Compiles the CEL expressions of device selectors and admission policies, with Kubernetes' error messages.

Follows k8s.io/dynamic-resource-allocation `cel` and, for 1.30, `structured/namedresources/cel`.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec

from fakeapi.machinery.cel import deferred, library, source
from fakeapi.machinery.cel.checker import Checked, Fault, check
from fakeapi.machinery.cel.cost import Pricing
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.literals import constant_fault, literal_faults, number_faults
from fakeapi.machinery.cel.syntax import Parsed
from fakeapi.machinery.cel.types import ANY, BOOL, DYN, Type

CACHED_CHARACTERS_MAX = 8 * 1024 * 1024
"""Maximum number of characters of expressions and verdicts in the cache of one compiler.

A full cache drops the least recently used expressions.
"""

CACHED_ENTRY_MAX = 32 * 1024
"""Maximum number of characters of a cached expression and its verdict; longer expressions are not cached."""


class Invalid(msgspec.Struct, frozen=True):
    """The verdict on an invalid expression; `detail` says why it is invalid."""

    detail: str


class TooComplex(msgspec.Struct, frozen=True):
    """The verdict on an expression whose estimated cost is over the limit."""


class Unplannable(msgspec.Struct, frozen=True):
    """The verdict on an expression with valid types that cel-go cannot turn into a program.

    Kubernetes reports an internal error; `detail` is its text.
    """

    detail: str


class Unchecked(msgspec.Struct, frozen=True):
    """The verdict on an expression that fakeapi cannot check and counts as valid; `detail` says why."""

    detail: str


class Right(msgspec.Struct, frozen=True):
    """The verdict on a valid expression; `type` is the type of the result."""

    type: Type


Verdict = Invalid | TooComplex | Unplannable | Unchecked | None
"""The verdict on an expression; None if it is valid, or if a `Deferral` deferred the compilation."""

Compiler = Callable[[str], Verdict]

TypedVerdict = Right | Invalid | Unplannable | Unchecked | None
"""The verdict on an expression, `Right` if it is valid; None if a `Deferral` deferred the compilation."""

TypedCompiler = Callable[[str], TypedVerdict]

PricedVerdict = int | Invalid | Unplannable | Unchecked | None
"""The estimated cost of a valid expression, or another verdict.

None if a `Deferral` deferred the compilation.
"""

PricedCompiler = Callable[[str], PricedVerdict]


class Strictness(msgspec.Struct, frozen=True):
    """The checks of CEL expressions in one Kubernetes release.

    - `any_result`: whether the type of the result may be `any`.
    - `dyn_result`: whether the type of the result may be `dyn`.
    - `checks_formats`: whether the arguments of the CEL function `format` are checked.
    - `checks_literals`: whether literal durations, timestamps and regular expressions are checked.
    - `cost_max`: the limit on the estimated cost in CEL cost units; None means unlimited.
    """

    any_result: bool
    dyn_result: bool
    checks_formats: bool
    cost_max: int | None
    pricing: Pricing
    wording: source.Wording
    checks_literals: bool = True


def compiler(environment: Environment, strictness: Strictness) -> Compiler:
    """Returns a function that compiles an expression and returns the verdict; any thread may call it.

    Within a `Deferral` context, the verdict on an expression is None until the deferral compiles the
    expression. If the extra `cel` is not installed, the verdict is `Unchecked`; expressions that are too long
    or nested too deeply are still `Invalid`. Compiling the first expression loads cel-expr-python.
    """
    return _cached(lambda text: _verdict(text, environment, strictness))


def typed_compiler(
    environment: Environment, strictness: Strictness, results: tuple[Type, ...] = (), *, names_result: bool
) -> TypedCompiler:
    """Returns a function that compiles an expression and checks the type of its result.

    `strictness`: the settings for result type and cost are ignored.
    `results`: the allowed types of the result; empty allows every type.
    `names_result`: whether errors also name the actual type.
    """
    return _cached(lambda text: _typed_verdict(text, environment, strictness, results, names_result))


def priced_compiler(
    environment: Environment, strictness: Strictness, results: tuple[Type, ...], wanted: str
) -> PricedCompiler:
    """Returns a function that compiles an expression and returns its estimated cost.

    `strictness`: the settings for result type and cost are ignored.
    `results`: the allowed types of the result.
    `wanted`: how errors name the allowed types.
    """
    return _cached(lambda text: _priced_verdict(text, environment, strictness, results, wanted))


def _cached(find: Callable[[str], Any]) -> Callable[[str], Any]:
    cache = VerdictCache()

    def compiled(text: str) -> Any:
        return cache.get(text, lambda: find(text))

    def verdict(text: str) -> Any:
        deferral = deferred.current()
        if deferral is None or text in cache:
            return compiled(text)
        return deferral.verdict(compiled, text)

    return verdict


class VerdictCache:
    """A cache of verdicts by expression; several threads may share it."""

    def __init__(self) -> None:
        self._verdicts: OrderedDict[str, Any] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def __contains__(self, text: str) -> bool:
        return text in self._verdicts

    def get(self, text: str, find: Callable[[], Any]) -> Any:
        with self._lock:
            if text in self._verdicts:
                self._verdicts.move_to_end(text)
                return self._verdicts[text]
        verdict = find()
        size = _size(text, verdict)
        if size > CACHED_ENTRY_MAX:
            return verdict
        with self._lock:
            if text not in self._verdicts:
                self._verdicts[text] = verdict
                self._size += size
            while self._size > CACHED_CHARACTERS_MAX:
                self._size -= _size(*self._verdicts.popitem(last=False))
        return verdict


def _size(text: str, verdict: Any) -> int:
    return len(text) + len(getattr(verdict, "detail", ""))


def _verdict(text: str, environment: Environment, strictness: Strictness) -> Verdict:
    checked = check_text(text, environment, strictness)
    return _judged(checked, environment, strictness) if isinstance(checked, Checked) else checked


def _typed_verdict(
    text: str,
    environment: Environment,
    strictness: Strictness,
    results: tuple[Type, ...],
    names_result: bool,  # noqa: FBT001 - passed on
) -> TypedVerdict:
    checked = check_text(text, environment, strictness)
    if not isinstance(checked, Checked):
        return checked
    result = checked.type(checked.root)
    if results and result not in results:
        texts = [allowed.declared() for allowed in results]
        expected = texts[0] if len(texts) == 1 else f"one of [{' '.join(texts)}]"
        instead = f" but got {result.declared()}" if names_result else ""
        return Invalid(f"must evaluate to {expected}{instead}")
    unplannable = planning_fault(checked, environment)
    if unplannable:
        return Unplannable(f"program instantiation failed: {unplannable}")
    return Right(result)


def _priced_verdict(
    text: str, environment: Environment, strictness: Strictness, results: tuple[Type, ...], wanted: str
) -> PricedVerdict:
    checked = check_text(text, environment, strictness)
    if not isinstance(checked, Checked):
        return checked
    result = checked.type(checked.root)
    if result not in results:
        return Invalid(f"must evaluate to {wanted}, not {result.declared()}")
    unplannable = planning_fault(checked, environment)
    if unplannable:
        return Unplannable(f"program instantiation failed: {unplannable}")
    return strictness.pricing(checked, environment.extents)


def check_text(text: str, environment: Environment, strictness: Strictness) -> Checked | Invalid | Unchecked:
    """Parses and type-checks a CEL expression.

    Ignores the settings of `strictness` for result type and cost. Returns Unchecked if the extra `cel` is not
    installed, or if the expression is nested too deeply for cel-expr-python.
    """
    beyond = source.beyond_limits(text)
    if beyond:
        return Invalid(f"compilation failed: {beyond}")
    if not library.is_installed():
        return Unchecked(library.INSTALL)
    wording = strictness.wording
    try:
        parsed = library.parse(text, environment.libraries)
    except library.SyntaxFault as fault:
        return Invalid(f"compilation failed: {source.in_go_words(str(fault), text, wording)}")
    except library.DeeperThanLibrary:
        beyond = source.too_many_operations(text)
        if beyond:
            return Invalid(f"compilation failed: {beyond}")
        return Unchecked("it nests deeper than cel-expr-python goes")
    quoted = source.quoted_faults(text, wording)
    if quoted:
        return Invalid(f"compilation failed: {quoted}")
    checked = check(parsed.root, environment)
    faults = (
        number_faults(parsed.root)
        or checked.faults
        or literal_faults(checked, constants=strictness.checks_literals, formats=strictness.checks_formats)
    )
    if faults:
        return Invalid(f"compilation failed: {_shown(faults, parsed, text, wording)}")
    return checked


def _shown(faults: list[Fault], parsed: Parsed, text: str, wording: source.Wording) -> str:
    offsets = source.go_offsets(parsed, text)
    return source.shown([(offsets.get(fault.id), fault.message) for fault in faults], text, wording)


def planning_fault(checked: Checked, environment: Environment) -> str:
    """Returns cel-go's error when it plans a type-checked expression; "" if planning succeeds."""
    return constant_fault(checked) or _valueless(checked, environment)


def _valueless(checked: Checked, environment: Environment) -> str:
    """Returns cel-go's error if an expression uses the name of a struct type as a value; otherwise ""."""
    struct = next((name for name in checked.names.values() if name in environment.structs), "")
    return f"reference to undefined type: {struct}" if struct else ""


def _judged(checked: Checked, environment: Environment, strictness: Strictness) -> Verdict:
    result = checked.type(checked.root)
    allowed = (
        {BOOL} | ({ANY} if strictness.any_result else set()) | ({DYN} if strictness.dyn_result else set())
    )
    if result not in allowed:
        unknown = f" or the unknown type, not {result.declared()}" if strictness.any_result else ""
        return Invalid(f"must evaluate to bool{unknown}")
    unplannable = planning_fault(checked, environment)
    if unplannable:
        return Unplannable(f"program instantiation failed: {unplannable}")
    most = strictness.cost_max
    if most is not None and strictness.pricing(checked, environment.extents) > most:
        return TooComplex()
    return None
