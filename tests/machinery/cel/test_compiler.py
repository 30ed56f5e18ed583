import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fakeapi.machinery.cel import library, source
from fakeapi.machinery.cel.compiler import (
    CACHED_LENGTH_MAX,
    Compiler,
    Invalid,
    Strictness,
    Unchecked,
    compiler,
)
from fakeapi.machinery.cel.cost import cost_traced
from fakeapi.machinery.cel.declarations import LIBRARIES
from fakeapi.machinery.cel.devices import device_environment

needs_library = pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")


def new_compiler() -> Compiler:
    wording = source.Wording(empty_column=0, line_starts_before=False, lexes_quoted_fields=True)
    strictness = Strictness(
        any_result=True, checks_formats=True, cost_max=1_000_000, pricing=cost_traced, wording=wording
    )
    return compiler(device_environment(LIBRARIES, constructible=True), strictness)


@needs_library
def test_the_library_is_loaded_with_the_first_expression_and_not_before() -> None:
    program = """
import sys
from fakeapi.cluster import Cluster
from fakeapi.registry.groups.resource_k8s_io.validation.cel_selectors import device_compiler
from fakeapi.releases import load_release
from fakeapi.settings import Settings
Cluster(Settings(release="1.33"))
check = device_compiler(load_release("1.33").quirks, load_release("1.33").limits)
before = "cel_expr_python" in sys.modules
check("true")
print(before, "cel_expr_python" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_without_the_library_an_expression_is_unchecked_and_the_reason_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, library.MODULE, None)  # as Python marks what is absent
    assert new_compiler()("nonsense") == Unchecked("it takes the extra cel, pip install 'fakeapi-k8s[cel]'")


def test_without_the_library_what_is_beyond_cels_own_limits_is_refused_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, library.MODULE, None)  # as Python marks what is absent
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
    long = "nonsense" + " " * CACHED_LENGTH_MAX
    assert check(long) == check(long)
    assert check(long) is not check(long)


@needs_library
def test_threads_that_compile_at_once_get_the_verdicts_that_one_alone_gets() -> None:
    expressions = [f"device.driver == {value} && x{value}" for value in ("1", '"a"', "true")] * 20
    expressions = [f"{expression} || {index} == 1" for index, expression in enumerate(expressions)]
    alone = list(map(new_compiler(), expressions))
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(new_compiler(), expressions))
    assert together == alone


TEN_KIB = 10 * 1024
HOSTILE = {
    "brackets that never close": "(" * TEN_KIB,
    "lists that never close": "[" * TEN_KIB,
    "maps that never close": "{" * TEN_KIB,
    "calls in calls": "f(" * (TEN_KIB // 2),
    "negations": "!" * (TEN_KIB - 4) + "true",
    "signs": "-" * (TEN_KIB - 1) + "1",
    "selections": "a." * (TEN_KIB // 2 - 1) + "a",
    "indices": "a" + "[1]" * (TEN_KIB // 3),
    "methods": "a" + ".b()" * (TEN_KIB // 4),
    "sums": "1+" * (TEN_KIB // 2 - 1) + "1",
    "conditions": "a?b:" * (TEN_KIB // 4) + "c",
    "half conditions": "a?" * (TEN_KIB // 2),
    "conjunctions": "true && " * 1270 + "true",
    "comprehensions": "[1].all(x, " * 500 + "true" + ")" * 500,
    "thirty comprehensions": "[1].all(x, " * 28 + "true" + ")" * 28,
    "filters of filters": "[1].filter(x, " * 28 + "true" + ")" * 28,
    "bindings of bindings": "".join(f"cel.bind(a{i}, [a{i - 1}], " for i in range(1, 28)) + "a1" + ")" * 27,
    "lists of empty lists": "[" + "[]," * 3000 + "] == []",
    "lists of lists": "[" + "[[[]]],[{}]," * 800 + "] == []",
    "quotes": "'" * TEN_KIB,
    "escapes": "\\" * TEN_KIB,
    "backquotes": "`" * TEN_KIB,
    "no tokens": "@" * TEN_KIB,
    "lines": "a\n&&" * 2000 + "a",
    "a number": "9" * TEN_KIB,
    "a pattern": "''.matches('" + "(a*)*" * 2000 + "')",
    "repetitions": "''.matches('" + "(" * 9 + "a" + "{9})" * 9 + "')",
    "clauses": "'" + "%s" * 5000 + "'.format([" + "1," * 100 + "]) == ''",
    "undeclared names": " && ".join(f"n{i}" for i in range(1200)),
    "zeros": "\0" * TEN_KIB,
}


@needs_library
@pytest.mark.parametrize("expression", HOSTILE.values(), ids=HOSTILE)
def test_ten_kibibytes_of_anything_are_judged_in_less_than_a_second(expression: str) -> None:
    check = new_compiler()
    check("true")
    began = time.process_time()
    check(expression)
    assert time.process_time() - began < 1


@needs_library
@pytest.mark.parametrize("repeated", ["a && ", "[], ", "@", "a\n&&", "1 in [1] && "])
def test_as_much_as_cel_reads_at_all_is_judged_within_seconds(repeated: str) -> None:
    expression = repeated * (source.CODE_POINTS_MAX // len(repeated))
    began = time.process_time()
    assert isinstance(new_compiler()(expression), Invalid)
    assert time.process_time() - began < 5
