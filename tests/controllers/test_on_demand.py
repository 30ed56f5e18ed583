"""Controllers of workloads start when the first object of their kind is stored."""

import subprocess
import sys
from pathlib import Path

from fakeapi import FakeAPI
from tests.controllers.workloads.objects import pods, workload


def test_without_deployments_the_code_of_their_controller_is_not_imported() -> None:
    code = (
        "import sys; from fakeapi import FakeAPI\n"
        "with FakeAPI(controllers='deployment,replicaset') as api:\n"
        "    api.settle(); print('fakeapi.controllers.deployment.controller' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_objects_of_an_earlier_run_start_their_controller(tmp_path: Path) -> None:
    with FakeAPI(database=tmp_path / "state.db") as api:
        api.create(workload("ReplicaSet", replicas=1))
    with FakeAPI(database=tmp_path / "state.db", controllers="replicaset") as api:
        assert len(pods(api)) == 1


def test_controllers_start_again_after_a_reset() -> None:
    with FakeAPI(controllers="replicaset") as api:
        for _ in range(3):
            api.create(workload("ReplicaSet", replicas=1))
            assert len(pods(api)) == 1
            api.reset()
            assert pods(api) == []
