"""In CI, a test whose tool is missing fails; the list of slow tests names only tests that exist."""

import ast
from pathlib import Path

import pytest

from tests import skips, slow

SKIPPING = """
    import pytest
    @pytest.mark.skipif(True, reason="{reason}")
    def test_it():
        pass
"""


@pytest.mark.parametrize(
    ("reason", "outcome"), [("Go is not installed", "failed"), ("this system does not fork", "skipped")]
)
def test_a_skip_for_a_missing_tool_is_a_failure_where_ci_is_set(
    reason: str, outcome: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(SKIPPING.format(reason=reason))
    run = pytester.inline_run(plugins=[skips])
    assert next(report.outcome for report in run.getreports("pytest_runtest_logreport")) == outcome


@pytest.mark.parametrize(
    ("ci", "code"), [("true", pytest.ExitCode.INTERRUPTED), ("", pytest.ExitCode.NO_TESTS_COLLECTED)]
)
def test_a_module_that_is_skipped_for_a_missing_library_is_a_failure_where_ci_is_set(
    ci: str, code: pytest.ExitCode, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    pytester.makepyfile("import pytest\npytest.importorskip('missing_library', reason='it is not installed')")
    assert pytester.inline_run(plugins=[skips]).ret == code


@pytest.mark.parametrize("listed", [slow.LIST, slow.SAMPLED], ids=["slow", "sampled"])
def test_every_listed_test_exists(listed: Path) -> None:
    for test in slow.numbers(listed.read_text(encoding="utf-8")):
        path, _, name = test.partition("::")
        functions = ast.parse((slow.ROOT / path).read_bytes()).body
        assert name in {node.name for node in functions if isinstance(node, ast.FunctionDef)}, test


def test_the_option_fast_leaves_out_slow_tests_and_says_how_many(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.network
        def test_download():
            pass
        def test_quick():
            pass
        """
    )
    run = pytester.runpytest_inprocess("--fast", plugins=[slow])
    run.assert_outcomes(passed=1, deselected=1)
    run.stdout.fnmatch_lines(["1 cases were left out: *`make test-all` runs all"])


def test_the_option_fast_runs_every_nth_case_of_a_sampled_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sampled = tmp_path / "sampled.txt"
    sampled.write_text("# every n-th case, test\n3 test_cases.py::test_many\n")
    monkeypatch.setattr(slow, "SAMPLED", sampled)
    pytester.makepyfile(
        test_cases="""
        import pytest
        @pytest.mark.parametrize("number", range(7))
        def test_many(number):
            assert number in (0, 3, 6)
        def test_one():
            pass
        """
    )
    pytester.runpytest_inprocess("--fast", plugins=[slow]).assert_outcomes(passed=4, deselected=4)
