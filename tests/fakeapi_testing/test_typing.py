"""Type checkers accept correct uses of the Python API, and refuse wrong uses."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation import ROOT

FOLDER = Path(__file__).parent / "typed"
WRONG = (FOLDER / "wrong_uses.txt").read_text(encoding="utf-8").splitlines()
PRELUDE = """\
from fakeapi import FakeAPI, FakeAPIFactory, ReplayFunction

CLAIM = {"kind": "ResourceClaim"}


def wrong(api: FakeAPI, factory: FakeAPIFactory, replay_function: ReplayFunction) -> None:
"""


def checked(path: Path) -> str:
    """Returns the output of mypy --strict for one file. A cache in the project makes later runs fast."""
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    return result.stdout + result.stderr


@pytest.mark.timeout(300)
def test_mypy_accepts_correct_uses() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    assert "Success" in checked(FOLDER / "right_uses.py")


@pytest.mark.timeout(300)
def test_mypy_refuses_each_wrong_use(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    path = tmp_path / "wrong_uses.py"
    path.write_text(PRELUDE + "".join(f"    {line}\n" for line in WRONG), encoding="utf-8")
    first = PRELUDE.count("\n") + 1
    refused = {int(number) for number in re.findall(r"wrong_uses\.py:(\d+): error", checked(path))}
    missed = [line for number, line in enumerate(WRONG, first) if number not in refused]
    assert missed == []
    assert len(WRONG) >= 40
