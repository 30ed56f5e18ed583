"""Random schemas give the results of Kubernetes' own packages, recorded by `tools/schema_samples.py`."""

import copy
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.machinery.apply.compare import compare
from fakeapi.machinery.apply.merge import merge
from fakeapi.machinery.apply.remove import remove
from fakeapi.machinery.apply.typed import TypedError, field_set_of
from fakeapi.machinery.apply.validate import validate as validate_applied
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.structural.apply_types import apply_type
from fakeapi.machinery.structural.defaulting import default
from fakeapi.machinery.structural.definition_validation import Strictness, validate_definition_schema
from fakeapi.machinery.structural.list_types import validate_list_types
from fakeapi.machinery.structural.nulls import prune_nulls
from fakeapi.machinery.structural.object_meta import coerce, validate_meta
from fakeapi.machinery.structural.openapi import Publication, published_schema
from fakeapi.machinery.structural.pruning import prune
from fakeapi.machinery.structural.schema import Schema, go_value, parse_schema
from fakeapi.machinery.structural.validation import validate
from fakeapi.releases import load_release
from fakeapi.releases.schema_rules import schema_rules_of

FOLDER = Path(__file__).parents[3] / "fixtures" / "validation"
PREFIX, SUFFIX = "schemas-", ".jsonl.gz"
RELEASES = sorted(path.name.removeprefix(PREFIX).removesuffix(SUFFIX) for path in FOLDER.glob(f"{PREFIX}*"))

FIRST = "1.27"
NEWER = ("reason", "fieldPath")
"""Fields of `x-kubernetes-validations` rules that FIRST, the oldest recorded release, lacks."""

Errors = list[list[str]]


def _samples(release: str) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = gzip.decompress((FOLDER / f"{PREFIX}{release}{SUFFIX}").read_bytes()).splitlines()
    return enumerate(map(json.loads, lines))


