"""Sequences of applies and updates of one object give the results in structured-merge-diff's tables."""

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from fakeapi.machinery.apply.conflict import Conflicts
from fakeapi.machinery.apply.fieldset import EMPTY, FieldSet, from_fields_v1, union
from fakeapi.machinery.apply.managedfields import APPLY, Managed, Manager, Record
from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.apply.updater import REMEMBERED_BYTES_MAX, Updater
from fakeapi.machinery.apply.validate import validate
from fakeapi.machinery.schema.nodes import Node
from tests.machinery.apply.tables import Types, read

TABLES = read("updater.json")
CASES = TABLES["cases"]


def key(name: str) -> Manager:
    return Manager(name, APPLY, "", "")


@dataclass
class Conversation:
    """Applies and updates one object as in a test case of structured-merge-diff.

    - `types`: the current schema
    - `renames`: whether a conversion changes the version in field names
    - `ignored`: the field set to ignore, by API version
    - `live`, `live_version`: the object and its API version
    - `managed`: the fields of each field manager
    """

    types: Types
    renames: bool = False
    ignored: dict[str, FieldSet] = field(default_factory=dict)
    live: Any = None
    live_version: str = ""
    managed: Managed = field(default_factory=dict)

    def convert(self, value: Any, version: str) -> tuple[Any, Node] | None:
        if self.types.root is None and version not in self.types:
            return None
        return (_renamed(value, version) if self.renames else value), self.types.node(version)

    def updater(self, version: str) -> Updater:
        return Updater(self.types.node(version), version, self.ignored.get(version, EMPTY), self.convert)

    def at(self, version: str) -> Any:
        converted = self.convert(self.live, version)
        assert converted is not None
        return converted[0]

    def apply(self, op: dict[str, Any]) -> None:
        updater = self.updater(op["version"])
        validate(op["object"], updater.node)
        self.live = self.at(op["version"])
        managed = dict(self.managed)
        new = updater.apply(self.live, op["object"], managed, key(op["manager"]), force=op["op"] == "force")
        self.managed = managed
        if new is not None:
            self.live = new

    def update(self, op: dict[str, Any]) -> None:
        version = op["version"]
        updater = self.updater(version)
        validate(op["object"], updater.node, allow_duplicates=True)
        owned = updater.update(self.at(version), op["object"], self.managed)
        self.live = op["object"]
        manager = key(op["manager"])
        before = self.managed.pop(manager).fields if manager in self.managed else EMPTY
        if fields := union(before, owned):
            self.managed[manager] = Record(fields, version, None)

    def run(self, op: dict[str, Any]) -> None:
        if op["op"] == "schema":
            self.types = Types(TABLES["schemas"][op["schema"]])
        elif op["op"] == "update":
            self.update(op)
        else:
            self.expect(op.get("conflicts"), op)

    def expect(self, conflicts: dict[str, Any] | None, op: dict[str, Any]) -> None:
        try:
            self.apply(op)
        except Conflicts as found:
            fields = {manager.name: fields for manager, fields in found.fields.items()}
            assert fields == {name: from_fields_v1(sent) for name, sent in (conflicts or {}).items()}
        else:
            assert not conflicts


def _renamed(value: Any, version: str) -> Any:
    """Returns a copy of a JSON value whose field names end with `version` instead of another version."""
    match value:
        case dict():
            return {
                re.sub(r"v\d$", version, name): _renamed(member, version) for name, member in value.items()
            }
        case list():
            return [_renamed(item, version) for item in value]
        case _:
            return value


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_objects_and_owners_come_out_as_structured_merge_diff_has_them(case: dict[str, Any]) -> None:
    conversation = Conversation(
        Types(TABLES["schemas"][case["schema"]]),
        case.get("converter") == "renaming",
        {version: from_fields_v1(fields) for version, fields in case.get("ignored", {}).items()},
    )
    if case.get("fails"):
        with pytest.raises(TypedError):
            _run(conversation, case)
        return
    _run(conversation, case)
    if "object" in case:
        assert conversation.at(case["version"]) == case["object"]
    if "managed" in case:
        assert {manager.name: record.fields for manager, record in conversation.managed.items()} == {
            name: from_fields_v1(entry["set"]) for name, entry in case["managed"].items()
        }
        assert {manager.name: record.api_version for manager, record in conversation.managed.items()} == {
            name: entry["version"] for name, entry in case["managed"].items()
        }


def _run(conversation: Conversation, case: dict[str, Any]) -> None:
    for op in case["ops"]:
        conversation.run(op)


def leaf_updater(*, order_matters: bool = True) -> Updater:
    schema = {
        "root": "t",
        "types": {"t": {"struct": {"a": "string", "set": {"list": "string", "type": "set"}}}},
    }
    return Updater(Types(schema).node(), "v1", order_matters=order_matters)


def test_a_record_of_an_unknown_version_is_forgotten_by_an_update() -> None:
    managed: Managed = {key("old"): Record({"f:a": {}}, "v0", None)}
    assert leaf_updater().update({"a": "1"}, {"a": "1"}, managed) == {}
    assert managed == {}


def test_a_record_of_an_unknown_version_cannot_conflict() -> None:
    managed: Managed = {key("old"): Record({"f:a": {}}, "v0", None)}
    assert leaf_updater().apply({"a": "1"}, {"a": "2"}, managed, key("new"), force=False) == {"a": "2"}
    assert managed == {key("new"): Record({"f:a": {}}, "v1", None)}


def test_an_applier_whose_last_version_is_unknown_removes_nothing() -> None:
    managed: Managed = {key("one"): Record({"f:a": {}}, "v0", None)}
    assert leaf_updater().apply({"a": "1"}, {"set": ["x"]}, managed, key("one"), force=False) == {
        "a": "1",
        "set": ["x"],
    }


def test_what_is_ignored_is_owned_by_nobody() -> None:
    updater = leaf_updater()
    ignoring = Updater(updater.node, "v1", {"f:a": {}})
    managed: Managed = {}
    assert ignoring.update({}, {"a": "1", "set": ["x"]}, managed) == {"f:set": {".": {}, 'v:"x"': {}}}
    ignoring.apply({}, {"a": "1", "set": ["x"]}, managed, key("one"), force=False)
    assert managed == {key("one"): Record({"f:set": {'v:"x"': {}}}, "v1", None)}


def test_a_new_order_alone_is_a_change_since_1_29() -> None:
    live = {"set": ["x", "y"]}
    applied = {"set": ["y", "x"]}
    assert leaf_updater().apply(live, applied, {}, key("one"), force=False) == applied
    assert leaf_updater(order_matters=False).apply(live, applied, {}, key("one"), force=False) is None


def test_of_too_many_remembered_sets_all_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.machinery.apply.updater.REMEMBERED_MAX", 2)
    kept = leaf_updater()
    for value in ("x", "y", "z", "x"):
        assert kept.update({}, {"set": [value]}, {}) == {"f:set": {".": {}, f'v:"{value}"': {}}}
        assert len(kept._remembered) <= 2


def test_a_set_that_follows_from_long_texts_is_not_remembered() -> None:
    kept = leaf_updater()
    long = "x" * REMEMBERED_BYTES_MAX
    assert kept.update({}, {"set": [long]}, {}) == {"f:set": {".": {}, f'v:"{long}"': {}}}
    assert not kept._remembered
    kept.update({}, {"set": ["x"]}, {})
    assert kept._remembered
