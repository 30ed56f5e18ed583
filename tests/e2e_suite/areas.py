"""The parts of the suite that are about what a server and its controllers do, and the specs in them."""

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tests.e2e_suite.outcomes import RESULTS

SIGS = ("api-machinery", "apps", "auth", "node", "scheduling", "storage")
FOCUS = rf"\[sig-({'|'.join(SIGS)})\]"
DRA = "DRA"
AREAS = (DRA, *SIGS)

_SIG = re.compile(r"^\[sig-([a-z-]+)\] ")
_DRA = re.compile(r"\[DRA\]|\bDRA\b|DynamicResourceAllocation")
_MATRIX = re.compile(r"\[Testpattern: |\[Volume type: |^CSI Mock |^CSI Volumes |^In-tree Volumes ")


def area_of(spec: str) -> str:
    """One of AREAS. Specs of claims are SIG node's, and an area of their own here."""
    found = _SIG.match(spec)
    assert found is not None, spec
    return DRA if _DRA.search(spec) else found[1]


def short(spec: str) -> str:
    """A spec's name without its SIG."""
    return _SIG.sub("", spec)


def is_of_matrix(spec: str) -> bool:
    """Whether it is one of thousands that try each volume driver in each way."""
    return area_of(spec) == "storage" and bool(_MATRIX.search(short(spec)))


def family(spec: str) -> str:
    """The name under which the specs of a test matrix are counted together."""
    name = short(spec)
    driver = re.match(r"^(.*?\[(?:Driver|Volume type): [^\]]*\])", name)
    return driver[1] if driver else " ".join(name.split()[:3])


@dataclass(frozen=True)
class Listed:
    """All specs of our areas: their names, and of the matrices only how many a family has."""

    names: frozenset[str]
    families: dict[str, int]


def read_listed(release: str, folder: Path = RESULTS) -> Listed:
    """The specs that the last recorded run of a release listed."""
    path = folder / f"{release}.specs.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"names": (), "families": {}}
    return Listed(frozenset(found["names"]), found["families"])


def write_listed(release: str, specs: Collection[str], folder: Path = RESULTS) -> None:
    names = [each for each in specs if not is_of_matrix(each)]
    families = Counter(family(each) for each in specs if is_of_matrix(each))
    found = {"names": sorted(names), "families": dict(sorted(families.items()))}
    folder.mkdir(exist_ok=True)
    text = json.dumps(found, ensure_ascii=False, indent=0)
    (folder / f"{release}.specs.json").write_text(f"{text}\n", encoding="utf-8")
