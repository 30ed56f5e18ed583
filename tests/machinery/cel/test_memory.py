"""CEL evaluations have a memory limit, and concatenations do not copy their operands."""

import tracemalloc
from typing import Any

import pytest

from fakeapi.admission.policies.programs import program
from fakeapi.machinery.cel import allowance, limits
from fakeapi.machinery.cel.admission import Declared
from fakeapi.machinery.cel.runtime.constructed import json_of
from fakeapi.machinery.cel.runtime.json_values import from_json
from fakeapi.machinery.cel.runtime.memory import Memory, MemoryLimitError
from fakeapi.machinery.cel.runtime.program import Evaluation
from fakeapi.machinery.cel.runtime.values import Items, Joined, ListValue
from tests.kinds.resource.builders import RULES

pytest.importorskip("cel_expr_python", reason="expressions are compiled with the extra cel alone")

SMALL = 250_000
FOURFOLD = "{1: a, 2: a, 3: a, 4: a}"
EIGHTFOLD = " + ".join("a" * 8)


def traced(text: str) -> tuple[Evaluation, int]:
    """Evaluates a CEL expression; returns the result and the peak memory of the evaluation in bytes."""
    program(text, Declared(), RULES["1.37"])
    tracemalloc.start()
    evaluation = evaluated(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return evaluation, peak


def evaluated(text: str, within: int = SMALL, **known: Any) -> Evaluation:
    variables = {name: from_json(value) for name, value in known.items()}
    return program(text, Declared(), RULES["1.37"]).evaluate(variables, memory=Memory(within))


def repeated(start: str, step: str, times: int, end: str = "size() >= 0") -> str:
    return f"[{start}]" + f".map(a, {step})" * times + f"[0].{end}"


def test_a_concatenation_of_lists_is_not_copied() -> None:
    evaluation, peak = traced(repeated("[1, 2]", "a + a + a + a", 20, f"size() == {2**41}"))
    assert (evaluation.value, evaluation.exceeded) == (True, False)
    assert peak < SMALL


def test_items_of_concatenations_are_those_of_the_lists() -> None:
    long = list(range(100))
    assert evaluated("object + [7] + object", object=long).value.__class__ is Joined
    whole = evaluated("[5] + object + [7] + object", object=long).value
    assert list(whole) == [5, *long, 7, *long] == [whole.at(index) for index in range(len(whole))]
    text = "(object + object)[150] == 50 && 99 in object + object && object + [1] == object + [1]"
    assert evaluated(text, object=long).value is True
    assert evaluated("(object + object)[200]", object=long).value.message == "index out of bounds: 200"


def test_a_concatenation_of_many_lists_can_be_read_to_its_end() -> None:
    long: ListValue = Items([0] * 100)
    for _ in range(5_000):
        long = long.plus(Items([1]))
    assert (long.at(99), long.at(100), long.at(5_099), sum(long)) == (0, 1, 1, 5_000)


def test_a_list_longer_than_an_int_ends_the_evaluation() -> None:
    assert evaluated(repeated("[1, 2, 3, 4]", EIGHTFOLD, 20, f"size() == {2**62}")).value is True
    assert evaluated(repeated("[1, 2, 3, 4] + [1, 2, 3, 4]", EIGHTFOLD, 20)).exceeded


GROWING = {
    "an item of a long concatenation": repeated("[1, 2]", "a + a + a + a", 20, "exists(x, x == 3)"),
    "membership in a concatenation": f"3 in {repeated('[1, 2]', 'a + a + a + a', 20, 'reverse()')}",
    "equality of nested lists": f"{repeated('[1]', '[a, a, a, a]', 20, 'map(b, b)')} == "
    + repeated("[1]", "[a, a, a, a]", 20, "map(b, b)"),
    "equality of nested maps": " == ".join([f"[{{1: 1}}]{f'.map(a, {FOURFOLD})' * 20}"] * 2),
    "texts that are replaced": repeated("'aa'", "a.replace('a', 'aaaa')", 20),
    "texts that are joined": repeated("'aa'", "[a, a, a, a].join(a)", 20),
    "texts that are formatted": repeated("'aa'", "'%s%s%s'.format([a, a, a])", 20),
    "nested lists that are formatted": "'%s'.format(["
    + repeated("[1]", "[a, a, a, a]", 20, "map(b, b)")
    + "]) == ''",
    "nested maps that are formatted": f"'%s'.format([[{{1: 1}}]{f'.map(a, {FOURFOLD})' * 20}]) == ''",
    "texts that are quoted": repeated("'\"'", "strings.quote(a) + strings.quote(a)", 20),
    "texts that are split": repeated("'ab'", "a + a", 17, "split('').size() >= 0"),
    "a range": "lists.range(90000).size() > 0",
    "literals in a loop": f"lists.range(2000).map(a, [{', '.join('a' for _ in range(100))}]).size() > 0",
    "maps in a loop": "lists.range(2000).map(a, {1: a, 2: a, 3: a, 4: a, 5: a}).size() > 0",
    "copies that are sorted": repeated("[2, 1]", "a + a", 16, "sort().size() > 0"),
    "items that are distinct": "lists.range(2000).distinct().size() > 0",
    "sets that contain one another": "sets.contains(lists.range(2000), lists.range(2000))",
    "nested lists that are flattened": repeated("[1]", "[a, a, a, a]", 20, "flatten(30).size() > 0"),
    "slices": repeated("[1, 2]", "a + a + a + a", 20, "slice(0, 900000).size() > 0"),
    "lists that are reversed": repeated("[1, 2]", "a + a + a + a", 20, "reverse().size() > 0"),
    "a sum": repeated("[1, 2]", "a + a + a + a", 20, "sum() > 0"),
    "bytes": repeated("b'aa'", "a + a", 22),
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING)
def test_an_expression_that_grows_ends_like_one_over_its_cost_limit(text: str) -> None:
    evaluation, peak = traced(text)
    assert (evaluation.value, evaluation.exceeded) == (None, True)
    assert peak < 8 * SMALL


def test_an_evaluation_has_a_memory_of_its_own() -> None:
    text = repeated("'aa'", "'%s%s%s%s'.format([a, a, a, a])", 20)
    assert program(text, Declared(), RULES["1.37"]).evaluate({}).exceeded
    big = "lists.range(500000).size() > 0 && lists.range(400000).size() > 0"
    assert evaluated(big, limits.EVALUATION_MEMORY_MAX).value is True


def test_a_map_that_a_loop_builds_is_not_copied_for_each_entry() -> None:
    evaluation = evaluated("object.transformMap(i, v, v).size() == 5000", 4 * SMALL, object=[7] * 5_000)
    assert evaluation.value is True


def test_memory_counts_against_the_allowance_of_a_step() -> None:
    with allowance.Allowance(5_000), pytest.raises(allowance.AllowanceSpent):
        evaluated("lists.range(3000).size() > 0")
    evaluated("lists.range(3000).size() > 0")


def test_json_of_values_within_one_another_is_bounded() -> None:
    value: Any = "text" * 100
    for _ in range(40):
        value = Items([value, value])
    with Memory(SMALL), pytest.raises(MemoryLimitError):
        json_of(value)
