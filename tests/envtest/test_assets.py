"""`fakeapi envtest` writes a folder once, and removes only what it has written."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from fakeapi.cli.main import main
from fakeapi.envtest import assets
from fakeapi.envtest.assets import AssetsError, clean, listed, prepare
from fakeapi.envtest.flag_table import releases

PROGRAMS = {"etcd", "kube-apiserver", "kubectl"}


def test_the_folder_has_the_name_that_setup_envtest_gives_it(tmp_path: Path) -> None:
    folder = prepare(tmp_path, "1.34.2")
    assert folder.parent == tmp_path / "k8s"
    assert folder.name.startswith("1.34.2-linux-")
    assert {path.name for path in folder.iterdir()} == {*PROGRAMS, assets.MARK}
    assert all(os.access(folder / name, os.X_OK) for name in PROGRAMS)


def test_a_folder_is_written_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(lambda _: prepare(tmp_path, "1.34.2"), range(16)))
    [folder] = folders
    before = (folder / "etcd").stat().st_ino
    assert (prepare(tmp_path, "1.34.2") / "etcd").stat().st_ino == before


@pytest.mark.parametrize("program", ["etcd", "kube-apiserver"])
def test_the_help_of_a_program_needs_no_python(program: str, tmp_path: Path) -> None:
    file = prepare(tmp_path, "1.34.2") / program
    python, without_python = (
        file.read_text().replace('"$*" = --help', '"$*" = never'),
        file.read_text().replace(sys.executable, "/nowhere/python"),
    )
    texts = [_printed(text, tmp_path) for text in (python, without_python)]
    assert texts[0] == texts[1]
    assert "Flags" in texts[0]


def _printed(script: str, folder: Path) -> str:
    file = folder / "script"
    file.write_text(script)
    done = subprocess.run(["/bin/sh", str(file), "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_folder_of_an_older_fakeapi_is_written_again(tmp_path: Path) -> None:
    folder = prepare(tmp_path, "1.34.2")
    (folder / "etcd").write_text("old")
    (folder / assets.MARK).write_text("old")
    assert (prepare(tmp_path, "1.34.2") / "etcd").read_text() != "old"


def test_a_changed_or_deleted_program_is_written_again(tmp_path: Path) -> None:
    folder = prepare(tmp_path, "1.34.2")
    (folder / "etcd").unlink()
    (folder / "kubectl").write_text("changed")
    prepare(tmp_path, "1.34.2")
    assert os.access(folder / "etcd", os.X_OK)
    assert (folder / "kubectl").read_text() != "changed"


def test_a_folder_without_a_version_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "k8s" / "abc").mkdir(parents=True)
    (tmp_path / "k8s" / "abc" / assets.MARK).touch()
    assert listed(tmp_path) == []


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    folder = prepare(tmp_path, "1.34.2")
    (folder / assets.MARK).unlink()
    with pytest.raises(AssetsError, match="has files that fakeapi has not written"):
        prepare(tmp_path, "1.34.2")
    assert clean(tmp_path) == []
    assert folder.exists()


def test_folders_are_listed_by_version_and_removed(tmp_path: Path) -> None:
    for version in ("1.34.10", "1.34.9"):
        prepare(tmp_path, version)
    assert [item.version for item in listed(tmp_path)] == ["1.34.9", "1.34.10"]
    assert [item.version for item in clean(tmp_path)] == ["1.34.9", "1.34.10"]
    assert list((tmp_path / "k8s").iterdir()) == []


def test_the_programs_start_from_any_directory(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "a store", f"{releases()[-1]}.0")
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    for name, flag in (("etcd", "--unsafe-no-fsync"), ("kube-apiserver", "--secure-port")):
        shown = subprocess.run(
            [folder / name, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert any(line.strip().startswith(flag) for line in shown.stdout.splitlines()), name


def test_kubectl_is_the_one_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "bin" / "kubectl"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\necho real $1\n")
    real.chmod(0o755)
    monkeypatch.setenv("PATH", f"{real.parent}:/usr/bin:/bin")
    folder = prepare(tmp_path, "1.34.2")
    called = subprocess.run([folder / "kubectl", "x"], capture_output=True, text=True, check=True)
    assert called.stdout == "real x\n"


def test_without_kubectl_the_folder_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_exec_path", list)
    folder = prepare(tmp_path, "1.34.2")
    called = subprocess.run([folder / "kubectl"], capture_output=True, text=True, check=False)
    assert called.returncode == 127
    assert "Install it" in called.stderr


def fakeapi(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["envtest", *arguments], catch_exceptions=False)
    return result.output.strip()


def test_the_command_prints_the_folder_of_a_release(tmp_path: Path) -> None:
    newest = releases()[-1]
    for arguments in ([], ["--release", newest], [newest], [f"v{newest}.x"]):
        folder = Path(fakeapi("--dir", str(tmp_path), *arguments))
        assert folder.is_dir()
        assert folder.name.startswith(f"{newest}.")
    assert fakeapi("--dir", str(tmp_path), "--list").split()[1] == str(folder)
    assert fakeapi("--dir", str(tmp_path), "--clean").startswith("removed ")


def test_a_missing_extra_for_rules_in_cel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.cli.envtest.find_spec", lambda _: None)
    result = CliRunner().invoke(main, ["envtest", "--dir", str(tmp_path)])
    assert "install 'fakeapi-k8s[cel]'" in result.stderr
    assert Path(result.stdout.strip()).is_dir()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--release", "1.2"], "fakeapi has no release 1.2; it has"),
        (["--list", "--clean"], "Set --list or --clean, not both"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(arguments: list[str], words: str) -> None:
    assert words in fakeapi(*arguments)
