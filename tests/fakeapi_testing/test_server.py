"""A FakeAPI object runs a server and is also its client."""

import http.client
import json
import os
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fakeapi import FakeAPI, __version__
from fakeapi.testing.server import StartError, StatusError

Factory = Callable[..., FakeAPI]
CLAIM = """
apiVersion: resource.k8s.io/v1alpha3
kind: ResourceClaim
metadata:
  name: gpu
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
"""
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}


def names(objects: list[dict[str, Any]]) -> list[str]:
    return [obj["metadata"]["name"] for obj in objects]


def test_objects_are_created_from_dicts_and_text_and_files(fakeapi: FakeAPI, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(f"{CLAIM.replace('gpu', 'one')}---\n{CLAIM.replace('gpu', 'two')}")
    assert fakeapi.create(NAMESPACE)["metadata"]["name"] == "team"
    assert fakeapi.create(CLAIM)["metadata"]["namespace"] == "default"
    assert names(fakeapi.create_all(manifest)) == ["one", "two"]
    assert (
        fakeapi.create(json.dumps(yaml.safe_load(CLAIM)), namespace="team")["metadata"]["namespace"] == "team"
    )
    assert names(fakeapi.list("ResourceClaim", namespace="default")) == ["gpu", "one", "two"]
    assert len(fakeapi.list("resourceclaims")) == 4


def test_a_list_is_created_item_by_item(fakeapi: FakeAPI) -> None:
    items = [NAMESPACE, {**NAMESPACE, "metadata": {"name": "other"}}]
    assert names(fakeapi.create_all({"apiVersion": "v1", "kind": "List", "items": items})) == [
        "team",
        "other",
    ]


def test_an_invalid_manifest_or_an_unknown_kind_raises_value_error(fakeapi: FakeAPI) -> None:
    with pytest.raises(ValueError, match="one object is expected, not 2"):
        fakeapi.create([NAMESPACE, NAMESPACE])
    with pytest.raises(ValueError, match="not a Kubernetes object"):
        fakeapi.create("just: text")
    with pytest.raises(ValueError, match="not YAML"):
        fakeapi.create("a: [")
    with pytest.raises(ValueError, match="the server has no kind 'Unicorn'"):
        fakeapi.list("Unicorn")


def test_objects_are_read_changed_and_deleted(fakeapi: FakeAPI) -> None:
    claim = fakeapi.create(CLAIM)
    claim["metadata"]["labels"] = {"tier": "gold"}
    claim = fakeapi.update(claim)
    claim["status"] = {"reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]}
    claim["status"]["allocation"] = {}
    assert fakeapi.update_status(claim)["status"]["reservedFor"][0]["name"] == "p"
    assert names(fakeapi.list("ResourceClaim", label_selector="tier=gold")) == ["gpu"]
    assert fakeapi.list("ResourceClaim", field_selector="metadata.name!=gpu") == []
    patched = fakeapi.patch("ResourceClaim", "gpu", {"metadata": {"labels": {"tier": None}}})
    assert "labels" not in patched["metadata"]
    fakeapi.patch("ResourceClaim", "gpu", {"status": {"reservedFor": None}}, subresource="status")
    assert fakeapi.delete("ResourceClaim", "gpu")["metadata"]["name"] == "gpu"
    with pytest.raises(StatusError) as refused:
        fakeapi.get("ResourceClaim", "gpu")
    assert (refused.value.code, refused.value.reason) == (404, "NotFound")
    assert refused.value.message == 'resourceclaims.resource.k8s.io "gpu" not found'
    assert refused.value.status["kind"] == "Status"


def test_an_empty_name_is_refused_because_its_path_would_be_the_collection(fakeapi: FakeAPI) -> None:
    with pytest.raises(ValueError, match="the name of the ResourceClaim is empty"):
        fakeapi.delete("ResourceClaim", "")


def test_an_error_prints_its_reason_where_it_has_one() -> None:
    status = {"reason": "Conflict", "message": "m"}
    assert str(StatusError(409, status)) == "409 Conflict: m"
    assert str(StatusError(502, {}, "bad gateway")) == "502: bad gateway"


def test_v1alpha2_and_v1alpha3_are_served_by_default(fakeapi: FakeAPI) -> None:
    for version in ("resource.k8s.io/v1alpha2", "resource.k8s.io/v1alpha3"):
        assert fakeapi.list("ResourceClaim", api_version=version) == []


def test_many_threads_share_one_client(fakeapi: FakeAPI) -> None:
    def work(number: int) -> None:
        for each in range(5):
            fakeapi.create_namespace(f"n-{number}-{each}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([name for name in names(fakeapi.list("Namespace")) if name.startswith("n-")]) == 40


def test_reset_leaves_a_new_cluster_and_the_same_address(fakeapi: FakeAPI) -> None:
    url = fakeapi.url
    fakeapi.create_namespace("team")
    fakeapi.reset()
    assert names(fakeapi.list("Namespace")) == ["default", "kube-node-lease", "kube-public", "kube-system"]
    assert fakeapi.url == url


def test_reset_ends_watches(fakeapi: FakeAPI) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", fakeapi.port, timeout=10)
    connection.request("GET", "/api/v1/namespaces?watch=true")
    response = connection.getresponse()
    assert json.loads(response.readline())["type"] == "ADDED"
    fakeapi.reset()
    response.read()
    connection.close()


def test_a_kubeconfig_has_the_url_of_the_server(fakeapi: FakeAPI) -> None:
    config = yaml.safe_load(fakeapi.kubeconfig.read_text())
    assert config["clusters"][0]["cluster"] == {"server": fakeapi.url, "insecure-skip-tls-verify": True}
    assert config["current-context"] == config["contexts"][0]["name"]
    assert stat.S_IMODE(fakeapi.kubeconfig.stat().st_mode) == 0o600


def test_a_kubeconfig_carries_the_ca_and_the_token() -> None:
    with FakeAPI(tls=True, token='quo"te', advertise_url="https://fake.example:6443") as api:
        assert api.url.startswith("https://127.0.0.1:")
        assert names(api.list("Namespace"))[0] == "default"
        config = yaml.safe_load(api.kubeconfig.read_text())
        assert config["clusters"][0]["cluster"]["server"] == "https://fake.example:6443"
        assert config["users"][0]["user"] == {"token": 'quo"te'}
        ca_file = api.ca_file
        assert ca_file is not None
        ssl.create_default_context(cafile=ca_file)
    assert not ca_file.exists()


def test_a_kubeconfig_for_tls_has_a_token_so_that_kubectl_does_not_prompt(fakeapi_factory: Factory) -> None:
    api = fakeapi_factory(tls=True)
    config = yaml.safe_load(api.kubeconfig.read_text())
    assert config["users"][0]["user"] == {"token": "anybody"}
    assert api.ca_file is not None
    trust = ssl.create_default_context(cafile=api.ca_file)
    connection = http.client.HTTPSConnection("127.0.0.1", api.port, timeout=10, context=trust)
    connection.request("GET", "/api/v1/namespaces", headers={"Authorization": "Bearer anybody"})
    assert connection.getresponse().status == 200
    connection.close()


def test_a_client_without_the_token_gets_401() -> None:
    with FakeAPI(token="right") as api:
        connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=10)
        connection.request("GET", "/api/v1/namespaces", headers={"Authorization": "Bearer wrong"})
        assert connection.getresponse().status == 401
        connection.close()


def test_a_kept_ca_is_the_same_after_a_restart(tmp_path: Path) -> None:
    authorities = []
    for _ in range(2):
        with FakeAPI(tls=True, tls_directory=tmp_path / "tls") as api:
            assert api.ca_file is not None
            authorities.append(api.ca_file.read_bytes())
    assert authorities[0] == authorities[1]
    assert stat.S_IMODE((tmp_path / "tls" / "ca-key.pem").stat().st_mode) == 0o600


def test_an_invalid_ca_raises_start_error(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("not a certificate")
    (tmp_path / "ca-key.pem").write_text("not a key")
    with pytest.raises(StartError, match="cannot create certificates"):
        FakeAPI(tls=True, tls_directory=tmp_path).start()


def test_a_database_keeps_objects_after_a_restart(tmp_path: Path) -> None:
    with FakeAPI(database=tmp_path / "state.db") as api:
        version = int(api.create_namespace("kept")["metadata"]["resourceVersion"])
    with FakeAPI(database=tmp_path / "state.db") as api:
        assert "kept" in names(api.list("Namespace"))
        assert int(api.create_namespace("later")["metadata"]["resourceVersion"]) > version


def test_a_short_history_makes_old_versions_expire(fakeapi_factory: Factory) -> None:
    api = fakeapi_factory(history=2)
    old = api.request("GET", "/api/v1/namespaces")["metadata"]["resourceVersion"]
    for number in range(5):
        api.create_namespace(f"n-{number}")
    with pytest.raises(StatusError) as expired:
        api.request(
            "GET", "/api/v1/namespaces", query={"resourceVersion": old, "resourceVersionMatch": "Exact"}
        )
    assert (expired.value.code, expired.value.reason) == (410, "Expired")


def test_a_stopped_server_can_be_started_again() -> None:
    api = FakeAPI()
    for _ in range(2):
        api.start()
        api.create_namespace("team")
        api.stop()
        api.stop()
    assert not api.running
    with pytest.raises(RuntimeError, match="not running"):
        _ = api.url
    with api, pytest.raises(RuntimeError, match="running already"):
        api.start()


def test_an_unknown_release_or_gate_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"9\.99.*1\.27.*1\.33"):
        FakeAPI(release="9.99").start()
    with pytest.raises(ValueError, match=r"NoSuchGate(?s:.*)DRAAdminAccess"):
        FakeAPI(feature_gates={"NoSuchGate": True}).start()


def test_an_unusable_port_file_or_database_raises_start_error(tmp_path: Path) -> None:
    (tmp_path / "not.db").write_text("this is not a database, and longer than a header would be" * 20)
    with FakeAPI() as api, pytest.raises(StartError, match=f"cannot listen on 127.0.0.1 port {api.port}: "):
        FakeAPI(port=api.port).start()
    with pytest.raises(StartError, match=r"^cannot write the kubeconfig .*: No such file or directory$"):
        FakeAPI(kubeconfig=tmp_path / "no" / "such" / "config").start()
    with pytest.raises(StartError, match=r"not\.db"):
        FakeAPI(database=tmp_path / "not.db").start()


def test_a_failed_start_ends_its_thread(tmp_path: Path) -> None:
    """A failed start ends its thread.

    In an earlier version, the thread outlived its event loop and sometimes printed a traceback.
    """
    (tmp_path / "not.db").write_text("this is not a database, and longer than a header would be" * 20)
    (tmp_path / "directory").mkdir()
    before = set(threading.enumerate())
    for name in ("not.db", "directory", "no/such/directory.db"):
        with pytest.raises(StartError):
            FakeAPI(database=tmp_path / name).start()
        assert set(threading.enumerate()) <= before


def test_a_running_server_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    program = (
        "from fakeapi import FakeAPI; api = FakeAPI(tls=True).start(); print(api.kubeconfig, api.ca_file)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True, text=True, timeout=60, env=environment, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_methods_in_a_fork_raise_that_the_server_runs_in_the_parent_process() -> None:
    program = """
import os
from fakeapi import FakeAPI

api = FakeAPI().start()
child = os.fork()
if not child:
    for call in (api.reset, api.renewed, api.stop_recording):
        try:
            call()
        except RuntimeError as error:
            assert "runs in the parent process" in str(error), error
        else:
            os._exit(1)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
api.reset()
api.stop()
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:.*fork:DeprecationWarning", "-c", program],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_shares_no_connections_and_leaves_the_server_running() -> None:
    program = """
import os, sys
from fakeapi import FakeAPI

api = FakeAPI(tls=True).start()
config, _ = api.kubeconfig, api.list("Namespace")
child = os.fork()
names = ["default", "kube-system"] if child else ["kube-public", "kube-node-lease"]
answers = [api.get("Namespace", name)["metadata"]["name"] for _ in range(50) for name in names]
assert answers == names * 50, answers
if not child:
    sys.exit(0)  # which runs what was registered to be run at the end
assert os.waitpid(child, 0)[1] == 0
assert config.exists()
assert api.list("Namespace")
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:.*fork:DeprecationWarning", "-c", program],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_package_imports_no_libraries() -> None:
    program = "import sys, fakeapi; print(fakeapi.__version__, *sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert loaded[0] == __version__
    assert {"starlette", "sqlalchemy", "hypercorn", "yaml", "click", "msgspec", "asyncio"}.isdisjoint(loaded)


def test_the_path_of_a_manifest_can_be_text(fakeapi: FakeAPI, tmp_path: Path) -> None:
    file = tmp_path / "team.yaml"
    file.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: team}}", encoding="utf-8")
    assert fakeapi.create(str(file))["metadata"]["name"] == "team"
    with pytest.raises(FileNotFoundError, match=r"claim\.yaml"):
        fakeapi.create("claim.yaml")


def test_the_repr_of_a_server_shows_its_release_and_url() -> None:
    api = FakeAPI(release="1.34")
    assert repr(api) == "<FakeAPI 1.34, not running>"
    with api:
        assert repr(api) == f"<FakeAPI 1.34, {api.url}>"


def test_the_repr_of_requests_shows_their_number_and_of_faults_their_names(fakeapi: FakeAPI) -> None:
    assert repr(fakeapi.faults) == "<Faults: nothing armed>"
    fakeapi.faults.conflict("resourceclaims")
    assert repr(fakeapi.faults) == "<Faults: conflict>"
    assert repr(fakeapi.requests).startswith("<Requests: ")
