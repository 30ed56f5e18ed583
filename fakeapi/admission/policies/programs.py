"""Compiles the CEL expressions of admission policies for a release, and caches the programs.

Follows k8s.io/apiserver `pkg/admission/plugin/cel`.
"""

from functools import lru_cache

from fakeapi.kinds.admissionregistration.expressions import strictness
from fakeapi.machinery.cel.admission import Declared, admission_environment
from fakeapi.machinery.cel.compiler import Invalid, Unchecked, check_text, planning_fault
from fakeapi.machinery.cel.devices import BASE_LIBRARIES
from fakeapi.machinery.cel.runtime.plan import plan
from fakeapi.machinery.cel.runtime.program import Dialect, Program
from fakeapi.releases import Quirks
from fakeapi.releases.rule_settings import rule_settings
from fakeapi.releases.rules import ReleaseRules

PROGRAMS_MAX = 1024
"""Maximum number of cached CEL programs. A full cache drops the least recently used program."""


class Uncompiled(ValueError):
    """Raised if an expression cannot be compiled. The message is the reason.

    `is_known`: True if Kubernetes reports this error too; False if fakeapi could not check the expression.
    """

    def __init__(self, why: str, *, is_known: bool) -> None:
        super().__init__(why)
        self.is_known = is_known


def program(text: str, declared: Declared, rules: ReleaseRules) -> Program:
    """Returns the compiled program of a CEL expression. Raises Uncompiled if compiling fails.

    `declared`: the variables that the expression may use.
    """
    result = _program(text, declared, rules.quirks, rule_settings(rules).dialect)
    if isinstance(result, Uncompiled):
        raise result
    return result


@lru_cache(PROGRAMS_MAX)
def _program(text: str, declared: Declared, quirks: Quirks, dialect: Dialect) -> Program | Uncompiled:
    environment = admission_environment(BASE_LIBRARIES | quirks.cel_libraries, declared)
    checked = check_text(text, environment, strictness(quirks))
    if isinstance(checked, Unchecked):
        return Uncompiled(checked.detail, is_known=False)
    if isinstance(checked, Invalid):
        return Uncompiled(checked.detail, is_known=True)
    fault = planning_fault(checked, environment)
    if fault:
        return Uncompiled(fault, is_known=True)
    return plan(checked, environment, dialect)
