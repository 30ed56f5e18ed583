"""Builds and checks the distributions to publish: `make dist`.

Builds the wheel and the source distribution twice, the second time from the source distribution in another
folder, and compares them byte by byte. Runs `twine check --strict`. Writes dist/sbom.json, a bill of
materials of the locked packages in the format of CycloneDX.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LOCK = ROOT / "requirements.lock"


def run(*command: str, cwd: Path = ROOT) -> None:
    subprocess.run([sys.executable, "-m", *command], cwd=cwd, check=True, env=environment())


def environment() -> dict[str, str]:
    """Returns the environment of a build: all files get the time of the last commit.

    Without git, SOURCE_DATE_EPOCH must be set.
    """
    if "SOURCE_DATE_EPOCH" in os.environ:
        return {**os.environ}
    command = ["git", "log", "-1", "--format=%ct"]
    seconds = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return {**os.environ, "SOURCE_DATE_EPOCH": seconds}


def digests(directory: Path) -> dict[str, str]:
    files = sorted([*directory.glob("*.whl"), *directory.glob("*.tar.gz")])
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def built_again(sdist: Path, directory: Path) -> dict[str, str]:
    """Builds both distributions from a source distribution; returns their digests."""
    with tarfile.open(sdist) as archive:
        archive.extractall(directory, filter="data")
    (source,) = directory.iterdir()
    run("build", "--no-isolation", "--outdir", str(directory / "dist"), cwd=source)
    return digests(directory / "dist")


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    run("build", "--no-isolation", "--outdir", str(DIST))
    (sdist,) = DIST.glob("*.tar.gz")
    first = digests(DIST)
    with tempfile.TemporaryDirectory() as folder:
        second = built_again(sdist, Path(folder))
    if first != second:
        sys.exit(f"the second build differs from the first: {first} and {second}")
    run("twine", "check", "--strict", *(str(DIST / name) for name in first))
    run("cyclonedx_py", "requirements", "--output-reproducible", "-o", str(DIST / "sbom.json"), str(LOCK))
    lines = [f"{digest}  {name}\n" for name, digest in first.items()]
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print("".join(lines), end="")


if __name__ == "__main__":
    main()
