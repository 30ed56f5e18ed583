"""After a restart of a server with a kubelet directory, its kubelet still knows the prepared claims."""

import logging
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.checkpoint import FILE
from tests.controllers.kubelet.python_driver import PythonDriver, create_pod, create_template, publish

NOW = {"gracePeriodSeconds": 0}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Creates a temporary directory whose path is short enough for Unix sockets; yields its path."""
    path = Path(tempfile.mkdtemp(prefix="fa"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def serving(folder: Path, controllers: str = "all") -> FakeAPI:
    return FakeAPI(
        release="1.36", controllers=controllers, database=folder / "state.db", kubelet_directory=folder / "k"
    )


@pytest.fixture
def claim(folder: Path) -> str:
    """Prepares a claim for a running pod and stops the server; returns the claim's name."""
    with serving(folder) as api:
        publish(api, "v1")
        create_template(api, "v1")
        with PythonDriver(api.node()) as driver:
            assert driver.registered.wait(10)
            create_pod(api)
            api.settle()
            assert api.get("Pod", "pod")["status"]["phase"] == "Running"
            return driver.prepared[0]


def test_a_claim_of_before_is_unprepared_when_its_pod_is_deleted(folder: Path, claim: str) -> None:
    with serving(folder) as api, PythonDriver(api.node()) as driver:
        assert driver.registered.wait(10)
        api.settle()
        assert api.node().cdi_devices("default", "pod") == ["gpu.example.com/gpu=gpu-0"]
        api.delete("Pod", "pod")
        api.settle()
        assert (driver.prepared, driver.unprepared) == ([], [claim])
        assert api.list("Pod", namespace="default") == []
    assert (folder / "k" / "node" / FILE).read_bytes() == b"[]"


def test_a_claim_is_unprepared_whose_pod_went_while_no_kubelet_ran(folder: Path, claim: str) -> None:
    with serving(folder, "namespace") as api:
        api.delete("Pod", "pod", options=NOW)
    with serving(folder) as api, PythonDriver(api.node()) as driver:
        assert driver.released.wait(30)
        assert driver.unprepared == [claim]


def test_a_checkpoint_that_cannot_be_read_is_told_of_and_forgotten(
    folder: Path, claim: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / "k" / "node" / FILE
    path.write_bytes(path.read_bytes()[:-5])
    with caplog.at_level(logging.WARNING), serving(folder) as api:
        api.settle()
        assert api.node().cdi_devices("default", "pod") == []
    assert "the kubelet forgets prepared claims" in caplog.text


def test_a_checkpoint_that_is_too_long_is_forgotten(
    folder: Path, claim: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.controllers.kubelet.checkpoint.FILE_BYTES_MAX", 10)
    with caplog.at_level(logging.WARNING), serving(folder) as api:
        api.settle()
        assert api.node().cdi_devices("default", "pod") == []
    assert "longer than 10 bytes" in caplog.text
