"""The committed tables are what the tool makes of the published Go modules."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fakeapi.releases import KNOWN_RELEASES
from tools import compile_releases
from tools.gotypes import GoField, GoSource, UnknownGoError, named


@pytest.fixture
def cached_modules_only(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    monkeypatch.setenv("GOPROXY", "off")


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_compiling_a_release_again_gives_the_committed_table(name: str, cached_modules_only: None) -> None:
    try:
        modules = compile_releases.download(name)
    except subprocess.CalledProcessError:
        pytest.skip("the Go module cache does not hold the release's modules")
    text = compile_releases.render(compile_releases.compile_release(name, modules))
    assert text == (compile_releases.DATA / f"{name}.json").read_text(encoding="utf-8")


def test_there_is_a_table_for_every_known_release_and_no_other() -> None:
    assert sorted(path.stem for path in compile_releases.DATA.glob("*.json")) == list(KNOWN_RELEASES)
    assert list(compile_releases.PATCHES) == list(KNOWN_RELEASES)


def test_a_rendered_table_has_a_line_for_each_kind_and_field_and_is_its_json() -> None:
    release = {
        "release": "1.0",
        "version": "v1.0.1",
        "built": "then",
        "go": "go1",
        "kinds": [{"kind": "A"}, {"kind": "B"}],
        "registered": {"v1": ["A", "B"], "x.io/v1": ["C"]},
        "types": {"a.A": {"atomic": True, "fields": [{"name": "x"}, {"name": "y"}]}, "a.B": "string"},
    }
    text = compile_releases.render(release)
    assert json.loads(text) == release
    assert [line for line in text.splitlines() if '"x"' in line or '"y"' in line] == [
        ' {"name": "x"},',
        ' {"name": "y"}]},',
    ]


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

type Mode string

type Outer struct {
	Inner `json:",inline" protobuf:"bytes,2,opt,name=inner"`
	Names map[Mode][]other.UID `json:"names" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,3"`
	Raw runtime.RawExtension `json:"raw,omitempty"`
	Self *Outer `json:"self"`
}
"""


def source(tmp_path: Path, text: str) -> GoSource:
    (tmp_path / "types.go").write_text(text)
    return GoSource({"core/v1": tmp_path})


def test_a_go_struct_is_read_in_order_with_its_inlined_fields(tmp_path: Path) -> None:
    outer = source(tmp_path, GO).type("core/v1.Outer")
    assert outer.fields == (
        GoField("value", "*int64", omitempty=True, patch_strategy="", patch_merge_key="", numbers=(2, 1)),
        GoField(
            "names",
            "map[core/v1.Mode][]types.UID",
            omitempty=False,
            patch_strategy="merge",
            patch_merge_key="name",
            numbers=(3,),
        ),
        GoField(
            "raw", "runtime.RawExtension", omitempty=True, patch_strategy="", patch_merge_key="", numbers=()
        ),
        GoField("self", "*core/v1.Outer", omitempty=False, patch_strategy="", patch_merge_key="", numbers=()),
    )


def test_a_type_made_of_another_is_read_as_its_name(tmp_path: Path) -> None:
    assert source(tmp_path, GO).type("core/v1.Mode").underlying == "string"


def test_go_that_is_not_understood_is_an_error_and_not_a_gap(tmp_path: Path) -> None:
    odd = source(tmp_path, GO.replace('`json:"self"`', ""))
    with pytest.raises(UnknownGoError, match=r"a field in core/v1: Self \*Outer"):
        odd.type("core/v1.Outer")
    with pytest.raises(UnknownGoError, match=r"no type core/v1\.Missing"):
        odd.type("core/v1.Missing")


def test_the_types_that_a_types_text_names_are_found_inside_lists_and_maps() -> None:
    assert named("map[types.UID]*meta/v1.Time") == ["types.UID", "meta/v1.Time"]
    assert named("[]string") == []
