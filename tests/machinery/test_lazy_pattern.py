"""Patterns that are compiled at their first use behave like compiled patterns."""

import ast
import re
from pathlib import Path

import pytest

import fakeapi
from fakeapi.machinery.lazy_pattern import lazy_pattern


def test_a_lazy_pattern_finds_what_a_compiled_pattern_finds() -> None:
    pattern = lazy_pattern("(a+)b", re.IGNORECASE)
    assert pattern.fullmatch("aAB") is not None
    assert pattern.sub(r"<\1>", "xABy") == "x<A>y"
    assert (pattern.pattern, pattern.groups) == ("(a+)b", 1)


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    pattern = lazy_pattern("(")
    assert pattern.pattern == "("
    with pytest.raises(re.error):
        pattern.search("")


def test_each_lazy_pattern_of_fakeapi_with_a_constant_text_is_valid() -> None:
    texts = [text for path in Path(fakeapi.__file__).parent.rglob("*.py") for text in _lazy_patterns(path)]
    assert len(texts) > 100
    for text in texts:
        re.compile(text)


def _lazy_patterns(path: Path) -> list[str | bytes]:
    calls = (each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.Call))
    return [
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id == "lazy_pattern"
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str | bytes)
    ]
