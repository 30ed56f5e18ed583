"""Reads results of Kubernetes' own packages for some 1,300 CEL rules and objects, from `facts.jsonl.gz`.

The first line of the file has the schemas and objects; every other line is a case. The list `facts` of a case
has the different results of k8s.io/apiextensions-apiserver. `of` maps each release to an index in this list.
A result has these members:

- `compile`: the errors for a CustomResourceDefinition with the schema
- `errors` and `warnings`: the errors and warnings for the object
- `remaining`: the remaining cost budget

Zeros replace generated type names and pointer addresses. The file leaves out results that depend on the order
of Go's maps.
"""

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fakeapi.machinery.cel.limits import OBJECT_COST_MAX
from fakeapi.machinery.cel.rules.definition import DefinitionRules
from fakeapi.machinery.cel.rules.settings import RuleSettings
from fakeapi.machinery.cel.rules.validator import rule_validator
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.rule_sites import RuleSite
from fakeapi.machinery.structural.schema import Schema, go_value, parse_schema
from fakeapi.releases.release import load_release
from fakeapi.releases.rule_settings import rule_settings
from fakeapi.releases.rules import rules_of

RELEASES = ("1.30", "1.31", "1.32", "1.33", "1.34", "1.36", "1.37")
PATH = "spec.validation.openAPIV3Schema"
_FILE = Path(__file__).parent / "facts.jsonl.gz"
_MOST = 2**64 - 1
_ADDRESS = re.compile("0x[0-9a-f]{6,}")

Found = dict[str, Any]


@cache
def _lines() -> tuple[dict[str, Any], ...]:
    with gzip.open(_FILE, "rt", encoding="utf-8") as lines:
        return tuple(map(json.loads, lines))


def cases() -> Iterator[dict[str, Any]]:
    """Yields the recorded cases, with the schemas and objects themselves instead of their indexes."""
    shared, *rows = _lines()
    for row in rows:
        objects = {
            name: None if row[name] is None else shared["objects"][row[name]] for name in ("object", "old")
        }
        yield row | objects | {"schema": shared["schemas"][row["schema"]]}


@cache
def settings_of(release: str) -> RuleSettings:
    return rule_settings(rules_of(load_release(release)))


def found(case: dict[str, Any], settings: RuleSettings) -> Found:
    """Evaluates the CEL rules of a recorded case; returns a result with the members of a recorded result."""
    schema = parse_schema(case["schema"])
    result: Found = {}
    if case["compile"]:
        checker = DefinitionRules(settings)
        errors = [error for site in sites(schema, PATH) for error in checker.check_rules(site)]
        result["compile"] = written([*errors, *checker.check_total(PATH)])
    if case["object"] is not None:
        budget = case["budget"] or OBJECT_COST_MAX
        validator = rule_validator(schema, settings)
        result |= {"errors": [], "warnings": [], "remaining": budget}
        if validator is not None:
            outcome = validator.validate(go_value(case["object"]), go_value(case["old"]), "", budget)
            result["errors"] = written(outcome.errors)
            result["warnings"] = sorted(outcome.warnings)
            result["remaining"] = outcome.remaining
    return result


def written(errors: list[FieldError]) -> list[list[str]]:
    """Converts errors to a sorted list of [reason, field, message].

    Sorts them because Kubernetes reports them in the random order of Go's maps.
    """
    return sorted([error.reason, error.field, _ADDRESS.sub("0xc000000000", error.body)] for error in errors)


def sites(
    schema: Schema, path: str, *, is_root: bool = True, count: int | None = 1, within: str | None = None
) -> list[RuleSite]:
    """Returns the schema nodes that have CEL rules, in the order in which Kubernetes validates definitions.

    - `path`: the path of `schema` in the definition
    - `is_root`: whether `schema` is the schema of the whole object
    - `count`: the maximum number of values of this node in an object; None if unlimited
    - `within`: the path of the nearest outer list that is not a list map; None without such a list. Rules
      inside such a list cannot use `oldSelf`.
    """
    factor: int | None = 1
    others, items = schema.additional_properties, schema.items
    if schema.type == "object" and others is not None:
        factor = schema.max_properties
    elif schema.type == "array":
        factor = schema.max_items
    inner = None if count is None or factor is None else min(count * factor, _MOST)
    below = [(f"{path}.properties[{name}]", each, within) for name, each in sorted(schema.properties.items())]
    if isinstance(others, Schema):
        below.append((f"{path}.additionalProperties", others, within))
    if isinstance(items, Schema):
        below.append((f"{path}.items", items, within if schema.list_type == "map" else path))
    inner_sites = [
        site
        for place, each, holder in below
        for site in sites(each, place, is_root=False, count=inner, within=holder)
    ]
    if schema.validations:
        inner_sites.append(
            RuleSite(
                schema=schema,
                path=path,
                is_resource=is_root or schema.embedded_resource,
                cardinality=count,
                forbids_old_self_within=within,
            )
        )
    return inner_sites
