"""The tables of defaults: rules by type, on fields that exist."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.releases import COMPILED_RELEASES
from fakeapi.releases.tables import ReleaseTables, tables_of
from tools.defaults import DefaultsReader
from tools.gosyntax import parse_package
from tools.gotypes import GoSource
from tools.modules import Modules


def conditions(rules: Any) -> Iterator[dict[str, Any]]:
    """Every condition, those inside others too."""
    for each in rules:
        yield each
        yield from conditions(
            [*each.get("any", ()), *each.get("all", ()), *[each[key] for key in ("not",) if key in each]]
        )


def type_at(tables: ReleaseTables, name: str, path: str) -> str:
    """The type of a field; KeyError where a step of the path does not exist."""
    for step in path.replace("[]", ".[]").split("."):
        name = name.removeprefix("*")
        if step == "[]":
            assert name.startswith("[]"), (name, path)
            name = name.removeprefix("[]")
            continue
        entry = tables[name]
        assert not isinstance(entry, str)
        name = {field["name"]: field["type"] for field in entry["fields"]}[step]
    return name


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_every_path_of_a_rule_leads_to_a_field(release: str) -> None:
    tables, paths = tables_of(release), 0
    for name, rules in tables.defaults.rules.items():
        for rule in rules:
            assert rule.get("as", name) in tables
            met = list(conditions(rule.get("when", ())))
            stated = [value for each in met for key, value in each.items() if key in ("set", "unset", "path")]
            for path in (
                *rule.get("set", ()),
                *rule.get("copy", {}).values(),
                *rule.get("copy", ()),
                *stated,
            ):
                assert type_at(tables, name, path)
                paths += 1
    assert paths > 100


def test_the_defaults_of_a_workload_are_those_that_its_users_know() -> None:
    rules = tables_of("1.33").defaults.rules
    plain = {path: value for rule in rules["core/v1.PodSpec"] for path, value in rule["set"].items()}
    assert plain["restartPolicy"] == "Always"
    assert plain["terminationGracePeriodSeconds"] == 30
    assert {"set": {"spec.replicas": 1}} in rules["apps/v1.Deployment"]
    assert {"set": {"allocationMode": "ExactCount"}} in rules["resource/v1beta2.ExactDeviceRequest"]
    assert {
        "set": {"count": 1},
        "when": [{"path": "allocationMode", "is": "ExactCount"}],
    } in rules["resource/v1beta2.ExactDeviceRequest"]


def test_a_function_that_is_more_than_rules_is_named() -> None:
    assert tables_of("1.33").defaults.more["core/v1.Container"] == ("SetDefaults_Container",)


TYPES = """package v1

type Inner struct {
	Mode *string `json:"mode,omitempty"`
	Size *int32 `json:"size,omitempty"`
}

type Outer struct {
	Name string `json:"name"`
	Inner *Inner `json:"inner,omitempty"`
	Items []Inner `json:"items"`
}

const Fast = "fast"
"""

FUNCTIONS = """package v1

import (
	"k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func SetDefaults_Outer(obj *v1.Outer) {
	if obj.Name == "" && obj.Inner == nil {
		obj.Name = v1.Fast
		obj.Inner = &v1.Inner{}
	}
	if obj.Inner == nil {
		return
	}
	if obj.Inner.Size == nil {
		obj.Inner.Size = new(int32)
		*obj.Inner.Size = 0644
	}
	for i := range obj.Items {
		item := &obj.Items[i]
		if item.Mode == nil && feature.DefaultFeatureGate.Enabled(features.Modes) {
			item.Mode = ptr.To(v1.Fast)
		} else if obj.Name != v1.Fast {
			item.Mode = obj.Inner.Mode
		}
	}
	obj.Name = compute(obj.Name)
}
"""


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_assignments_are_read_as_rules_with_the_conditions_that_they_stand_under(tmp_path: Path) -> None:
    (tmp_path / "core" / "v1").mkdir(parents=True)
    (tmp_path / "core" / "v1" / "types.go").write_text(TYPES)
    (tmp_path / "defaults").mkdir()
    (tmp_path / "defaults" / "defaults.go").write_text(FUNCTIONS)
    reader = DefaultsReader(GoSource(Modules("1.0", {"api": tmp_path}, "")))
    rules, more = reader.of_package(parse_package(tmp_path / "defaults"), "core/v1")
    assert rules["core/v1.Outer"] == [
        {"set": {"name": "fast", "inner": {}}, "when": [{"unset": "name"}, {"unset": "inner"}]},
        {"set": {"inner.size": 0o644}, "when": [{"set": "inner"}]},
        {"set": {"items[].mode": "fast"}, "when": [{"set": "inner"}, {"gate": "Modes"}]},
        {
            "copy": {"items[].mode": "inner.mode"},
            "when": [
                {"set": "inner"},
                {"not": {"all": [{"unset": "items[].mode"}, {"gate": "Modes"}]}},
                {"path": "name", "is_not": "fast"},
            ],
            "always": ["items[].mode"],
        },
    ]
    assert more == {"core/v1.Outer": ["SetDefaults_Outer"]}
