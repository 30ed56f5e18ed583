"""Runs Kubernetes' own end-to-end suite: `python -m tests.kubernetes_e2e.run [--release R] [--focus REGEX]`.

The first call builds the suite from the release's published modules, which takes minutes. The suite tests a
server with all its controllers, kube-controller-manager for workloads, and a fake container runtime.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.kubernetes_e2e import areas, outcomes, page, programs
from tests.kubernetes_e2e.cluster import Cluster, make_folder
from tests.kubernetes_e2e.needs import need_of
from tests.kubernetes_e2e.outcomes import FAILED, Outcome

PROCESSES = 4
MINUTES = 120.0
BATCH = 200
"""Maximum number of specs in one command-line option, because Linux limits an argument to 128 KiB."""


def main() -> int:
    options = parse()
    if shutil.which("go") is None:
        say("go is not on the PATH: the suite is not built, and nothing is run")
        return int(bool(os.environ.get("CI")))
    for release in options.release or page.RELEASES:
        built = programs.build(release)
        listed = specs_of(built)
        specs = chosen(release, listed, options)
        of_dra = [each for each in specs if areas.area_of(each) == areas.DRA]
        others = [each for each in specs if areas.area_of(each) != areas.DRA]
        fresh = [each for some in (of_dra, others) if some for each in run(release, built, some, options)]
        for each in fresh:
            say(f"{each.state:8} {each.spec}{': ' if each.why else ''}{each.why}")
        counted = Counter(each.state for each in fresh)
        say(f"{release}: {', '.join(f'{number} {state}' for state, number in sorted(counted.items()))}")
        if options.record:
            name = outcomes.name_of_process_runs(release) if options.real else release
            known = [each for each in outcomes.read(name) if each.spec in listed]
            outcomes.write(name, outcomes.merged(known, fresh))
            areas.write_listed(release, listed)
            page.write()
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", action="append", choices=page.RELEASES, help="this one (default: all)")
    parser.add_argument("--focus", default=areas.FOCUS, help="specs whose name matches (default: all areas)")
    parser.add_argument("--skip", default="", help="but not those")
    parser.add_argument("--all", action="store_true", help="also specs that need what no fake has")
    parser.add_argument(
        "--real", action="store_true", help="run containers of agnhost and busybox as local processes"
    )
    parser.add_argument("--left", action="store_true", help="those that have no recorded result, or failed")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which a run is ended")
    parser.add_argument("--keep", type=Path, help="leave logs and ginkgo's report in this directory")
    parser.add_argument("--record", action="store_true", help="write results/ and docs/e2e.md")
    return parser.parse_args()


def specs_of(built: programs.Programs) -> list[str]:
    """Returns the sorted names of the suite's specs in the areas that concern fakeapi."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command: list[str | Path] = [
            built.suite,
            "--ginkgo.dry-run",
            "--ginkgo.silence-skips",
            "--ginkgo.focus",
            areas.FOCUS,
        ]
        command += [f"--ginkgo.json-report={report}", "--provider=skeleton", "--kubeconfig=/dev/null"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        specs = outcomes.from_report(json.loads(report.read_text(encoding="utf-8")))
    return sorted(each.spec for each in specs)


def chosen(release: str, listed: list[str], options: argparse.Namespace) -> list[str]:
    """Returns those e2e specs in `listed` that the command-line options select.

    Leaves out specs that need a missing feature, unless the option `--all` is set.
    """
    specs = [each for each in listed if re.search(options.focus, each)]
    if options.skip:
        specs = [each for each in specs if not re.search(options.skip, each)]
    if options.left:
        passed = {each.spec for each in outcomes.read(release) if each.state != FAILED}
        specs = [each for each in specs if each not in passed]
    return [each for each in specs if options.all or need_of(each) is None]


def focus_of(specs: list[str]) -> list[str]:
    """Returns ginkgo's command-line options that select exactly these specs."""
    names = [re.sub(r"([^\w\s-])", r"\\\1", each) for each in specs]
    batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]
    return [f"--focus= (?:{'|'.join(batch)})$" for batch in batches]


def run(
    release: str, built: programs.Programs, specs: list[str], options: argparse.Namespace
) -> list[Outcome]:
    """Runs these e2e specs on a new cluster; returns their outcomes.

    The specs are all of DRA, or all of other areas. With the option `--keep FOLDER`, copies the logs and the
    report to a folder in FOLDER.
    """
    folder = make_folder()
    dra = areas.area_of(specs[0]) == areas.DRA
    try:
        with (
            Cluster(release, built, folder, runtime=dra, real=options.real) as cluster,
            (folder / "suite.log").open("wb") as log,
        ):
            suite = folder / "e2e.test"  # ginkgo requires this extension for a compiled suite
            suite.symlink_to(built.suite)
            command: list[str | Path] = [
                built.ginkgo, "--no-color", "--silence-skips", "--keep-going", f"--procs={options.processes}",
                *focus_of(specs), f"--timeout={options.minutes}m", f"--output-dir={folder}",
                "--json-report=report.json", suite, "--",
                "--provider=skeleton", f"--kubeconfig={cluster.kubeconfig}", "--disable-log-dump",
                "--dump-logs-on-failure=false",
            ]  # fmt: skip
            subprocess.run(command, check=False, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        reports = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return outcomes.from_report(reports)
    finally:
        if options.keep:
            kept = options.keep / ("dra" if dra else "others")
            kept.mkdir(parents=True, exist_ok=True)
            for name in (
                "suite.log",
                "report.json",
                "server.log",
                "containers.log",
                f"{programs.MANAGER}.log",
            ):
                if (folder / name).exists():
                    shutil.copy(folder / name, kept / name)
        shutil.rmtree(folder, ignore_errors=True)


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the output of a command


if __name__ == "__main__":
    sys.exit(main())
