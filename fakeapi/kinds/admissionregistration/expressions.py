"""Compiles CEL expressions of webhooks and policies like a release, and returns the release's errors.

Follows k8s.io/kubernetes `pkg/apis/admissionregistration/validation`.
"""

from functools import cache, lru_cache

from fakeapi.machinery.cel.admission import Declared, admission_environment
from fakeapi.machinery.cel.compiler import (
    Invalid,
    Right,
    Strictness,
    TypedCompiler,
    TypedVerdict,
    Unplannable,
    typed_compiler,
)
from fakeapi.machinery.cel.cost import cost_by_path
from fakeapi.machinery.cel.devices import BASE_LIBRARIES
from fakeapi.machinery.cel.source import Wording
from fakeapi.machinery.cel.types import DYN, Type
from fakeapi.machinery.field_errors import FieldError, internal, invalid
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

COMPILERS_MAX = 256
"""Maximum number of cached compilers.

Each compiler is for one release, one set of variables and one set of result types.
"""


def compiled(text: str, declared: Declared, results: tuple[Type, ...], rules: ReleaseRules) -> TypedVerdict:
    """Compiles a CEL expression of a webhook or policy, and returns the verdict on the expression.

    `declared`: the variables that the expression may use
    `results`: the types that the expression may have; empty for any type
    """
    return _compiler(rules.quirks, declared, results)(text)


def expression_errors(verdict: TypedVerdict, printed: str, path: str) -> list[FieldError]:
    """Returns the field errors of a compiled expression; no errors if fakeapi cannot check the expression.

    `printed`: the expression as it appears in the error messages.
    """
    match verdict:
        case Invalid(detail):
            return [invalid(path, printed, detail)]
        case Unplannable(detail):
            return [internal(path, detail)]
        case _:
            return []


def type_of_variable(verdict: TypedVerdict) -> Type:
    """Returns the type of a variable for later expressions.

    Returns DYN if the expression of the variable is invalid or cannot be checked.
    """
    return verdict.type if isinstance(verdict, Right) else DYN


@lru_cache(COMPILERS_MAX)
def _compiler(quirks: Quirks, declared: Declared, results: tuple[Type, ...]) -> TypedCompiler:
    environment = admission_environment(BASE_LIBRARIES | quirks.cel_libraries, declared)
    return typed_compiler(
        environment, strictness(quirks), results, names_result=quirks.cel_names_wrong_results
    )


@cache
def strictness(quirks: Quirks) -> Strictness:
    """Returns how strictly a release checks the CEL expressions of webhooks and policies."""
    return Strictness(
        dyn_result=False,
        any_result=False,
        checks_formats=quirks.cel_formats_are_checked,
        cost_max=None,
        pricing=cost_by_path,
        wording=Wording(
            empty_column=1 if quirks.cel_counts_empty_from_one else 0,
            line_starts_before=quirks.cel_line_starts_before,
            lexes_quoted_fields=quirks.cel_lexes_quoted_fields,
        ),
    )
