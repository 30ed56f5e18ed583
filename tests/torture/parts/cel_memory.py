"""Tests the memory limit of CEL evaluations with random expressions whose values grow.

Python may use at most PEAK bytes for an evaluation with the limit LIMIT. If the limit stops an evaluation,
the evaluation returns no value.
"""

import importlib.util
import tracemalloc
from random import Random

from fakeapi.admission.policies.programs import Uncompiled, program
from fakeapi.machinery.cel.admission import Declared
from fakeapi.machinery.cel.runtime.json_values import from_json
from fakeapi.machinery.cel.runtime.memory import Memory
from fakeapi.machinery.cel.runtime.values import Err
from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of
from tests.torture.budget import Budget, Finding, Unavailable

LIMIT = 250_000
PEAK = 8 * LIMIT
STARTS = ("[1, 2]", "['a']", "'aa'", "b'aa'", "{'a': 1}", "[[1], [2]]", "object.l", "object.s")
STEPS = (
    "a + a", "[a, a]", "{1: a, 2: a}", "[a] + [a]", "a + a + a + a", "'%s%s'.format([a, a])",
    "[a, a].map(b, [b, b])", "a.replace('a', 'aaaa')", "[a, a, a].join(a)", "a.split('')", "a.reverse()",
    "a.flatten()", "a.map(b, a)", "a.filter(b, true)", "string(a) + string(a)", "bytes(a) + bytes(a)",
    "strings.quote(a)", "a.slice(0, 2) + a", "[a, a].distinct() + [a]", "a.transformMap(i, v, [v, v])",
    "cel.bind(b, a + a, b + b)", "lists.range(1000).map(b, a)", "dyn(a) == dyn(a) ? [a, a] : [a]",
)  # fmt: skip
ENDS = ("size() >= 0", "map(b, b).size() >= 0", "sum() > 0", "sort().size() > 0", "exists(b, b == 1)")
STEPS_AT_MOST = 20


def generated(random: Random) -> str:
    """Returns a random CEL expression that applies a few operations many times, so that its values grow."""
    chosen = [random.choice(STEPS) for _ in range(random.choice((1, 1, 2)))]
    steps = "".join(f".map(a, {random.choice(chosen)})" for _ in range(random.randint(1, STEPS_AT_MOST)))
    grown = f"[dyn({random.choice(STARTS)})]{steps}"
    if random.random() < 0.3:
        return f"{grown} == {grown}"
    return f"{grown}[0].{random.choice(ENDS)}"


def run(budget: Budget) -> dict[str, float]:
    if importlib.util.find_spec("cel_expr_python") is None:
        raise Unavailable("the extra cel is not installed")
    rules = rules_of(load_release("1.37"))
    known = {"object": from_json({"l": [1] * 500, "s": "text" * 500})}
    figures = {"evaluated": 0.0, "stopped": 0.0}
    for _ in budget.rounds():
        text = generated(budget.random)
        try:
            compiled = program(text, Declared(), rules)
        except Uncompiled:
            continue
        tracemalloc.start()
        try:
            evaluation = compiled.evaluate(known, memory=Memory(LIMIT))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        figures["evaluated"] += 1
        figures["stopped"] += evaluation.exceeded
        if peak > PEAK:
            raise Finding(f"{peak} bytes were made within {LIMIT}: {text}")
        if evaluation.exceeded and evaluation.value is not None:
            raise Finding(f"an evaluation that was stopped has the value {evaluation.value}: {text}")
        if not evaluation.exceeded and not isinstance(evaluation.value, Err | bool):
            raise Finding(f"{evaluation.value!r} is not a bool: {text}")
    return figures
