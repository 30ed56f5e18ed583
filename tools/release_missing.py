"""Lists what fakeapi still lacks of a Kubernetes release: `python -m tools.release_missing 1.38`.

First prints missing tables, recordings and documents, one line each. If there are any, the exit status is 1.

Then prints what a person must compare with Kubernetes, because the tool cannot:

- new gates without an effect
- tables of differences between releases that record no change for this release

CONTRIBUTING.md, section "A release", has the steps in order.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec

from fakeapi.releases import offered
from fakeapi.releases.gates import EFFECTIVE
from fakeapi.releases.history import ReleaseValues
from fakeapi.releases.release import COMPILED_RELEASES
from tests.conformance.recordings import ALL_GATES
from tools.modules import LAST_PATCHES

ROOT = Path(__file__).parents[1]
DATA = ROOT / "fakeapi" / "releases" / "data"
CONFORMANCE = ROOT / "fixtures" / "traces" / "conformance"
VALIDATION = ROOT / "fixtures" / "validation"
TABLES = ("index.json", "columns.json", "defaults.json", "bootstrap.json")
"""The table files of a release that do not belong to one API group."""
DECLARED_SINCE = 33
"""The minor version of the first release with declared validation rules (tables in the folder `declared`)."""
SAMPLES = ("pods", "resource", "resource-{}-all-gates", "schemas", "kinds")
"""The names of sample files with results of Kubernetes' own validation.

The release replaces `{}`, or follows a name without `{}`.
"""
HISTORIES = (
    "access_quirks",
    "allocation_quirks",
    "core_quirks",
    "custom_quirks",
    "device_quirks",
    "driver_quirks",
    "kubelet_quirks",
    "network_quirks",
    "node_quirks",
    "pod_quirks",
    "request_quirks",
    "rule_quirks",
    "storage_quirks",
    "workload_quirks",
    "schema_rules",
    "limits",
)
"""Modules of `fakeapi.releases` that have a table of the differences between releases."""
PAGES = (
    "docs/releases.md",
    "CHANGELOG.md",
    "docs/fidelity.md",
    "docs/compatibility.md",
    "tests/conformance/page.py",
)
"""Documents that must name a new release: they name every release, or the oldest and the newest release."""


def missing(release: str) -> Iterator[str]:
    """Yields a line for each missing table, recording or text of a release, ordered as in CONTRIBUTING.md."""
    for place, names in (
        ("tools/modules.py: LAST_PATCHES", LAST_PATCHES),
        ("fakeapi/releases/offered.py: RELEASES", offered.RELEASES),
        ("fakeapi/releases/release.py: COMPILED_RELEASES", COMPILED_RELEASES),
    ):
        if release not in names:
            yield place
    tables = (*TABLES, "declared") if int(release.removeprefix("1.")) >= DECLARED_SINCE else TABLES
    for name in tables:
        if not (DATA / release / name).exists():
            yield f"fakeapi/releases/data/{release}/{name} (make releases ARGS={release})"
    yield from _missing_recordings(release)
    for page in PAGES:
        if release not in (ROOT / page).read_text(encoding="utf-8"):
            yield f"{page}: does not name {release}"


def _missing_recordings(release: str) -> Iterator[str]:
    versions = [f"{release}-{version}" for version in _other_versions(release)]
    for name in (release, *versions, f"{release}-all-gates", f"world-{release}"):
        path = CONFORMANCE / f"{name}.jsonl.gz"
        if not path.exists():
            yield str(path.relative_to(ROOT))
    if release not in ALL_GATES:
        yield "tests/conformance/recordings.py: ALL_GATES"
    for sample in SAMPLES:
        path = VALIDATION / f"{sample.format(release) if '{}' in sample else f'{sample}-{release}'}.jsonl.gz"
        if not path.exists():
            yield str(path.relative_to(ROOT))


def _other_versions(release: str) -> list[str]:
    """Returns the beta versions of resource.k8s.io in a release's tables; [] if the release has no tables."""
    tables = sorted((DATA / release).glob("resource__v*beta*.json"))
    return [table.stem.removeprefix("resource__") for table in tables]


def to_compare(release: str) -> Iterator[str]:
    """Yields a line for each gate and table of a release that a person must compare with Kubernetes."""
    minor = int(release.removeprefix("1."))
    for gate, specs in sorted(msgspec.json.decode((DATA / "gates.json").read_bytes())["specs"].items()):
        if gate not in EFFECTIVE and specs[0][0] == minor:
            yield f"gate {gate} is new and not in gates.EFFECTIVE: it has no effect here"
    for name in HISTORIES:
        if not any(minor in changes for changes in _changes_in(import_module(f"fakeapi.releases.{name}"))):
            yield f"fakeapi/releases/{name}.py records no change for {release}"
    yield "fakeapi/releases/health.py: the hooks of /readyz and /livez, and their order"


def _changes_in(module: ModuleType) -> Iterator[Mapping[int, object]]:
    """Yields the values of each difference between releases that a module of `fakeapi.releases` declares."""
    yield from vars(module).get("HISTORY", {}).values()
    for declared in vars(module).values():
        if (
            isinstance(declared, type)
            and issubclass(declared, ReleaseValues)
            and declared.__module__ == module.__name__
        ):
            yield from (each.values for each in declared.declared.values())


def main(arguments: Sequence[str]) -> int:
    """Prints what is missing and what to compare, for the release in the arguments.

    Returns the exit status: 1 if something is missing, 2 for wrong arguments, otherwise 0.
    """
    release = arguments[0] if len(arguments) == 1 else ""
    if not release.removeprefix("1.").isdigit() or not release.startswith("1."):
        print("usage: python -m tools.release_missing 1.38", file=sys.stderr)
        return 2
    lines = list(missing(release))
    print(f"Missing for {release}:", *(lines or ["nothing"]), sep="\n  ")
    print("\nTo compare with upstream:", *to_compare(release), sep="\n  ")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
