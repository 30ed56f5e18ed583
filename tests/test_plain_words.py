"""tools/plain_words.py checks the wording of docstrings, comments and documents."""

from pathlib import Path

import pytest

from tools import plain_words


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a project of two folders, `fakeapi` and `docs`."""
    (tmp_path / "fakeapi").mkdir()
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(plain_words, "ROOT", tmp_path)
    monkeypatch.setattr(plain_words, "FOLDERS", ("fakeapi",))
    monkeypatch.setattr(plain_words, "DOCUMENTS", ("docs",))
    return tmp_path


def test_a_riddle_in_a_docstring_fails_the_check(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "fakeapi" / "a.py").write_text('"""What a claim is."""\n')  # plain: the riddle under test
    assert plain_words.main([]) == 1
    assert "fakeapi/a.py:1: opening" in capsys.readouterr().out


def test_a_riddle_in_a_document_fails_the_check(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "docs" / "a.md").write_text("This is no claim.\n")  # plain: the riddle under test
    assert plain_words.main([]) == 1
    assert "docs/a.md:1: is no" in capsys.readouterr().out


def test_plain_sentences_pass_the_check(project: Path) -> None:
    (project / "docs" / "a.md").write_text("A claim requests devices.\n")
    assert plain_words.main([]) == 0
