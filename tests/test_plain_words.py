"""tools/plain_words.py checks the wording of docstrings, comments and documents."""

from pathlib import Path

import pytest

from tests.installation import ROOT
from tools import plain_words


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a project of two folders: `fakeapi` must be plain, `docs` need not be yet."""
    (tmp_path / "fakeapi").mkdir()
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(plain_words, "ROOT", tmp_path)
    monkeypatch.setattr(plain_words, "FOLDERS", ("fakeapi",))
    monkeypatch.setattr(plain_words, "DOCUMENTS", ("docs",))
    monkeypatch.setattr(plain_words, "NOT_YET_PLAIN", ("docs",))
    return tmp_path


def test_a_riddle_in_a_docstring_fails_the_check(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "fakeapi" / "a.py").write_text('"""What a claim is."""\n')  # plain: the riddle under test
    assert plain_words.main(["--check"]) == 1
    assert "fakeapi/a.py:1: opening" in capsys.readouterr().out


def test_a_riddle_in_a_folder_that_is_not_yet_plain_is_only_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs" / "a.md").write_text("This is no claim.\n")  # plain: the riddle under test
    assert plain_words.main(["--check"]) == 0
    assert "docs: 1 sentences not yet plain" in capsys.readouterr().err


def test_a_folder_without_riddles_is_to_be_removed_from_the_list(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plain_words.main(["--check"]) == 0
    assert "docs: plain now: remove it" in capsys.readouterr().err


def test_every_folder_that_is_not_yet_plain_exists() -> None:
    assert [path for path in plain_words.NOT_YET_PLAIN if not (ROOT / path).exists()] == []
