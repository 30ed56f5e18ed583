"""Servers with nodes and DRA drivers leave no descriptors, threads or directories behind when they stop."""

import gc
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")
pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi import FakeAPI
from tests.controllers.kubelet.python_driver import PythonDriver, create_pod, create_template, publish

DESCRIPTORS = Path("/proc/self/fd")
ROOT = Path(__file__).parents[3]


def story() -> None:
    """Runs and deletes a pod; then stops the DRA driver and the server while other pods are waiting."""
    with FakeAPI(release="1.37", controllers="all") as api:
        api.settle()
        publish(api, "v1", devices=1)
        create_template(api, "v1")
        with PythonDriver(api.node()) as driver:
            assert driver.registered.wait(10)
            create_pod(api)
            api.settle()
            assert api.get("Pod", "pod")["status"]["phase"] == "Running"
            create_pod(api, "waiting")
            api.delete("Pod", "pod")
            api.settle()
            create_pod(api, "other")


def counts() -> tuple[int, int, int]:
    gc.collect()
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(5)  # a thread of gRPC may still be about to end
    descriptors = sum(1 for _ in DESCRIPTORS.iterdir())
    directories = sum(1 for _ in Path(tempfile.gettempdir()).glob("k*"))
    return descriptors, threading.active_count(), directories


def main() -> None:
    """Prints the numbers of descriptors, threads and directories after two and after six calls of `story`."""
    with tempfile.TemporaryDirectory() as short:  # a socket's path must be short
        tempfile.tempdir = short
        for stories in (2, 4):
            for _ in range(stories):
                story()
            sys.stdout.write("{} {} {}\n".format(*counts()))


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="the system does not tell open files")
def test_nothing_is_left_of_servers_that_have_stopped() -> None:
    # Threads of other tests could start or end during the count, so a new process counts.
    code = f"from {__name__} import main; main()"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    before, after = ([int(count) for count in line.split()] for line in done.stdout.splitlines())
    assert len(after) == 3
    assert all(now <= earlier for now, earlier in zip(after, before, strict=True)), (before, after)
