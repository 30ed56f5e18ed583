"""A Go build for `make interop` that takes too long fails; the error has the time limit and advice."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.interop import go_programs
from tests.interop.go_programs import BuildFailed, build

GO = "#!/bin/sh\n[ $1 = env ] && echo go1.26 && exit\n{}\n"


def go_that(does: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "go"
    program.write_text(GO.format(does), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(go_programs, "building", nullcontext)  # the log must contain only real builds
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_build_that_hangs_is_ended_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_that("exec sleep 600", tmp_path, monkeypatch)
    monkeypatch.setattr(go_programs, "BUILD_SECONDS", 0.1)
    with pytest.raises(BuildFailed, match=r"go build .* was ended after 0 s; .* goes on from there"):
        build("program", "module program\n", {}, builds=tmp_path)


def test_a_build_that_fails_says_what_go_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_that("echo no such package >&2; exit 1", tmp_path, monkeypatch)
    with pytest.raises(BuildFailed, match="no such package"):
        build("program", "module program\n", {}, builds=tmp_path)


def test_a_build_waits_for_no_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_that("cat; touch unfinished", tmp_path, monkeypatch)
    monkeypatch.setattr(go_programs, "BUILD_SECONDS", 30)
    assert build("program", "module program\n", {}, builds=tmp_path).is_file()
