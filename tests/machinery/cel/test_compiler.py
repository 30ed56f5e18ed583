import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from fakeapi.machinery.cel import compiler as cel_compiler
from fakeapi.machinery.cel import library, source
from fakeapi.machinery.cel.compiler import (
    CACHED_ENTRY_MAX,
    Compiler,
    Invalid,
    Strictness,
    Unchecked,
    compiler,
)
from fakeapi.machinery.cel.cost import cost_traced
from fakeapi.machinery.cel.declarations import LIBRARIES
from fakeapi.machinery.cel.devices import device_environment
from tests.machinery.steps import assert_linear

needs_library = pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")


def new_compiler() -> Compiler:
    wording = source.Wording(empty_column=0, line_starts_before=False, lexes_quoted_fields=True)
    strictness = Strictness(
        any_result=True,
        dyn_result=False,
        checks_formats=True,
        cost_max=1_000_000,
        pricing=cost_traced,
        wording=wording,
    )
    return compiler(device_environment(LIBRARIES, constructible=True), strictness)


@needs_library
def test_the_library_is_loaded_with_the_first_expression_and_not_before() -> None:
    program = """
import sys
from fakeapi.cluster import Cluster
from fakeapi.kinds.resource.validation.cel_selectors import device_compiler
from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of
from fakeapi.settings import Settings
Cluster(Settings(release="1.33"))
check = device_compiler(rules_of(load_release("1.33")))
before = "cel_expr_python" in sys.modules
check("true")
print(before, "cel_expr_python" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_without_the_library_an_expression_is_unchecked_and_the_reason_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, library.MODULE, None)  # makes Python treat the module as missing
    assert new_compiler()("nonsense") == Unchecked("it needs the extra cel, pip install 'fakeapi-k8s[cel]'")


def test_without_the_library_what_is_beyond_cels_own_limits_is_refused_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, library.MODULE, None)  # makes Python treat the module as missing
    assert isinstance(new_compiler()("(" * 251), Invalid)


@needs_library
def test_an_expression_that_nests_deeper_than_the_library_goes_is_unchecked() -> None:
    verdict = new_compiler()("(" * 100 + "true" + ")" * 100)
    assert verdict == Unchecked("it nests deeper than cel-expr-python goes")


@needs_library
def test_a_verdict_is_found_once() -> None:
    check = new_compiler()
    assert check("nonsense") is check("nonsense")


@needs_library
def test_a_verdict_on_a_long_expression_is_not_kept() -> None:
    check = new_compiler()
    long = "nonsense" + " " * CACHED_ENTRY_MAX
    assert check(long) == check(long)
    assert check(long) is not check(long)


def test_the_verdicts_unused_for_longest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cel_compiler, "CACHED_CHARACTERS_MAX", 30)
    cache = cel_compiler.VerdictCache()
    for text in ("a" * 10, "b" * 10, "c" * 10):
        cache.get(text, lambda: None)
    cache.get("a" * 10, lambda: Invalid("not asked"))
    cache.get("d" * 10, lambda: None)
    assert [text[0] for text in ("a" * 10, "b" * 10, "c" * 10, "d" * 10) if text in cache] == ["a", "c", "d"]


@needs_library
def test_threads_that_compile_at_once_get_the_verdicts_that_one_alone_gets() -> None:
    expressions = [f"device.driver == {value} && x{value}" for value in ("1", '"a"', "true")] * 20
    expressions = [f"{expression} || {index} == 1" for index, expression in enumerate(expressions)]
    alone = list(map(new_compiler(), expressions))
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(new_compiler(), expressions))
    assert together == alone


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets that never close": lambda n: "(" * n,
    "lists that never close": lambda n: "[" * n,
    "maps that never close": lambda n: "{" * n,
    "calls in calls": lambda n: "f(" * n,
    "negations": lambda n: "!" * n + "true",
    "signs": lambda n: "-" * n + "1",
    "selections": lambda n: "a." * n + "a",
    "indices": lambda n: "a" + "[1]" * n,
    "methods": lambda n: "a" + ".b()" * n,
    "sums": lambda n: "1+" * n + "1",
    "sums of strings": lambda n: '"a"+' * n + '"a"',
    "conditions": lambda n: "a?b:" * n + "c",
    "half conditions": lambda n: "a?" * n,
    "conjunctions": lambda n: "true && " * n + "true",
    "comparisons": lambda n: 'device.attributes["x"].y == 1 || ' * (n // 4) + "true",
    "comprehensions": lambda n: "[1].all(x, true) && " * (n // 4) + "true",
    "nested comprehensions": lambda n: "[1].all(x, " * n + "true" + ")" * n,
    "lists of empty lists": lambda n: "[" + "[]," * n + "] == []",
    "lists of lists": lambda n: "[" + "[[[]]],[{}]," * n + "] == []",
    "maps": lambda n: "{" + ",".join(f"{i}: {i}" for i in range(n)) + "} == {}",
    "quotes": lambda n: "'" * n,
    "escapes": lambda n: "\\" * n,
    "a string of backslashes that never closes": lambda n: "'" + "\\" * n + " " * 260,
    "escaped quotes": lambda n: "'" + "\\'" * n,
    "long quotes and escapes": lambda n: "'''\\" * n,
    "backquotes": lambda n: "`" * n,
    "no tokens": lambda n: "@" * n,
    "their own error messages": lambda n: "token recognition error at: '@" * n,
    "lines": lambda n: "a\n&&" * n + "a",
    "a number": lambda n: "9" * n,
    "a pattern": lambda n: "''.matches('" + "(a*)*" * n + "')",
    "clauses": lambda n: "'" + "%s" * n + "'.format([" + "1," * n + "]) == ''",
    "undeclared names": lambda n: " && ".join(f"n{i}" for i in range(n)),
    "zeros": lambda n: "\0" * n,
}


@needs_library
@pytest.mark.parametrize("shape", HOSTILE.values(), ids=HOSTILE)
def test_compiling_takes_time_in_proportion_to_the_expression(shape: Callable[[int], str]) -> None:
    check = new_compiler()
    check("true")
    assert_linear(lambda n: lambda: check(shape(n)), 300)


@needs_library
@pytest.mark.parametrize("shape", HOSTILE.values(), ids=HOSTILE)
def test_ten_kibibytes_of_anything_are_compiled(shape: Callable[[int], str]) -> None:
    """Compiles an expression of 10 KiB.

    Compilation that needs more than linear time exceeds the test's time limit.
    """
    new_compiler()(shape(10_240)[:10_240])


@needs_library
@pytest.mark.parametrize("repeated", ["a && ", "[], ", "@", "a\n&&", "1 in [1] && "])
def test_as_much_as_cel_reads_at_all_is_compiled(repeated: str) -> None:
    expression = repeated * (source.CODE_POINTS_MAX // len(repeated))
    assert isinstance(new_compiler()(expression), Invalid)


@needs_library
def test_the_faults_of_one_expression_are_bounded() -> None:
    verdict = new_compiler()(" && ".join(f"n{i}" for i in range(1500)))
    assert isinstance(verdict, Invalid)
    assert len(verdict.detail) < source.DETAIL_MAX + 1000
    assert verdict.detail.endswith(" more errors were truncated")


@needs_library
@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(" * 250 + "1" + ")" * 250, "expression recursion limit exceeded: 250"),
        ('"a"+' * 2000 + '"a"', "max recursion depth exceeded"),
    ],
)
def test_what_nests_deeper_than_cel_go_goes_is_invalid(expression: str, message: str) -> None:
    verdict = new_compiler()(expression)
    assert verdict == Invalid(f"compilation failed: ERROR: <input>:-1:0: {message}")
