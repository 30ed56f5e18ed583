"""Reads the text format 0.0.4 of Prometheus, and refuses everything that the format does not allow."""

import re
from dataclasses import dataclass, field

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_KINDS = ("counter", "gauge", "histogram")

Labels = dict[str, str]


@dataclass
class Family:
    """A metric: its type, and its samples as (name, labels, value)."""

    kind: str
    samples: list[tuple[str, Labels, float]] = field(default_factory=list)


class Metrics:
    """The families of one page by name. Raises AssertionError for a text that breaks the format."""

    def __init__(self, text: str) -> None:
        assert text.endswith("\n")
        self.families: dict[str, Family] = {}
        lines = iter(text.splitlines())
        name, kind = "", ""
        for line in lines:
            if line.startswith("# HELP "):
                name, _, words = line.removeprefix("# HELP ").partition(" ")
                assert words, line
                assert name not in self.families, f"{name} comes twice"
                of, kind = next(lines).removeprefix("# TYPE ").split(" ")
                assert of == name, f"HELP of {name}, TYPE of {of}"
                assert kind in _KINDS, kind
                self.families[name] = Family(kind)
            else:
                self.families[name].samples.append(_sample(line, name, kind))
        for name, family in self.families.items():
            _check(name, family)

    def values(self, name: str, **labels: str) -> list[float]:
        """Returns the values of all samples with this name and these labels."""
        family = self.families.get(name) or self.families.get(name.rpartition("_")[0]) or Family("gauge")
        return [
            value for of, found, value in family.samples if of == name and labels.items() <= found.items()
        ]

    def value(self, name: str, **labels: str) -> float:
        """Returns the value of the only sample with this name and these labels."""
        (value,) = self.values(name, **labels)
        return value


def _sample(line: str, family: str, kind: str) -> tuple[str, Labels, float]:
    match = _SAMPLE.fullmatch(line)
    assert match is not None, line
    name, pairs, value = match.groups()
    suffixes = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
    assert name in [family + suffix for suffix in suffixes], f"{name} below {family}"
    labels = _LABEL.findall(pairs or "")
    assert ",".join(f'{label}="{text}"' for label, text in labels) == (pairs or ""), line
    assert len({label for label, _ in labels}) == len(labels), line
    return name, dict(labels), float(value)


def _check(name: str, family: Family) -> None:
    """Checks that no sample comes twice, and that the buckets of each histogram add up."""
    keys = [(of, *sorted(labels.items())) for of, labels, _ in family.samples]
    assert len(set(keys)) == len(keys), f"{name} has a sample twice"
    if family.kind != "histogram":
        return
    counts = {tuple(labels.items()): value for of, labels, value in family.samples if of == f"{name}_count"}
    buckets: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
    for of, labels, value in family.samples:
        if of == f"{name}_bucket":
            bound = float(labels.pop("le"))
            buckets.setdefault(tuple(labels.items()), []).append((bound, value))
            labels["le"] = str(bound)
    assert buckets.keys() == counts.keys()
    for labels_of, steps in buckets.items():
        assert steps == sorted(steps), f"{name} has bounds or counts that decrease"
        assert steps[-1] == (float("inf"), counts[labels_of])
