"""Python, the control API and the command line explain a pod."""

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli import kubectl_explain
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError
from tests.explaining.manifests import node, pod, request


@pytest.fixture(scope="module")
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.34", controllers="scheduler,resourceclaim") as server:
        node(server, "a")
        pod(server, "train", "gpu", namespace="default")
        server.settle()
        yield server


def test_a_missing_claim_is_the_reason_of_a_waiting_pod(api: FakeAPI) -> None:
    why = api.explain("pod", "train")
    assert (why.version, why.release, why.verdict) == (1, "1.34", "pending")
    assert why.summary == "ResourceClaim default/gpu does not exist"
    assert why.text.splitlines()[0] == "pod default/train pending: ResourceClaim default/gpu does not exist"
    assert why.reasons[0].path == "spec.resourceClaims[0].resourceClaimName"


def test_the_control_api_answers_with_the_same_json(api: FakeAPI) -> None:
    with ControlClient(api.url) as client:
        assert client.get("/explain/pods/default/train") == json.loads(api.explain("pod", "train").json)


def test_the_control_api_refuses_a_resource_that_it_cannot_explain(api: FakeAPI) -> None:
    with ControlClient(api.url) as client, pytest.raises(ControlError, match="'leases' cannot be explained"):
        client.get("/explain/leases/default/train")


def test_the_command_prints_the_text_of_a_running_server(api: FakeAPI) -> None:
    result = CliRunner().invoke(main, ["explain", "pod", "default/train", "--server", api.url])
    assert (result.exit_code, result.output) == (0, api.explain("pod", "train").text)


def test_the_command_reads_any_cluster_of_a_kubeconfig(api: FakeAPI) -> None:
    arguments = ["explain", "pod", "train", "--kubeconfig", str(api.kubeconfig), "--output", "json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output) == json.loads(api.explain("pod", "train").json)


def test_a_cluster_is_explained_by_get_requests_without_a_secret(api: FakeAPI) -> None:
    before = len(api.requests)
    CliRunner().invoke(main, ["explain", "pod", "train", "--kubeconfig", str(api.kubeconfig)])
    sent = [one for one in [*api.requests][before:] if one.agent == "fakeapi-explain"]
    assert {one.method for one in sent} == {"GET"}
    assert {one.resource for one in sent} - {""} == {
        "pods",
        "nodes",
        "namespaces",
        "events",
        "persistentvolumeclaims",
        "resourceclaims",
        "resourceclaimtemplates",
        "deviceclasses",
        "devicetaintrules",
        "resourceslices",
    }


def test_the_command_exits_with_1_for_an_object_that_does_not_exist(api: FakeAPI) -> None:
    result = CliRunner().invoke(main, ["explain", "pod", "other/train", "--server", api.url])
    assert result.exit_code == 1
    assert result.output == (
        "pod other/train missing: it does not exist; this name exists in namespace default\n\n"
        "  namespace other does not exist\n"
        "  did you mean default/train?\n"
    )


@pytest.mark.parametrize(
    ("kind", "name", "hint"),
    [
        ("pod", "tran", "did you mean train?"),
        ("pod", "TRAIN", "did you mean train?"),
        ("claim", "train", "pod default/train exists"),
        ("claim", "train", "claims of the pod: gpu"),
    ],
)
def test_a_missing_name_says_what_was_probably_meant(api: FakeAPI, kind: str, name: str, hint: str) -> None:
    assert hint in api.explain(kind, name).details


def test_the_kubectl_plugin_reads_the_kubeconfig_of_kubectl(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig))
    monkeypatch.setattr("sys.argv", ["kubectl-dra_explain", "pod", "train"])
    with pytest.raises(SystemExit) as end:
        kubectl_explain.main()
    assert end.value.code == 0
    assert capsys.readouterr().out == api.explain("pod", "train").text


def test_feature_gates_need_a_kubeconfig(api: FakeAPI) -> None:
    arguments = ["explain", "pod", "train", "--server", api.url, "--feature-gates", "A=true"]
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, "--feature-gates needs --kubeconfig" in result.output) == (2, True)


def test_fields_of_a_feature_gate_that_is_off_are_noted(api: FakeAPI) -> None:
    spec = {"devices": {"requests": [request(capacity={"requests": {"memory": "1Gi"}})]}}
    applied = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": spec}
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(applied)}
    api.create({**applied, "metadata": {"name": "shared", "annotations": annotations}})
    pod(api, "sharing", "shared")
    api.settle()
    (note,) = api.explain("pod", "sharing").notes
    fields = "claim default/shared lacks applied fields: spec.devices.requests[0].exactly.capacity"
    assert note == f"{fields}; the server dropped them, as it does while a feature gate is off"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pod", "default/"], "NAME must be [NAMESPACE/]NAME, not 'default/'"),
        (["claim", "default/", "-o", "json"], "NAME must be [NAMESPACE/]NAME, not 'default/'"),
        (["pod", "/"], "NAME must be [NAMESPACE/]NAME, not '/'"),
        (["pod", "/train"], "NAME must be [NAMESPACE/]NAME, not '/train'"),
        (["pod", "default/train/x"], "NAME must be [NAMESPACE/]NAME, not 'default/train/x'"),
        (["pod/"], "NAME must be [NAMESPACE/]NAME, not ''"),
        (["pod", "train", "-n", ""], "--namespace must not be empty"),
        (["pod", "other/train", "-n", "default"], "'other/train' is not in the namespace 'default'"),
        (["class", "a/"], "'a/' is not the NAME of a DeviceClass, which has no namespace"),
        (["class", "foo/large"], "'foo/large' is not the NAME of a DeviceClass, which has no namespace"),
        (["node", "a", "-n", "other"], "--namespace: a node has no namespace"),
        (["train"], "name a kind before 'train'; the kinds are pod, claim"),
    ],
)
def test_invalid_arguments_are_usage_errors(api: FakeAPI, arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["explain", *arguments, "--server", api.url])
    assert (result.exit_code, message in " ".join(result.output.split())) == (2, True), result.output


@pytest.mark.parametrize("arguments", [["pod/train"], ["pods", "train"], ["po/train", "-n", "default"]])
def test_the_object_may_be_written_as_for_kubectl(api: FakeAPI, arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["explain", *arguments, "--server", api.url])
    assert (result.exit_code, result.output) == (0, api.explain("pod", "train").text)


def test_a_malformed_name_raises_value_error(api: FakeAPI) -> None:
    with pytest.raises(ValueError, match="NAME must be"):
        api.explain("pod", "default/")
