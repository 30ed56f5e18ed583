"""Manifests can come from objects, texts, files, directories and glob patterns. Others raise errors."""

from pathlib import Path
from typing import Any

import pytest

from fakeapi.installing.plan import plan_of
from fakeapi.installing.sources import InstallError, manifests_of

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n"


def names(*sources: Any) -> list[str]:
    return [each.obj["metadata"]["name"] for each in manifests_of(sources)]


def problem(*sources: Any) -> str:
    with pytest.raises(InstallError) as refused:
        plan_of(sources)
    text = str(refused.value)
    assert "\n" not in text
    return text


def test_objects_come_as_dicts_texts_and_lists_of_them() -> None:
    one: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    text = MAP.format("b") + "---\n---\n" + MAP.format("c")
    json_text = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d"}}'
    assert names(one, text, [json_text, [{**one, "metadata": {"name": "e"}}]]) == ["a", "b", "c", "d", "e"]


def test_files_directories_and_patterns_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("b.yaml", "a.yml", "below/c.json", "notes.txt", "kustomization.yaml"):
        text = MAP.format(Path(name).stem)
        if name.endswith(".json"):
            text = '[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}]'
        (tmp_path / name).write_text(text if name != "notes.txt" else "none")
    assert names(tmp_path) == ["a", "b", "c"]
    assert names(str(tmp_path)) == ["a", "b", "c"]
    assert names(str(tmp_path / "*.yaml")) == ["b"]
    assert names(tmp_path / "kustomization.yaml") == ["kustomization"]
    assert names(str(tmp_path / "**/*.json")) == ["c"]
    assert names(tmp_path / "b.yaml") == ["b"]


def test_an_empty_directory_holds_nothing(tmp_path: Path) -> None:
    assert names(tmp_path) == []


def test_lists_are_unpacked() -> None:
    items = [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]
    listed = {"apiVersion": "v1", "kind": "ConfigMapList", "items": items}
    assert [each.obj["kind"] for each in manifests_of([listed])] == ["ConfigMap", "ConfigMap"]
    plain = {"apiVersion": "v1", "kind": "List", "items": [MAP and {"apiVersion": "v1", "kind": "Pod"}]}
    assert [each.obj["kind"] for each in manifests_of([plain])] == ["Pod"]


def test_a_sign_that_yaml_has_a_meaning_for_stays_text() -> None:
    (manifest,) = manifests_of([MAP.format("a") + "data:\n  equals: =\n"])
    assert manifest.obj["data"] == {"equals": "="}


def test_timestamps_stay_text() -> None:
    (manifest,) = manifests_of([MAP.format("a") + "  creationTimestamp: 2020-01-01T00:00:00Z\n"])
    assert manifest.obj["metadata"]["creationTimestamp"] == "2020-01-01T00:00:00Z"


def test_what_is_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"

    def said(text: str) -> str:
        file.write_text(text)
        return problem(file).removeprefix(str(tmp_path) + "/")

    assert said(MAP.format("a") + "---\nkind: Pod\n") == (
        "a.yaml, document 2: not a Kubernetes object, because it has no apiVersion"
    )
    assert said("apiVersion: v1\n") == "a.yaml: not a Kubernetes object, because it has no kind"
    assert said("hello\n") == "a.yaml: not a Kubernetes object but 'hello'"
    assert said("apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n") == (
        "a.yaml: Pod without a metadata.name"
    )
    assert said("a: {{ .Values.b }}\n").startswith("a.yaml: not YAML: ")
    twice = MAP.format("a") + "---\n" + MAP.format("a")
    assert said(twice) == f"a.yaml, document 2: ConfigMap a is in {file}, document 1 already"
    file.write_bytes(b"\xff\xfe\xff")
    assert problem(file) == f"{file}: not UTF-8"


def test_paths_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    assert problem(tmp_path / "no.yaml") == f"cannot read {tmp_path}/no.yaml: No such file or directory"
    assert problem(f"{tmp_path}/*.yaml") == f"{tmp_path}/*.yaml matches no file"
    assert problem(5) == "manifest 1: int is not a manifest"


def test_a_definition_without_names_is_told() -> None:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "x"},
    }
    with pytest.raises(InstallError, match="CustomResourceDefinition x names no group, kind or versions"):
        plan_of([definition]).defined_kinds()


def test_the_order_is_the_one_that_objects_need() -> None:
    types = [
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("example.com/v1", "Widget"),
        ("v1", "Pod"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("v1", "Namespace"),
    ]
    objects = [{"apiVersion": version, "kind": kind, "metadata": {"name": "a"}} for version, kind in types]
    ordered = [each.obj["kind"] for each in plan_of([objects]).manifests]
    assert ordered == [
        "Namespace",
        "CustomResourceDefinition",
        "Role",
        "RoleBinding",
        "Widget",
        "Pod",
        "ValidatingWebhookConfiguration",
    ]


def test_a_file_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.installing.sources.FILE_BYTES_MAX", 100)
    file = tmp_path / "a.json"
    file.write_text('{"apiVersion": "v1", "kind": "ConfigMap"}'.ljust(100))
    assert len(manifests_of([file])) == 1
    file.write_text(file.read_text() + " ")
    with pytest.raises(InstallError, match=r"a\.json: longer than 100 bytes"):
        manifests_of([file])


def test_too_many_objects_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.installing.sources.OBJECTS_MAX", 2)
    one = {"apiVersion": "v1", "kind": "ConfigMap"}
    assert len(manifests_of([[one, one]])) == 2
    with pytest.raises(InstallError, match="more than 2 objects"):
        manifests_of([{"apiVersion": "v1", "kind": "List", "items": [one, one, one]}])


def test_lists_within_lists_are_bounded() -> None:
    def nested(levels: int) -> dict[str, Any]:
        value: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
        for _ in range(levels):
            value = {"apiVersion": "v1", "kind": "List", "items": [value]}
        return value

    assert names(nested(16)) == ["a"]
    with pytest.raises(InstallError, match="more than 16 lists within lists"):
        manifests_of([nested(17)])
    own: dict[str, Any] = {"apiVersion": "v1", "kind": "List", "items": []}
    own["items"].append(own)
    with pytest.raises(InstallError, match="more than 16 lists within lists"):
        manifests_of([own])


def test_an_error_shows_escape_codes_as_text_and_is_one_line() -> None:
    text = 'apiVersion: v1\nkind: "\\e]0;owned\\a\\n"\nmetadata: {name: ""}\n'
    assert problem(text) == "manifest 1: \\x1b]0;owned\\x07 without a metadata.name"
