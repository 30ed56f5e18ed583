"""The tables of defaults have rules for Go types of the release, and only for fields that exist."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.releases import COMPILED_RELEASES
from fakeapi.releases.tables import ReleaseTables, tables_of
from tests.go_modules import needs_go
from tools.defaults import DefaultsReader
from tools.gosyntax import parse_package
from tools.gotypes import GoSource
from tools.modules import Modules


def paths_of(step: Any) -> Iterator[str]:
    """Yields every field path in a step or condition of the defaults table, including nested paths."""
    match step:
        case list():
            for each in step:
                yield from paths_of(each)
        case {"default": values} | {"set": dict(values)}:
            yield from values
        case {"copy": places}:
            yield from (*places, *places.values())
        case {"path": path} | {"set": path} | {"unset": path}:
            yield path
        case dict():
            if "each" in step:
                yield step["each"]
            for key in ("when", "do", "else", "not", "any", "all"):
                yield from paths_of(step.get(key, []))


def type_at(tables: ReleaseTables, name: str, path: str) -> str:
    """Returns the Go type of the field at a path inside the Go type `name`.

    Raises KeyError if a field of the path does not exist.
    """
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
    tables = tables_of(release)
    paths = [(name, path) for name, steps in tables.defaults.rules.items() for path in paths_of(list(steps))]
    assert len(paths) > 100
    for name, path in paths:
        assert type_at(tables, name, path)


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_rules_are_of_types_of_the_release(release: str) -> None:
    tables = tables_of(release)
    for name, steps in tables.defaults.rules.items():
        assert name in tables
        for step in steps:
            assert step.get("as", name) in tables


def test_the_defaults_of_a_workload_are_those_that_its_users_know() -> None:
    rules = tables_of("1.33").defaults.rules
    (plain,) = rules["core/v1.PodSpec"]
    assert plain["default"]["restartPolicy"] == "Always"
    assert plain["default"]["terminationGracePeriodSeconds"] == 30
    assert rules["apps/v1.ReplicaSet"] == ({"default": {"spec.replicas": 1}},)
    assert rules["resource/v1beta2.ExactDeviceRequest"] == (
        {"default": {"allocationMode": "ExactCount"}},
        {"when": [{"path": "allocationMode", "is": "ExactCount"}], "do": [{"default": {"count": 1}}]},
    )
    assert rules["core/v1.EphemeralContainer"] == ({"as": "core/v1.Container"},)


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


@needs_go
def test_assignments_are_read_as_rules_with_the_conditions_that_they_stand_under(tmp_path: Path) -> None:
    (tmp_path / "core" / "v1").mkdir(parents=True)
    (tmp_path / "core" / "v1" / "types.go").write_text(TYPES)
    (tmp_path / "defaults").mkdir()
    (tmp_path / "defaults" / "defaults.go").write_text(FUNCTIONS)
    reader = DefaultsReader(GoSource(Modules("1.0", {"api": tmp_path}, "")))
    rules, more = reader.of_package(parse_package(tmp_path / "defaults"), "core/v1")
    assert rules["core/v1.Outer"] == [
        {
            "when": [{"unset": "name"}, {"unset": "inner"}],
            "do": [{"set": {"name": "fast", "inner": {}}}],
        },
        {
            "when": [{"set": "inner"}],
            "do": [
                {"default": {"inner.size": 0o644}},
                {
                    "each": "items[]",
                    "do": [
                        {
                            "when": [{"unset": "items[].mode"}, {"gate": "Modes"}],
                            "do": [{"set": {"items[].mode": "fast"}}],
                            "else": [
                                {
                                    "when": [{"path": "name", "is_not": "fast"}],
                                    "do": [{"copy": {"items[].mode": "inner.mode"}}],
                                }
                            ],
                        }
                    ],
                },
            ],
        },
    ]
    assert more == {"core/v1.Outer": ["SetDefaults_Outer"]}