class _Server:
    """Runs fakeapi's schema code on recorded samples with the rules and types of a Kubernetes release."""

    def __init__(self, name: str) -> None:
        self.release = load_release(name)
        self.rules = schema_rules_of(self.release)
        self.object_meta = self.release.schemas.struct("meta/v1.ObjectMeta")

    def object(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Prunes, defaults, coerces and validates the object of a sample; returns the results by name."""
        schema, obj = parse_schema(asked["schema"]), asked["obj"]
        pruned = copy.deepcopy(obj)
        fields: dict[str, Any] = {"pruned": prune(pruned, schema) or None, "prunedObject": pruned}
        defaulted = copy.deepcopy(obj)
        prune_nulls(defaulted, schema)
        fields["withoutNulls"] = copy.deepcopy(defaulted)
        default(defaulted, schema)
        fields["defaulted"] = defaulted
        for drop_invalid in (False, True):
            fields |= self._coerced(obj, schema, drop_invalid=drop_invalid)
        value = go_value(obj)
        fields["lists"] = _as_lists(validate_list_types(value, schema, rules=self.rules))
        fields["errors"] = _as_lists(validate(value, schema, rules=self.rules))
        fields["update"] = _as_lists(validate(value, schema, old=go_value(asked["old"]), rules=self.rules))
        return fields

    def _coerced(self, obj: Any, schema: Schema, *, drop_invalid: bool) -> dict[str, Any]:
        name = "coercedtrue" if drop_invalid else "coercedfalse"
        coerced = copy.deepcopy(obj)
        error, unknown = coerce(
            coerced, schema, self.object_meta, drop_invalid=drop_invalid, rules=self.rules
        )
        if error is not None:
            return {f"{name}Error": [error.reason, error.field, error.body]}
        fields: dict[str, Any] = {name: coerced, f"{name}Unknown": unknown or None}
        if drop_invalid:
            fields["meta"] = _as_lists(validate_meta(coerced, schema, rules=self.rules))
        return fields

    def _read(self, value: Any) -> Any:
        """Returns a CustomResourceDefinition without the fields of CEL rules that the release lacks."""
        match value:
            case dict() if "rule" in value and self.release.name == FIRST:
                return {name: member for name, member in value.items() if name not in NEWER}
            case dict():
                return {name: self._read(member) for name, member in value.items()}
            case list():
                return [self._read(item) for item in value]
            case _:
                return value

    def definition(self, asked: dict[str, Any]) -> dict[str, Any]:
        version = self._read(asked["crd"])["spec"]["versions"][0]
        errors = validate_definition_schema(
            parse_schema(version["schema"]["openAPIV3Schema"]),
            "spec.validation",
            self.object_meta,
            has_status="subresources" in version,
            strictness=Strictness(),
            rules=self.rules,
        )
        return {"errors": _as_lists(errors)}

    def openapi(self, asked: dict[str, Any]) -> dict[str, Any]:
        crd = self._read(asked["crd"])
        schema = parse_schema(crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
        return {version: self._published(schema, is_v2=version == "v2") for version in ("v2", "v3")}

    def _published(self, schema: Schema, *, is_v2: bool) -> Any:
        place = "definitions" if is_v2 else "components/schemas"
        metadata: dict[str, Any] = {"$ref": f"#/{place}/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
        members = {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": metadata if is_v2 else {"allOf": [metadata]},
        }
        return published_schema(
            schema,
            Publication(
                group="g.io",
                version="v1",
                kind="Foo",
                resource_members=members,
                embedded_members=members,
                is_v2=is_v2,
                rules=self.rules,
            ),
        )

    def apply(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Compares the two objects of a sample as server-side apply does; returns the results by name.

        For an invalid new object, returns only `newError`. For an invalid old object, returns only the field
        set of the new object, and whether it has duplicates.
        """
        schema = parse_schema(asked["crd"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
        absent = self.release.quirks.list_keys_may_be_absent
        node = apply_type(schema, self.object_meta, keys_may_be_absent=absent)
        old, new = go_value(asked["old"]), go_value(asked["obj"])
        if not _fits(new, node):
            return {"newError": True}
        fields = field_set_of(new, node)
        values: dict[str, Any] = {"set": fields}
        if not _fits(new, node, allow_duplicates=False):
            values["strictError"] = True
        if not _fits(old, node):
            return values
        values |= compare(old, new, node)._asdict()
        try:
            values["merged"] = merge(old, new, node)
        except TypedError:
            values["mergeError"] = True
        return values | {"without": remove(old, fields, node)}


def _fits(value: Any, node: Any, *, allow_duplicates: bool = True) -> bool:
    try:
        validate_applied(value, node, allow_duplicates=allow_duplicates)
    except TypedError:
        return False
    return True


def _as_lists(errors: list[FieldError]) -> Errors:
    return [[error.reason, error.field, error.body] for error in errors]


_DUMP = re.compile(r"(Invalid value: )(?:apiextensions\.JSONSchemaProps)?\{.*\}(?=: only \[)", re.DOTALL)


def _comparable(name: str, value: Any) -> Any:
    """Converts a result so that it can be compared with a recorded result.

    Ignores the order of errors and the structs in messages, which differ each time Go runs. Also ignores
    errors about metadata, status and names.
    """
    if name.endswith("Error") and name[:7] != "coerced":
        return True
    if name in ("errors", "update", "meta", "lists"):
        return Counter(
            (reason, field, _DUMP.sub(r"\1", body))
            for reason, field, body in value
            if field == "" or not field.startswith(("metadata.", "status", "spec.names"))
        )
    return json.loads(json.dumps(rewritten(value)))


@pytest.mark.parametrize("release", RELEASES)
def test_schemas_mean_what_they_mean_to_kubernetes(release: str) -> None:
    server = _Server(release)
    differing = []
    for number, asked in _samples(release):
        answered = asked["answer"]
        found = getattr(server, asked["op"])(asked)
        for name, answer in answered.items():
            if name in ("structural", "validator") or f"{name.removesuffix('Unknown')}Error" in answered:
                continue
            first_of_several = name == "coercedfalseError" and found.get(name, ["", ""])[1] != answer[1]
            if not first_of_several and _comparable(name, found.get(name)) != _comparable(name, answer):
                differing.append((number, asked["op"], name, found.get(name), answer))
    assert differing == []


def test_there_are_samples_of_releases_old_and_new() -> None:
    assert {"1.27", "1.31", "1.33", "1.36", "1.37"} <= set(RELEASES)
