"""The Rust crates kube and k8s-openapi create, watch, update and delete a claim of three releases."""

import re
import shutil
from pathlib import Path

import pytest

from tests.interop.clients.stories import DID, FETCH_SECONDS, FOLDER, finished, tell, workshop
from tests.interop.plugin import Report
from tests.interop.toolchain import BUILDS, of_releases, require

SOURCE = FOLDER / "rust"
RELEASES = [("1.30", "older"), ("1.31", "older"), ("1.37", "newest")]
"""Pairs: a release of the server, and the folder of a Cargo.toml whose crates have types for this release."""


@pytest.mark.parametrize(("release", "crates"), of_releases(RELEASES))
def test_the_rust_client_tells_the_story_of_a_claim(release: str, crates: str, report: Report) -> None:
    manifest = SOURCE / crates / "Cargo.toml"
    versions = dict(
        re.findall(r'^(kube|k8s-openapi) = .*"=(.*?)"', manifest.read_text(encoding="utf-8"), re.MULTILINE)
    )
    feature = f"v{release.replace('.', '_')}"
    name = f"Rust kube, k8s-openapi {versions['k8s-openapi']} {feature}"
    report(kind="client", name=name, version=versions["kube"], release=release, did=DID)
    require("cargo")
    tell([built(manifest, crates, feature)], release)


def built(manifest: Path, crates: str, feature: str) -> Path:
    """Compiles the Rust program with a release's types; returns its path.

    - `manifest`: the Cargo.toml with the crate versions
    - `crates`: the name of these crate versions; programs with equal crates share compiled dependencies
    - `feature`: the Cargo feature that selects the release
    """
    files = {"Cargo.toml": manifest, "story.rs": SOURCE / "story.rs"}
    with workshop(f"rust-{feature}", files) as folder:
        program = folder / "program"
        if not (folder / ".ready").exists():
            target = BUILDS / f"rust-{crates}"
            options = ["--features", feature, "--target-dir", str(target)]
            finished(["cargo", "build", "-q", *options], FETCH_SECONDS, folder)
            shutil.copyfile(target / "debug" / "story", program)
            program.chmod(0o755)
    return program
