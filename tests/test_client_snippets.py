"""The code for each client in docs/clients.md is a part of its program in tests/interop/clients."""

import re

import pytest

from tests.installation import ROOT

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
STORIES = ROOT / "tests" / "interop" / "clients"
SNIPPETS: list[tuple[str, str]] = re.findall(
    r"^<!-- (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("path", "snippet"), SNIPPETS, ids=[path for path, _ in SNIPPETS])
def test_a_snippet_has_the_lines_of_a_program_that_is_run_in_their_order(path: str, snippet: str) -> None:
    lines = [line.strip() for line in (STORIES / path).read_text(encoding="utf-8").splitlines()]
    at = 0
    for line in snippet.splitlines():
        assert line.strip() in lines[at:], line
        at = lines.index(line.strip(), at) + 1


def test_each_program_that_is_run_is_shown() -> None:
    programs = {path.name for path in STORIES.rglob("*") if path.stem.lower().startswith("story")}
    shown = {path.rpartition("/")[2] for path, _ in SNIPPETS}
    assert programs - shown - {"story"} <= {"story_kubernetes_asyncio.py"}  # like story_kubernetes


def test_the_example_of_a_test_passes(pytester: pytest.Pytester) -> None:
    (example,) = re.findall(r"^```python\n(import .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(example)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
