"""Writes metrics in the text format 0.0.4 of Prometheus.

Follows github.com/prometheus/common `expfmt`. Families are sorted by name, and samples by their labels.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from fakeapi.machinery.golang.fmt import shortest_float

LabelPairs = tuple[tuple[str, str], ...]
_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Histogram(NamedTuple):
    """The value of a histogram: the number of observations in each bucket, and the sum of all values.

    `buckets` has one more number than there are bounds, for values above the last bound.
    """

    buckets: Sequence[int]
    total: float


class Family(NamedTuple):
    """All samples of a metric. `bounds`: the upper bounds of the buckets of a histogram."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: Mapping[LabelPairs, float | Histogram]
    bounds: Sequence[float] = ()


def text_of(families: Iterable[Family]) -> str:
    """Returns the text of all families that have samples."""
    lines: list[str] = []
    for family in sorted(families):
        if family.samples:
            lines.append(f"# HELP {family.name} {family.help}")
            lines.append(f"# TYPE {family.name} {family.kind}")
            for labels in sorted(family.samples):
                lines += _lines(family, labels, family.samples[labels])
    return "\n".join([*lines, ""])


def _lines(family: Family, labels: LabelPairs, value: float | Histogram) -> Iterable[str]:
    if not isinstance(value, Histogram):
        yield f"{family.name}{_braces(labels)} {shortest_float(float(value))}"
        return
    counts = list(accumulate(value.buckets))
    bounds = [*(shortest_float(float(bound)) for bound in family.bounds), "+Inf"]
    for bound, count in zip(bounds, counts, strict=True):
        yield f"{family.name}_bucket{_braces((*labels, ('le', bound)))} {count}"
    yield f"{family.name}_sum{_braces(labels)} {shortest_float(float(value.total))}"
    yield f"{family.name}_count{_braces(labels)} {counts[-1]}"


def _braces(labels: LabelPairs) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels) + "}"
