"""`fakeapi export` writes a server's objects as plain manifests, which can be imported again."""

import stat
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from fakeapi import FakeAPI
from fakeapi.machinery.documents import documents_of, numbered_documents
from fakeapi.transfer.yaml_text import yaml_of
from tests.transfer.seeding import failing, run, seed

FIRST = ["Namespace", "DeviceClass", "Secret", "ConfigMap", "Pod", "ResourceClaim"]


def exported(api: FakeAPI, *arguments: str) -> str:
    result = run("export", "--server", api.url, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_what_somebody_made_is_written_and_nothing_that_the_server_says_of_it(fakeapi: FakeAPI) -> None:
    seed(fakeapi)
    text = exported(fakeapi)
    objects = documents_of(text)
    assert sorted(each["kind"] for each in objects) == sorted(FIRST)
    assert objects[0] == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team", "labels": {"tier": "test"}},
    }
    for word in ("uid", "resourceVersion", "managedFields", "creationTimestamp", "generation", "status"):
        assert f"{word}:" not in text
    assert "password: aHVudGVyMg==" in text


def test_an_imported_export_is_exported_alike(tmp_path: Path) -> None:
    with FakeAPI(release="1.33") as first, FakeAPI(release="1.33") as second:
        seed(first)
        file = tmp_path / "state.yaml"
        assert run("export", "--server", first.url, "--status", "-o", str(file)).exit_code == 0
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert run("import", "--server", second.url, "--status", str(file)).exit_code == 0
        assert exported(second, "--status") == file.read_text(encoding="utf-8")


def test_a_directory_has_a_file_for_each_object_and_is_taken_back(tmp_path: Path) -> None:
    with FakeAPI(release="1.33") as first, FakeAPI(release="1.33") as second:
        seed(first)
        first.create(
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "a:b"}}
        )
        first.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "n" * 253}})
        directory = tmp_path / "state"
        run("export", "--server", first.url, "-d", str(directory))
        assert (directory / "team/resourceclaims.resource.k8s.io/web-gpu.yaml").is_file()
        assert (directory / "_cluster/clusterroles.rbac.authorization.k8s.io/a:b.yaml").is_file()
        again = failing("export", "--server", first.url, "-d", str(directory))
        assert again == f"Error: {directory} is not empty: name a new directory or remove it first"
        assert run("import", "--server", second.url, str(directory)).exit_code == 0
        assert exported(second) == exported(first)


def test_an_export_can_be_installed_at_the_start_with_its_owners(tmp_path: Path) -> None:
    with FakeAPI(release="1.33") as api:
        seed(api)
        run("export", "--server", api.url, "-d", str(tmp_path / "state"))
    with FakeAPI(release="1.33", install=tmp_path / "state") as api:
        pod = api.get("Pod", "web", namespace="team")
        (owner,) = api.get("ResourceClaim", "web-gpu", namespace="team")["metadata"]["ownerReferences"]
        assert owner["uid"] == pod["metadata"]["uid"]


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        (("-n", "team"), ["ConfigMap", "Pod", "ResourceClaim", "Secret"]),
        (("-n", "team", "-r", "po,deviceclasses.resource.k8s.io"), ["DeviceClass", "Pod"]),
        (("-l", "app=web"), ["ConfigMap"]),
        (("-n", "nobody"), []),
    ],
)
def test_objects_are_chosen(fakeapi: FakeAPI, arguments: tuple[str, ...], kinds: list[str]) -> None:
    seed(fakeapi)
    objects = documents_of(exported(fakeapi, *arguments)) if kinds else []
    assert sorted(each["kind"] for each in objects) == kinds


def test_all_has_what_a_server_makes_by_itself(fakeapi: FakeAPI) -> None:
    assert "name: default" not in exported(fakeapi)
    assert "name: default" in exported(fakeapi, "--all", "-r", "namespaces")


def test_a_reference_to_what_is_gone_keeps_its_uid(fakeapi: FakeAPI) -> None:
    seed(fakeapi)
    assert "uid:" not in exported(fakeapi)
    fakeapi.delete("Pod", "web", namespace="team", options={"gracePeriodSeconds": 0})
    assert "    uid: " in exported(fakeapi)


def test_a_database_is_exported_and_not_changed(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with FakeAPI(release="1.33", database=database) as api:
        seed(api)
        text = exported(api)
        assert "is in use: a server has opened it" in failing("export", "--db", str(database))
    before = database.read_bytes()
    assert run("export", "--db", str(database), "--release", "1.33").stdout == text
    assert database.read_bytes() == before
    (tmp_path / "no.db").write_text("hello, this is no database at all, but it is longer than one page")
    assert "file is not a database" in failing("export", "--db", str(tmp_path / "no.db"))


def test_more_objects_than_the_limit_are_refused(fakeapi: FakeAPI) -> None:
    seed(fakeapi)
    line = failing("export", "--server", fakeapi.url, "--limit", "3")
    assert "more objects than the limit, counted at" in line
    assert "--limit" in line


def test_mistakes_are_told_in_a_line_and_write_nothing(fakeapi: FakeAPI, tmp_path: Path) -> None:
    file = str(tmp_path / "a.yaml")
    assert "no resource 'foo'" in failing("export", "--server", fakeapi.url, "-r", "foo", "-o", file)
    assert "unable to parse" in failing("export", "--server", fakeapi.url, "-l", "a in", "-r", "cm").lower()
    missing = str(tmp_path / "none" / "a.yaml")
    assert "No such file or directory" in failing("export", "--server", fakeapi.url, "-o", missing)
    assert run("export", "-o", file, "-d", str(tmp_path)).exit_code == 2
    assert run("export", "--release", "1.33").exit_code == 2
    assert [*tmp_path.iterdir()] == []


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t'\"#:-"), max_size=20)
WORDS = st.sampled_from(
    ["yes", "1e3", "0o17", "null", "~", "=", "<<", "1_000", ".5", "- a", "2020-01-01", "0x1F"]
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: not number.is_integer() or abs(number) < 2**53 or abs(number) > 1e21
)
"""Floats except large whole numbers, because Go's encoding/json writes these without an exponent."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | FLOATS | TEXTS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | WORDS, inner, max_size=3),
    max_leaves=8,
)


@hypothesis.given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_yaml_is_read_as_it_was_written(obj: dict[str, object]) -> None:
    assert numbered_documents(yaml_of(obj)) == [(1, obj)]
