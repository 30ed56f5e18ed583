"""Records results of Kubernetes' pod security checks in fixtures/validation/pod-security.jsonl.gz.

    python -m tools.pod_security_samples [v0.36.0]

The pods come from the tests of k8s.io/pod-security-admission. The Go program podsecurity.go checks the pods
with the evaluator of that module (needs Go). A sample has a pod, its violations, and all policy versions that
report these violations.
`tests/admission/test_pod_security_samples.py` compares fakeapi with the samples.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

MODULE = "k8s.io/pod-security-admission"
FIXTURE = Path("fixtures/validation/pod-security.jsonl.gz")
SOURCE = Path(__file__).with_name("podsecurity.go")
BUILD_SECONDS = 900

Sample = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", nargs="?", default="v0.36.0")
    with tempfile.TemporaryDirectory() as folder:
        program, module = _built(Path(folder), parser.parse_args().version)
        asked = list(_asked(module / "test" / "testdata"))
        lines = "\n".join(json.dumps(each) for each in asked)
        answers = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    samples: dict[str, Sample] = {}
    for each, answer in zip(asked, answers.splitlines(), strict=True):
        version = each.pop("version")
        sample = {**each, "problems": json.loads(answer)}
        samples.setdefault(json.dumps(sample, sort_keys=True), {**sample, "versions": []})["versions"].append(
            version
        )
    text = "".join(f"{json.dumps(each, separators=(',', ':'))}\n" for each in samples.values())
    FIXTURE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{FIXTURE}: {len(samples)} samples")


def _built(folder: Path, version: str) -> tuple[Path, Path]:
    """Compiles the Go evaluator with this version of the module; returns its path and the module's folder."""
    shutil.copy(SOURCE, folder / "main.go")
    (folder / "go.mod").write_text(f"module podsecurity\n\ngo 1.25\n\nrequire {MODULE} {version}\n")
    environment = {**os.environ, "GOFLAGS": "-mod=mod"}

    def go(*arguments: str) -> str:
        command = ["go", *arguments]
        return subprocess.run(
            command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True,
            timeout=BUILD_SECONDS,
        ).stdout  # fmt: skip

    go("build", "-o", "podsecurity", ".")
    return folder / "podsecurity", Path(go("list", "-m", "-f", "{{.Dir}}", MODULE).strip())


def _asked(folder: Path) -> Iterator[Sample]:
    for path in sorted(folder.glob("*/*/*/*.yaml")):
        level, version = path.parts[-4:-2]
        pod = yaml.safe_load(path.read_text())
        yield {
            "level": level,
            "version": version,
            "metadata": {"annotations": pod["metadata"].get("annotations") or {}},
            "spec": pod["spec"],
        }


if __name__ == "__main__":
    main()
