"""`make interop` counts the specs of a public suite, and ends the processes that the suite leaves."""

import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop.suites import running
from tests.interop.suites.public_suites import Suite
from tests.interop.suites.running import Outcome

SUITE = Suite("name", "example.com/module", "v1.0.0", ("package",), "1.37", left_out="TestLeftOut")
GINKGO = """
Ran 3 of 4 Specs in 1.0 seconds
FAIL! -- 2 Passed | 1 Failed | 1 Pending | 0 Skipped
--- FAIL: TestSuite (1.0s)
"""


@pytest.fixture
def outcome_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Outcome]:
    def outcome(script: str) -> Outcome:
        """Runs a shell script in place of a test binary."""
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        (tmp_path / "package").mkdir()
        monkeypatch.setattr(running, "compiled", lambda _suite, _package: program)
        monkeypatch.setattr(running, "source_of", lambda _suite: tmp_path)
        return running.run(SUITE, "package", tmp_path)

    return outcome


def counts(outcome: Outcome) -> tuple[int, int]:
    return outcome.passed, outcome.failed


def test_specs_of_ginkgo_are_counted(outcome_of: Callable[[str], Outcome]) -> None:
    assert counts(outcome_of(f"cat <<'E'{GINKGO}E\nexit 1")) == (2, 1)


def test_tests_of_go_are_counted_if_ginkgo_has_no_specs(outcome_of: Callable[[str], Outcome]) -> None:
    ran = "Ran 0 of 0 Specs in 0.0 seconds\nSUCCESS! -- 0 Passed | 0 Failed | 0 Pending | 0 Skipped"
    assert counts(outcome_of(f"cat <<'E'\n{ran}\n--- PASS: TestA (0s)\n    --- PASS: TestA/b (0s)\nE")) == (
        2,
        0,
    )


def test_a_suite_that_crashes_has_a_failure(outcome_of: Callable[[str], Outcome]) -> None:
    assert counts(outcome_of("echo panic; exit 2")) == (0, 1)


def test_the_binary_gets_the_folder_and_the_tests_to_leave_out(
    outcome_of: Callable[[str], Outcome], tmp_path: Path
) -> None:
    output = outcome_of('echo "$KUBEBUILDER_ASSETS $*"; pwd').output
    assert output.startswith(f"{tmp_path} -test.v ")
    assert output.endswith(f"-test.skip TestLeftOut\n{tmp_path / 'package'}\n")


def test_processes_that_a_suite_leaves_are_ended(outcome_of: Callable[[str], Outcome]) -> None:
    pid = int(outcome_of("sleep 600 & echo $!").output)
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([process], [], [], 10)
    os.close(process)
    assert ended
