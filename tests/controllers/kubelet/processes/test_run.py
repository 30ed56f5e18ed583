"""The kubelet runs the containers of images from `--run` as processes, from the start of a pod to its end."""

import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from fakeapi import FakeAPI
from fakeapi.testing.server import StartError
from tests.controllers.kubelet.processes import client_program, webhook_program
from tests.controllers.kubelet.processes.process_states import running
from tests.controllers.kubelet.processes.programs import PYTHON, await_true, output, pod, script, write
from tests.interop.processes import free_port

pytestmark = pytest.mark.usefixtures("isolates")  # the programs write to paths of their container


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    path.mkdir()
    return path


@pytest.fixture
def api(image: Path) -> Iterator[FakeAPI]:
    with FakeAPI(run=[f"example.com/driver={image}"]) as api:
        yield api


def test_a_pod_sees_its_volumes_its_fields_and_its_account(api: FakeAPI, image: Path) -> None:
    script(
        image,
        write(
            'cd /data; cat map/a.conf secret/deep/key labels; echo "$NODE"; '
            "cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; "
            "test -s /var/run/secrets/kubernetes.io/serviceaccount/token && echo; echo token"
        ),
    )
    api.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a.conf": "map\n"}}
    )
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s"},
        "stringData": {"k": "secret\n"},
    }
    api.create(secret)
    sources = [
        {"secret": {"name": "s", "items": [{"key": "k", "path": "secret/deep/key"}]}},
        {"configMap": {"name": "m", "items": [{"key": "a.conf", "path": "map/a.conf"}]}},
        {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    ]
    node = {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    body = pod(
        volumes=[{"name": "data", "projected": {"sources": sources}}],
        mounts=[{"name": "data", "mountPath": "/data"}],
        metadata={"labels": {"app": "x"}},
    )
    body["spec"]["containers"][0]["env"] = [node]
    api.create(body)
    assert output(api) == 'map\nsecret\napp="x"node\ndefault\ntoken\n'


def test_a_missing_limit_is_the_allocatable_resource_of_the_node(api: FakeAPI, image: Path) -> None:
    script(image, write("cat /data/cpu"))
    item = {"path": "cpu", "resourceFieldRef": {"containerName": "driver", "resource": "limits.cpu"}}
    volume = {"name": "data", "downwardAPI": {"items": [item]}}
    api.create(pod(volumes=[volume], mounts=[{"name": "data", "mountPath": "/data"}]))
    assert output(api) == api.get("Node", "node")["status"]["allocatable"]["cpu"]


@pytest.mark.parametrize("tls", [False, True])
def test_a_program_reaches_the_server_with_its_token_as_client_go_does(image: Path, *, tls: bool) -> None:
    shutil.copy(client_program.__file__, image / "client.py")
    script(image, write(f"{PYTHON} /client.py"))
    with FakeAPI(run=[f"*/driver={image}"], tls=tls) as api:
        api.create(pod())
        assert output(api) == "system:serviceaccount:default:default\n"


def test_a_deleted_pod_ends_its_process_after_sigterm(api: FakeAPI, image: Path) -> None:
    script(image, f"trap 'exit 0' TERM; {write('echo started')} 98761 & wait")
    api.create(pod())
    output(api)
    await_true(lambda: running("98761"))
    api.request("DELETE", "/api/v1/namespaces/default/pods/driver")
    await_true(lambda: not running("98761"))


def test_a_stopped_server_leaves_no_process(image: Path) -> None:
    script(image, f"{write('echo started')} 98762")
    with FakeAPI(run=[f"example.com/driver={image}"]) as api:
        api.create(pod())
        output(api)
        directory = api.node().directory
        await_true(lambda: running("98762"))
    assert not running("98762")
    assert not directory.exists()


def test_a_program_that_fails_is_restarted(api: FakeAPI, image: Path) -> None:
    script(image, "echo failed > /dev/termination-log; exit 7")
    api.create(pod())

    def restarted() -> Any:
        status = api.request("GET", "/api/v1/namespaces/default/pods/driver")["status"]
        return next((each for each in status.get("containerStatuses", ()) if each["restartCount"]), None)

    last = await_true(restarted)["lastState"]["terminated"]
    assert (last["exitCode"], last["reason"], last["message"]) == (7, "Error", "failed\n")


def test_a_missing_config_map_keeps_the_container_waiting(api: FakeAPI, image: Path) -> None:
    script(image, write("cat /data/a"))
    volume = {"name": "data", "configMap": {"name": "late"}}
    api.create(pod(volumes=[volume], mounts=[{"name": "data", "mountPath": "/data"}]))

    def waiting() -> str:
        status = api.request("GET", "/api/v1/namespaces/default/pods/driver")["status"]
        states = [each["state"].get("waiting", {}) for each in status.get("containerStatuses", ())]
        return next((state["message"] for state in states if "message" in state), "")

    assert 'MountVolume.SetUp failed for volume "data"' in await_true(waiting)


def test_a_webhook_of_a_service_is_called_at_the_process_behind_it(api: FakeAPI, image: Path) -> None:
    authority = trustme.CA()
    leaf = authority.issue_cert("hook.default.svc")
    leaf.private_key_and_cert_chain_pem.write_to_path(image / "pair.pem")
    shutil.copy(webhook_program.__file__, image / "hook.py")
    port = free_port()
    script(image, f"exec {PYTHON} /hook.py {port} /pair.pem /var/lib/kubelet/shared/out")
    container = {"ports": [{"name": "hook", "containerPort": port}]}
    api.create(pod(container=container, metadata={"labels": {"app": "hook"}}))
    spec = {"selector": {"app": "hook"}, "ports": [{"port": 443, "targetPort": "hook"}]}
    api.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook"}, "spec": spec})
    output(api)
    client = {
        "service": {"namespace": "default", "name": "hook"},
        "caBundle": b64encode(authority.cert_pem.bytes()).decode(),
    }
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}
    hook = {
        "name": "a.example.com",
        "clientConfig": client,
        "rules": [rule],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    api.create(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "hook"},
            "webhooks": [hook],
        }
    )
    with pytest.raises(Exception, match="no such luck"):
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}})


def test_an_image_is_added_to_a_running_server(image: Path) -> None:
    script(image, write("echo ran"))
    with FakeAPI() as api:
        api.run_image("example.com/*", image)
        api.create(pod())
        assert output(api) == "ran\n"
        with pytest.raises(ValueError, match="does not exist"):
            api.run_image("x", image / "nothing")


def test_the_directory_of_nodes_can_be_a_relative_path(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(image, write("echo ran"))
    monkeypatch.chdir(tmp_path)
    with FakeAPI(run=[f"example.com/driver={image}"], kubelet_directory="k") as api:
        api.create(pod())
        assert output(api) == "ran\n"


def test_options_that_cannot_work_are_refused(image: Path) -> None:
    for options, problem in (
        ({"run": ["x"]}, "run: 'x' is not of the form IMAGE=DIR"),
        ({"run": ["x=/nothing/here"]}, "^run: x: /nothing/here does not exist"),
        ({"run": ["x=/dev/null"]}, "is not a directory or a file"),
        ({"run": [f"x={image}"], "controllers": ["scheduler"]}, "needs the controller kubelet"),
    ):
        with pytest.raises((ValueError, StartError), match=problem):
            FakeAPI(**options).start()  # type: ignore[arg-type]
