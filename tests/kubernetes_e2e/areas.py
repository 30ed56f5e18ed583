"""Selects the areas of Kubernetes' e2e suite that concern fakeapi, and reads the names of their specs."""

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tests.kubernetes_e2e.outcomes import RESULTS

SIGS = ("api-machinery", "apps", "auth", "node", "scheduling", "storage")
FOCUS = rf"\[sig-({'|'.join(SIGS)})\]"
DRA = "DRA"
AREAS = (DRA, *SIGS)

_SIG = re.compile(r"^\[sig-([a-z-]+)\] ")
_DRA = re.compile(r"\[DRA\]|\bDRA\b|DynamicResourceAllocation")
_MATRIX = re.compile(r"\[Testpattern: |\[Volume type: |^CSI Mock |^CSI Volumes |^In-tree Volumes ")


def area_of(spec: str) -> str:
    """Returns the area of an e2e spec: its SIG, or a separate area for specs about ResourceClaims."""
    match = _SIG.match(spec)
    assert match is not None, spec
    return DRA if _DRA.search(spec) else match[1]


def short(spec: str) -> str:
    """Returns the name of an e2e spec without its prefix `[sig-…]`."""
    return _SIG.sub("", spec)


def is_of_matrix(spec: str) -> bool:
    """Whether an e2e spec is one of the thousands that combine volume drivers and storage features."""
    return area_of(spec) == "storage" and bool(_MATRIX.search(short(spec)))


def family(spec: str) -> str:
    """Returns the group name of an e2e spec that combines a volume driver and a storage feature.

    The specs of a group are counted together.
    """
    name = short(spec)
    driver = re.match(r"^(.*?\[(?:Driver|Volume type): [^\]]*\])", name)
    return driver[1] if driver else " ".join(name.split()[:3])


@dataclass(frozen=True)
class Listed:
    """All e2e specs of the selected areas in one release.

    `names`: the names of single specs. `families`: the number of specs in each group of volume driver specs.
    """

    names: frozenset[str]
    families: dict[str, int]


def read_listed(release: str, folder: Path = RESULTS) -> Listed:
    """Returns the e2e specs of a release that were last recorded; empty if none were recorded."""
    path = folder / f"{release}.specs.json"
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"names": (), "families": {}}
    return Listed(frozenset(content["names"]), content["families"])


def write_listed(release: str, specs: Collection[str], folder: Path = RESULTS) -> None:
    names = [each for each in specs if not is_of_matrix(each)]
    families = Counter(family(each) for each in specs if is_of_matrix(each))
    content = {"names": sorted(names), "families": dict(sorted(families.items()))}
    folder.mkdir(exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, indent=0)
    (folder / f"{release}.specs.json").write_text(f"{text}\n", encoding="utf-8")
