"""The committed tables of Kubernetes releases equal the tools' output for the published Go modules."""

import json
from pathlib import Path

import pytest

from fakeapi.releases import COMPILED_RELEASES
from tests.go_modules import modules_of, needs_go
from tools.compile_releases import (
    DATA,
    GATES,
    compile_gates,
    file_name,
    render_index,
    render_package,
    render_parts,
    write_release,
)
from tools.gotypes import GoField, GoSource, UnknownGoError, named
from tools.modules import LAST_PATCHES, Modules, package_of


@needs_go
@pytest.mark.timeout(300)
@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_compiling_a_release_again_gives_the_committed_tables(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules_of(release, monkeypatch)
    write_release(release, tmp_path / release)
    made, committed = (
        {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.json")}
        for folder in (tmp_path / release, DATA / release)
    )
    assert sorted(made) == sorted(committed)
    for name, text in made.items():
        assert text == committed[name], name


@needs_go
@pytest.mark.timeout(300)
def test_compiling_the_gates_again_gives_the_committed_table(monkeypatch: pytest.MonkeyPatch) -> None:
    for release in COMPILED_RELEASES:
        modules_of(release, monkeypatch)
    assert render_parts(compile_gates()) == (DATA / GATES).read_text(encoding="utf-8")


def test_there_are_tables_for_every_compiled_release_and_no_other() -> None:
    assert sorted(path.name for path in DATA.iterdir() if path.is_dir() and path.name[0] == "1") == list(
        COMPILED_RELEASES
    )
    assert tuple(LAST_PATCHES) == COMPILED_RELEASES


def test_a_rendered_package_has_a_line_for_each_type_and_field_and_is_its_json() -> None:
    table = {
        "types": {
            "A": {"atomic": True, "fields": [{"name": "x"}, {"name": "y"}]},
            "B": "string",
            "C": {"type": "string", "enum": ["c"]},
        }
    }
    text = render_package(table)
    assert json.loads(text) == table
    assert text.splitlines()[2:] == [
        '"A": {"atomic": true, "fields": [',
        ' {"name": "x"},',
        ' {"name": "y"}]},',
        '"B": "string",',
        '"C": {"type": "string", "enum": ["c"]}',
        "}",
        "}",
    ]


def test_a_rendered_index_has_a_line_for_each_kind_and_is_its_json() -> None:
    index = {
        "release": "1.0",
        "version": "v1.0.1",
        "built": "then",
        "go": "go1",
        "group_versions": [
            {"group": "", "version": "v1", "default": True, "kinds": [{"kind": "A"}, {"kind": "B"}]}
        ],
        "registered": {"v1": ["A", "B"], "x.io/v1": ["C"]},
    }
    text = render_index(index)
    assert json.loads(text) == index
    assert [line for line in text.splitlines() if '{"kind"' in line] == [
        ' {"kind": "A"},',
        ' {"kind": "B"}]}',
    ]


def test_a_package_is_called_by_the_end_of_its_import_path() -> None:
    assert package_of("k8s.io/api/core/v1") == "core/v1"
    assert package_of("k8s.io/apimachinery/pkg/apis/meta/v1") == "meta/v1"
    assert package_of("k8s.io/apimachinery/pkg/runtime") == "runtime"
    assert package_of("example.com/other") is None
    assert file_name("core/v1") == "core__v1"


GO = """package v1

import (
	other "k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/runtime"
)

// Inner is inlined.
type Inner struct {
	// A value.
	Value *int64 `json:"value,omitempty" protobuf:"varint,1,opt,name=value"`
}

// +enum
type Mode string

const (
	On  Mode = "on"
	Off      = Mode("off")
	Auto     = Mode(other.Automatic)
)

type Same = Mode

type Outer struct {
	Inner `json:",inline" protobuf:"bytes,2,opt,name=inner"`
	// Names of all.
	// +featureGate=Naming
	// +k8s:maxItems=3
	Names map[Mode][]other.UID `json:"names" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,3"`
	Raw runtime.RawExtension `json:"raw,omitempty"`
	Self *Outer `json:"self"`
	Same Same `json:"same"`
}
"""


def source(tmp_path: Path, text: str) -> GoSource:
    """Writes a Go module whose package core/v1 contains `text`; returns a GoSource that reads it."""
    folder = tmp_path / "core" / "v1"
    folder.mkdir(parents=True)
    (folder / "types.go").write_text(text)
    (folder / "generated.proto").write_text("message Mode {\n  repeated string items = 1;\n}\n")
    types = tmp_path / "apimachinery" / "pkg" / "types"
    types.mkdir(parents=True)
    (types / "uid.go").write_text('package types\n\ntype UID string\n\nconst Automatic = "auto"\n')
    return GoSource(Modules("1.0", {"api": tmp_path, "apimachinery": tmp_path / "apimachinery"}, ""))


@needs_go
def test_a_go_struct_is_read_in_order_with_its_inlined_fields_and_markers(tmp_path: Path) -> None:
    outer = source(tmp_path, GO).type("core/v1.Outer")
    assert outer.fields == (
        GoField("value", "*int64", "Value", omitempty=True, numbers=(2, 1)),
        GoField(
            "names",
            "map[core/v1.Mode][]types.UID",
            "Names",
            patch_strategy="merge",
            patch_merge_key="name",
            numbers=(3,),
            markers=("featureGate=Naming", "k8s:maxItems=3"),
        ),
        GoField("raw", "runtime.RawExtension", "Raw", omitempty=True),
        GoField("self", "*core/v1.Outer", "Self"),
        GoField("same", "core/v1.Mode", "Same"),
    )


@needs_go
def test_a_type_made_of_another_is_read_with_its_values_and_its_message(tmp_path: Path) -> None:
    mode = source(tmp_path, GO).type("core/v1.Mode")
    assert (mode.underlying, mode.enum, mode.is_message) == ("string", ("auto", "off", "on"), True)


@needs_go
def test_go_that_is_not_understood_is_an_error_and_not_a_gap(tmp_path: Path) -> None:
    odd = source(tmp_path, GO.replace('`json:"self"`', ""))
    with pytest.raises(UnknownGoError, match=r"a field in core/v1.Outer without a name"):
        odd.type("core/v1.Outer")
    with pytest.raises(UnknownGoError, match=r"no type core/v1\.Missing"):
        odd.type("core/v1.Missing")


def test_the_types_that_a_types_text_names_are_found_inside_lists_and_maps() -> None:
    assert named("map[types.UID]*meta/v1.Time") == ["types.UID", "meta/v1.Time"]
    assert named("[]string") == []
