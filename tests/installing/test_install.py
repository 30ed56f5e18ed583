"""A call, an option or a pytest marker installs manifests, and installs them again after a reset."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI, InstallError, StatusError
from fakeapi.serving.start_error import StartError

TEAM = """
apiVersion: v1
kind: ServiceAccount
metadata:
  name: robot
  namespace: team
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: team
data:
  a: "1"
---
apiVersion: v1
kind: Namespace
metadata:
  name: team
"""
BAD = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: fine
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: bad
spec:
  selector: {}
  template: {}
"""


def test_objects_are_installed_in_the_order_that_they_need(fakeapi: FakeAPI) -> None:
    stored = fakeapi.install(TEAM)
    assert [each["kind"] for each in stored] == ["Namespace", "ServiceAccount", "ConfigMap"]
    assert fakeapi.get("ConfigMap", "settings", namespace="team")["data"] == {"a": "1"}
    (entry,) = stored[2]["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("fakeapi-install", "Apply")


def test_what_is_installed_again_stays_as_it_is(fakeapi: FakeAPI) -> None:
    assert fakeapi.install(TEAM) == fakeapi.install(TEAM)


def test_what_an_export_says_of_another_server_is_left_out(fakeapi: FakeAPI) -> None:
    exported = fakeapi.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    fakeapi.delete("ConfigMap", "a")
    (stored,) = fakeapi.install(exported)
    assert stored["metadata"]["uid"] != exported["metadata"]["uid"]


def test_what_the_server_would_refuse_is_found_before_anything_is_there(fakeapi: FakeAPI) -> None:
    with pytest.raises(InstallError) as refused:
        fakeapi.install(BAD)
    text = str(refused.value)
    assert text.startswith("manifest 1, document 2: Deployment bad: 422 Invalid: Deployment.apps")
    assert "\n" not in text
    with pytest.raises(StatusError):
        fakeapi.get("ConfigMap", "fine")


def test_a_misspelled_field_is_refused(fakeapi: FakeAPI) -> None:
    with pytest.raises(InstallError, match="dta"):
        fakeapi.install({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "dta": {}})


def test_a_kind_that_nobody_has_is_told(fakeapi: FakeAPI) -> None:
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
    with pytest.raises(InstallError) as refused:
        fakeapi.install([widget])
    why = "the server has no Widget in example.com/v1, and no manifest defines it"
    assert str(refused.value) == f"manifest 1, item 1: {why}"


@pytest.mark.fakeapi(install=TEAM)
def test_a_marker_installs_and_a_reset_installs_again(fakeapi: FakeAPI) -> None:
    fakeapi.delete("ConfigMap", "settings", namespace="team")
    fakeapi.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}})
    fakeapi.reset()
    assert fakeapi.get("ConfigMap", "settings", namespace="team")
    with pytest.raises(StatusError):
        fakeapi.get("ConfigMap", "mine")


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.fakeapi(install=(TEAM,))
def test_every_test_of_a_marker_has_what_it_installs(fakeapi: FakeAPI, turn: int) -> None:
    assert fakeapi.get("ConfigMap", "settings", namespace="team")["data"] == {"a": "1"}
    fakeapi.delete("ConfigMap", "settings", namespace="team")


def test_a_server_installs_files_at_its_start(tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(TEAM)
    with FakeAPI(install=tmp_path) as api:
        assert api.get("ServiceAccount", "robot", namespace="team")


def test_a_server_with_a_token_is_installed_in_too() -> None:
    with FakeAPI(install=TEAM, token="secret", accept_hosts="nobody") as api:
        assert api.get("Namespace", "team")


def test_a_database_is_installed_in_once(tmp_path: Path) -> None:
    def version() -> Any:
        with FakeAPI(install=TEAM, database=tmp_path / "db") as api:
            return api.get("ConfigMap", "settings", namespace="team")["metadata"]["resourceVersion"]

    assert version() == version()


def test_a_server_that_cannot_install_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"cannot install: cannot read .*: No such file"):
        FakeAPI(install=tmp_path / "no.yaml").start()
    with pytest.raises(StartError, match="cannot start: manifest 1, document 2: Deployment bad: 422"):
        FakeAPI(install=BAD).start()


def test_the_requests_have_an_agent_of_their_own(
    fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path
) -> None:
    api = fakeapi_factory()
    path = tmp_path / "t.jsonl"
    api.start_recording(path)
    api.install(TEAM)
    api.stop_recording()
    assert '"fakeapi-install"' in path.read_text()


def test_a_refused_object_has_no_frames_of_the_library_in_its_traceback(fakeapi: FakeAPI) -> None:
    with pytest.raises(InstallError, match=r"^manifest 1: ConfigMap A: 422 Invalid: ") as caught:
        fakeapi.install({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A"}})
    assert caught.value.__suppress_context__
    assert caught.value.__cause__ is None, "the cause has a dozen frames, and the message contains it"
    assert [entry.name for entry in caught.traceback] == [
        "test_a_refused_object_has_no_frames_of_the_library_in_its_traceback",
        "install",
    ]
