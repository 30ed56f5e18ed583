"""docs/limits.md agrees with the code."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
BOUND = re.compile(
    r"_?(?:[A-Z0-9_]+_(?:MAX|LIMIT|KEPT)|MAX_[A-Z0-9_]+|(?:[A-Z0-9_]+_)?(?:BUDGET|ATTEMPTS))\Z"
)
OF_KUBERNETES = ("fakeapi.kinds.", "fakeapi.registry.declared.")
"""Packages with rules for fields; their limits are visible to clients and compared with Kubernetes."""

NO_BOUNDS = {
    "the range or the digits of a type": {
        "fakeapi.machinery.cel.literals._INT_MAX",
        "fakeapi.machinery.cel.literals._UINT_MAX",
        "fakeapi.machinery.cel.runtime.values.UINT_MAX",
        "fakeapi.machinery.golang.asn1._INTEGER_BYTES_MAX",
        "fakeapi.machinery.golang.asn1._LENGTH_MAX",
        "fakeapi.machinery.golang.duration._DIGITS_MAX",
        "fakeapi.machinery.golang.numbers.UINT64_MAX",
        "fakeapi.machinery.golang.regexp.syntax._RUNE_MAX",
        "fakeapi.machinery.meta.quantity.MAX_BINARY",
        "fakeapi.machinery.meta.quantity._FRACTION_DIGITS_MAX",
        "fakeapi.machinery.schema.protobuf_wire._VARINT_BYTES_MAX",
        "fakeapi.machinery.structural.definition_walk._CARDINALITY_MAX",
        "fakeapi.machinery.structural.formats._INT_MAX",
        "fakeapi.machinery.structural.numbers._FLOAT32_MAX",
        "fakeapi.machinery.structural.numbers._WHOLE_MAX",
        "fakeapi.admission.plugins.limit_ranger._MILLI_MAX",
        "fakeapi.registry.custom.strategies.INT32_MAX",
        "fakeapi.registry.verbs.listing._REVISION_MAX",
    },
    "a rule of Kubernetes, compared with it": {
        "fakeapi.controllers.allocation.requests.RESULTS_MAX",
        "fakeapi.controllers.event_series.NOTE_LENGTH_MAX",
        "fakeapi.controllers.resourceclaim.GENERATED_NAME_MAX",
        "fakeapi.controllers.scheduler.classic_drivers.POTENTIAL_NODES_MAX",
        "fakeapi.http.negotiation._INSERTION_SORTED_MAX",
        "fakeapi.http.query.FIELD_MANAGER_LENGTH_MAX",
        "fakeapi.machinery.cel.calls._FORMAT_PATTERN_MAX",
        "fakeapi.machinery.cel.calls._LISTED_MAX",
        "fakeapi.machinery.cel.rules.declared.REQUEST_MAX",
        "fakeapi.machinery.cel.rules.declared._NAME_MAX",
        "fakeapi.machinery.cel.rules.definition._NAMED_MAX",
        "fakeapi.machinery.golang.regexp.syntax._REPEAT_MAX",
        "fakeapi.machinery.meta.object_meta.MAX_SUBRESOURCE_NAME_LENGTH",
        "fakeapi.machinery.meta.object_meta.TOTAL_ANNOTATION_SIZE_LIMIT",
        "fakeapi.registry.verbs.creating.GENERATE_NAME_ATTEMPTS",
    },
    "the upper end of a scale": {
        "fakeapi.controllers.scheduler.dynamic_resources.CHOICES_MAX",
        "fakeapi.controllers.scheduler.scoring.SCORE_MAX",
    },
    "the length of a file's name": {"fakeapi.pytest_plugin._NAME_MAX"},
}
ROWS = ROW.findall((ROOT / "docs/limits.md").read_text())


def test_every_line_of_the_tables_is_a_row() -> None:
    lines = [line for line in (ROOT / "docs/limits.md").read_text().splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) > 20


@pytest.mark.parametrize(("name", "value"), [row[:2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_bound_has_the_value_that_the_page_gives(name: str, value: str) -> None:
    module, _, constant = name.rpartition(".")
    first = re.match(r"[\d,.]+", value)
    assert first is not None, "a row's value begins with a number"
    assert float(first[0].replace(",", "")) == getattr(importlib.import_module(module), constant)


@pytest.mark.parametrize("shown", [row[3] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_bound_is_shown_by_a_test_that_exists(shown: str) -> None:
    if not shown.startswith("`"):
        return  # a rule of the operating system
    path, _, function = shown.strip("`").partition("::")
    assert re.search(rf"^(async )?def {function}\(", (ROOT / path).read_text(), re.MULTILINE)


def bounds() -> Iterator[str]:
    """Yields the full names of numbers that have the name of a limit."""
    for root in (ROOT / "fakeapi", ROOT / "storage" / "fakeapi_storage"):
        for path in sorted(root.rglob("*.py")):
            module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
            if module.startswith(OF_KUBERNETES):
                continue
            for node in ast.parse(path.read_bytes()).body:
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                names = (target.id for target in targets if isinstance(target, ast.Name))
                yield from (
                    f"{module}.{name}" for name in names if BOUND.match(name) and is_number(module, name)
                )


def is_number(module: str, name: str) -> bool:
    return isinstance(getattr(importlib.import_module(module), name), int | float)


def test_every_bound_has_a_row_or_is_none_for_a_reason() -> None:
    found = {*bounds()}
    excused = {name for names in NO_BOUNDS.values() for name in names}
    assert excused <= found, "those that are gone"
    assert found - excused == {row[0] for row in ROWS} & found
