"""A server imports some modules at its start, and other modules only on first use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys, urllib.request
from fakeapi import FakeAPI
with FakeAPI(release="1.33") as api:
    started = set(sys.modules)
    urllib.request.urlopen(api.url + "/apis/resource.k8s.io/v1beta1/resourceclaims").read()
    asked = set(sys.modules)
groups = {name for name in asked if name.startswith("fakeapi.kinds.")}
print(json.dumps([sorted(groups & started), sorted(groups), sorted(started)]))
"""


def test_a_server_imports_kinds_and_the_recorder_on_first_use() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, timeout=60)
    at_start, after_claims, started = (set(each) for each in json.loads(done.stdout))
    group = "fakeapi.kinds.resource"
    assert not {name for name in at_start if name.startswith(group)}
    assert group in after_claims
    shared = "fakeapi.kinds.common"
    others = {name for name in after_claims - at_start if not name.startswith((group, shared))}
    assert others == set()
    assert not {"fakeapi.traces.recording.recording", "yaml"} & started


def test_a_server_in_memory_starts_without_rarely_needed_libraries() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, timeout=60)
    _, _, started = (set(each) for each in json.loads(done.stdout))
    rarely_needed = {"sqlalchemy", "aiosqlite", "hypercorn", "h2", "wsproto", "starlette", "cryptography"}
    assert (
        not {*rarely_needed, "h11", "html", "difflib", "importlib.resources", "importlib.metadata"} & started
    )
    assert not {
        name for name in started if name.startswith(("fakeapi.registry.declared", "fakeapi.control."))
    }


def test_a_server_with_a_database_starts_without_sqlalchemy(tmp_path: Path) -> None:
    program = f"""
import sys
from fakeapi import FakeAPI
with FakeAPI(database={str(tmp_path / "state.db")!r}):
    print("aiosqlite" in sys.modules, "sqlalchemy" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, timeout=60, text=True
    )
    assert done.stdout.split() == ["True", "False"]


GARBAGE = """
import gc, json
frozen = {frozen}
if frozen: gc.freeze()
scans = []
gc.callbacks.append(lambda phase, info: scans.append(info["generation"]))
from fakeapi import FakeAPI
print(json.dumps([len(scans), gc.isenabled(), gc.get_freeze_count() > 0]))
"""


@pytest.mark.parametrize("frozen", [False, True])
def test_importing_leaves_the_garbage_collector_as_it_was(*, frozen: bool) -> None:
    program = GARBAGE.format(frozen=frozen)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    scans, enabled, is_frozen = json.loads(done.stdout)
    assert (enabled, is_frozen) == (True, frozen)
    assert scans <= 40, "the collector would scan the new modules a hundred times"
