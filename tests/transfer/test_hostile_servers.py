"""For any response of a server, `fakeapi export` writes only below its directory and prints safe lines."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from fakeapi.transfer.files import WriteError, write_directory
from tests.transfer.hostile import RESOURCE, answering, cluster_of, config_map
from tests.transfer.seeding import failing, run

LONG = "x" * 5_000
HOSTILE_NAMES = ("..", ".", "../../x", "/abs", "a/../../b", "~", "a\0b", "\x1b[31m", "_cluster", LONG)


def left_out(url: str) -> str:
    """Runs an export of a cluster without exportable objects.

    Returns the line of its output about omitted objects, without `Left out: `.
    """
    result = run("export", "--server", url)
    assert result.exit_code == 1, result.output
    problem, summary = result.output.splitlines()
    assert summary == "exported 0 objects"
    assert problem.isprintable()
    return problem.removeprefix("Left out: ")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_stay_below_the_directory_of_an_export(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "a" / "b" / "export"
    resource = {**RESOURCE, "name": name.replace("/", "%2f") or "x"}
    items = [config_map(name, name), config_map("plain", name), config_map(name, None)]
    cluster = {**cluster_of(items, resource), "/_fakeapi/state": None}
    with answering(lambda path: cluster.get(path, cluster["/api/v1/configmaps"])) as url:
        result = run("export", "--server", url, "-d", str(directory))
    assert result.exit_code == 0, result.output
    assert result.output.replace("\n", "").isprintable()
    files = [path for path in tmp_path.rglob("*") if not path.is_dir()]
    assert len(files) == 4, "the ConfigMaps and their namespace"
    assert all(len(file.relative_to(directory).parts) == 3 for file in files)


def test_an_export_refuses_two_objects_of_one_place(tmp_path: Path) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    with pytest.raises(WriteError, match="two objects would be in"):
        write_directory(tmp_path / "export", [("configmaps", manifest), ("configmaps", manifest)])


def test_the_namespace_cluster_is_not_the_scope_of_the_cluster(tmp_path: Path) -> None:
    manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    inside = {**manifest, "metadata": {"name": "a", "namespace": "_cluster"}}
    write_directory(tmp_path / "export", [("configmaps", manifest), ("configmaps", inside)])
    assert len([*(tmp_path / "export").rglob("*.yaml")]) == 2


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([5], "the response is not a ConfigMap but 5"),
        ([{}], "the response is not a ConfigMap: Object missing required field `metadata`"),
        ([{"metadata": []}], "Expected `object`, got `array` - at `$.metadata`"),
        ([config_map("")], "the response is not a ConfigMap: it has no name"),
        ([config_map("a", 5)], "Expected `str | null`, got `int` - at `$.metadata.namespace`"),
        ([config_map("a", managedFields=[5])], "at `$.metadata.managedFields[0]`"),
        ([config_map("a", ownerReferences={})], "at `$.metadata.ownerReferences`"),
        ([{**config_map("a"), "kind": []}], "at `$.kind`"),
        ([{**config_map("a"), "apiVersion": 1}], "at `$.apiVersion`"),
        ("x", "the response is not a valid Page: Expected `array | null`, got `str`"),
        (["\x1b[31m"], r"the response is not a ConfigMap but '\x1b[31m'"),
    ],
)
def test_a_malformed_list_is_left_out_with_its_reason(items: Any, problem: str) -> None:
    with answering(cluster_of(items).get) as url:
        line = left_out(url)
    assert line.startswith("configmaps: 0 Unknown: the response ")
    assert problem in line


@pytest.mark.parametrize(
    ("data", "exported"),
    [
        ({"kind": ["Secret"]}, {"kind": ["Secret"]}),
        ({"kind": {}}, {"kind": {}}),
        ({"token": {"type": ["a"]}}, {"token": {"type": ["redacted"]}}),
    ],
)
def test_members_of_a_wrong_type_are_exported(tmp_path: Path, data: Any, exported: Any) -> None:
    file = tmp_path / "a.yaml"
    with answering(cluster_of([{**config_map("a"), "data": data}]).get) as url:
        result = run("export", "--server", url, "-o", str(file))
    assert result.exit_code == 0, result.output
    assert exported in [obj.get("data") for obj in yaml.safe_load_all(file.read_text())]


@pytest.mark.parametrize(
    ("apis", "problem"),
    [
        ([], "the response is a list where an object is expected"),
        ({"groups": {}}, "the response is not a valid GroupList: "),
        ({"groups": [5]}, "the response is not a valid GroupList: "),
        ({"groups": [{"versions": [{}]}]}, "Object missing required field `groupVersion`"),
        (
            {"groups": [{"versions": [{"groupVersion": f"a/v{n}"} for n in range(1_000)]}]},
            "more than 1000 group",
        ),
        (b"not JSON \x1b[31m", "answers 200 'not JSON \\x1b[31m'"),
        (b"[" * 100_000, "answers 200 '[[["),
        (b"[" + b"1," * 2_000_001 + b"1]", "the response is too large"),
    ],
)
def test_malformed_discovery_is_an_error_of_one_line(apis: Any, problem: str) -> None:
    with answering(cluster_of([], **{"/apis": apis}).get) as url:
        line = failing("export", "--server", url)
    assert line.startswith("Error: 0 Unknown: ")
    assert problem in line
    assert line.isprintable()


@pytest.mark.parametrize(
    "resources", [5, [5], [{}], [{**RESOURCE, "verbs": 5}], [{**RESOURCE, "name": None}]]
)
def test_a_version_with_malformed_resources_is_left_out(resources: Any) -> None:
    with answering(cluster_of([], **{"/api/v1": {"resources": resources}}).get) as url:
        assert left_out(url).startswith("v1: 0 Unknown: the response is not a valid ResourceList: ")


def test_resources_and_pages_beyond_their_bounds_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.transfer.served.RESOURCES_MAX", 3)
    with answering(cluster_of([], **{"/api/v1": {"resources": [RESOURCE] * 4}}).get) as url:
        assert left_out(url) == "v1: 0 Unknown: the response lists more than 3 resources"
    monkeypatch.setattr("fakeapi.transfer.reading.PAGES_MAX", 5)
    numbers = count()
    endless = cluster_of([])

    def answer_of(path: str) -> Any:
        if path != "/api/v1/configmaps":
            return endless.get(path)
        return {"items": [], "metadata": {"continue": f"{next(numbers)}"}}

    with answering(answer_of) as url:
        assert left_out(url) == "configmaps: 0 Unknown: the response has more than 5 pages"
    assert next(numbers) == 5


def test_a_server_that_pretends_to_be_fakeapi_is_checked_too() -> None:
    state = {"/_fakeapi/state": {"oldestResourceVersion": "1"}, "/_fakeapi/kinds": [5]}
    with answering(cluster_of([], **state).get) as url:
        assert "is not a valid list" in failing("export", "--server", url)


def test_objects_as_deep_as_the_bound_are_written(tmp_path: Path) -> None:
    value: Any = "x"
    for _ in range(195):
        value = [value]
    with answering(cluster_of([{**config_map("a"), "data": value}]).get) as url:
        result = run("export", "--server", url, "-o", str(tmp_path / "a.yaml"))
    assert result.exit_code == 0, result.output
