"""Users learn that another distribution overwrites files of the package."""

from pathlib import Path

import pytest

from fakeapi import other_distribution


def test_another_distribution_with_the_same_package_name_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert other_distribution.problem() == ""
    metadata = tmp_path / "fakeapi-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: fakeapi\nVersion: 1.0\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "fakeapi 1.0 is installed too" in other_distribution.problem()
    assert "pip uninstall fakeapi" in other_distribution.problem()
