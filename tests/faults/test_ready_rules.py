"""Every ready-made fault rule has a test with a real client."""

import ast
from collections.abc import Iterator
from pathlib import Path

from fakeapi.faults.ready import READY

MODULES = ("test_clients.py", "test_slow_clients.py", "test_watching_clients.py")
"""The test modules with real clients. The parameter `kind` of a test names the ready-made fault."""


def kinds(source: str) -> Iterator[str]:
    """Yields the values of the parameter `kind` in a module's parametrized tests.

    `source`: the source text of the module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.parametrize":
            named, values = (ast.literal_eval(argument) for argument in node.args)
            members = (named,) if isinstance(named, str) else named
            if "kind" in members:
                place = members.index("kind")
                yield from (each if isinstance(named, str) else each[place] for each in values)


def test_each_ready_made_rule_has_a_test_with_a_real_client() -> None:
    met = {kind for name in MODULES for kind in kinds((Path(__file__).parent / name).read_text("utf-8"))}
    assert met == set(READY)


def test_a_rule_that_no_test_names_is_missed() -> None:
    source = '@pytest.mark.parametrize(("x", "kind"), [(1, "tear")])\ndef test_it(): ...'
    assert set(kinds(source)) == {"tear"}
