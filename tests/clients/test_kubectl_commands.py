"""Less common kubectl commands work with the same flags as in a real cluster."""

import json
from base64 import b64encode
from collections.abc import Iterator

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

DRA = "resource.k8s.io/v1beta1"
DEVICES = {"requests": [{"name": "gpu", "deviceClassName": "gpu"}]}
SLICE = {"driver": "d.example.com", "nodeName": "n1", "devices": [{"name": "gpu-0", "basic": {}}]}
OBJECTS = (
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},
    {"apiVersion": DRA, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
    {"apiVersion": DRA, "kind": "ResourceClaim", "metadata": {"name": "c"}, "spec": {"devices": DEVICES}},
    {
        "apiVersion": DRA,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t"},
        "spec": {"spec": {"devices": DEVICES}},
    },
    {
        "apiVersion": DRA,
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {**SLICE, "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}},
    },
)


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with FakeAPI(release="1.33") as api:
        for obj in OBJECTS:
            api.create(obj)
        yield Kubectl(api, "1.33", tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("node/n1", "Unschedulable:      false"),
        ("resourceclaim/c", "Device Class Name:  gpu"),
        ("resourceclaimtemplate/t", "Device Class Name:  gpu"),
        ("deviceclass/gpu", "Kind:         DeviceClass"),
        ("resourceslice/s", "Resource Slice Count:  1"),
        ("service/kubernetes", "TargetPort:               6443/TCP"),
        ("namespace/default", "No resource quota."),
        ("clusterrole/system:aggregate-to-view", "persistentvolumeclaims"),
        ("priorityclass/system-node-critical", "Value:             2000001000"),
        ("flowschema/exempt", "Kind:         FlowSchema"),
    ],
)
def test_it_describes_what_is_there(kubectl: Kubectl, name: str, line: str) -> None:
    assert line in kubectl.run("describe", name)


@pytest.mark.timeout(240)  # one call of kubectl for each of about seventy kinds
def test_it_explains_every_kind_with_all_of_its_fields(kubectl: Kubectl) -> None:
    lines = kubectl.run("api-resources", "--no-headers").splitlines()
    kinds = {(words[0], words[-3]) for words in map(str.split, lines)}
    assert len(kinds) > 60
    for name, version in sorted(kinds):
        text = kubectl.run("explain", name, f"--api-version={version}", "--recursive")
        assert text.startswith(("KIND:", "GROUP:")), name


def test_it_explains_a_field_with_all_below_it(kubectl: Kubectl) -> None:
    text = kubectl.run("explain", "pod.spec", "--recursive")
    assert "  containers\t<[]Container> -required-" in text
    assert "      exec\t<ExecAction>" in text
    assert text.count("\n") > 1000
    assert 'field "nope" does not exist' in kubectl.run("explain", "pod.nope", code=1)


def test_it_cordons_taints_labels_and_annotates_a_node(kubectl: Kubectl) -> None:
    assert "node/n1 cordoned" in kubectl.run("cordon", "n1")
    assert "SchedulingDisabled" in kubectl.run("get", "node", "n1")
    assert "node/n1 uncordoned" in kubectl.run("uncordon", "n1")
    assert "node/n1 tainted" in kubectl.run("taint", "node", "n1", "gpu=yes:NoSchedule")
    assert "gpu=yes:NoSchedule" in kubectl.run("describe", "node", "n1")
    assert "node/n1 untainted" in kubectl.run("taint", "node", "n1", "gpu-")
    assert "node/n1 labeled" in kubectl.run("label", "node", "n1", "zone=a")
    assert "node/n1 unlabeled" in kubectl.run("label", "node", "n1", "zone-")
    assert "node/n1 annotated" in kubectl.run("annotate", "node", "n1", "note=x")


@pytest.mark.parametrize(
    ("how", "patch"),
    [
        ("merge", {"metadata": {"labels": {"merge": "a"}}}),
        ("strategic", {"metadata": {"labels": {"strategic": "a"}}}),
        ("json", [{"op": "add", "path": "/metadata/labels", "value": {"json": "a"}}]),
    ],
)
def test_it_patches_in_every_way(kubectl: Kubectl, how: str, patch: object) -> None:
    text = kubectl.run("patch", "resourceclaim", "c", f"--type={how}", "-p", json.dumps(patch))
    assert "resourceclaim.resource.k8s.io/c patched" in text
    assert f"{how}=a" in kubectl.run("get", "resourceclaim", "c", "--show-labels")


def test_it_shows_what_an_apply_would_change(kubectl: Kubectl) -> None:
    path = kubectl.home / "map.yaml"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}}
    path.write_text(yaml.safe_dump(body))
    assert "+  a: b" in kubectl.run("diff", "-f", str(path), code=1)
    kubectl.run("apply", "-f", str(path))
    assert kubectl.run("diff", "-f", str(path)) == ""
    path.write_text(yaml.safe_dump({**body, "data": {"a": "c"}}))
    for more in ((), ("--server-side", "--force-conflicts")):
        text = kubectl.run("diff", "-f", str(path), *more, code=1)
        assert "-  a: b" in text
        assert "+  a: c" in text


def test_it_changes_the_template_of_a_deployment(kubectl: Kubectl) -> None:
    kubectl.run("create", "deployment", "web", "--image=example.com/web")
    kubectl.run("set", "image", "deployment/web", "web=example.com/web:2")
    kubectl.run("set", "env", "deployment/web", "A=b")
    kubectl.run("set", "resources", "deployment/web", "--limits=cpu=1")
    kubectl.run("set", "serviceaccount", "deployment/web", "robot")
    decoded = json.loads(kubectl.run("get", "deployment", "web", "-o", "json"))["spec"]["template"]["spec"]
    container = decoded["containers"][0]
    assert (container["image"], container["env"]) == ("example.com/web:2", [{"name": "A", "value": "b"}])
    assert container["resources"]["limits"] == {"cpu": "1"}
    assert decoded["serviceAccountName"] == "robot"
    assert "No rollout history found" in kubectl.run("rollout", "history", "deployment/web")
    assert "no rollout history found" in kubectl.run("rollout", "undo", "deployment/web", code=1)


def test_it_says_that_there_are_no_metrics(kubectl: Kubectl) -> None:
    for what in ("nodes", "pods"):
        assert kubectl.run("top", what, code=1) == "error: Metrics API not available\n"


def test_it_prints_events_of_an_object(kubectl: Kubectl) -> None:
    claim = kubectl.metadata("c")
    preferred = "resource.k8s.io/v1beta2"
    about = {
        "kind": "ResourceClaim",
        "apiVersion": preferred,
        "namespace": "default",
        "name": "c",
        "uid": claim["uid"],
    }
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "c.1"}, "reason": "Waiting"}
    kubectl.api.create({**event, "involvedObject": about, "message": "for a driver", "type": "Warning"})
    assert "for a driver" in kubectl.run("get", "events")
    assert "for a driver" in kubectl.run("events", "--for=resourceclaim/c")
    assert "for a driver" in kubectl.run("describe", "resourceclaim", "c")


def test_it_approves_a_certificate_request(kubectl: Kubectl) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bob")])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    pem = kubectl.home / "bob.csr"
    pem.write_bytes(request.public_bytes(serialization.Encoding.PEM))
    spec = {"signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]}
    manifest = kubectl.home / "bob.json"
    body = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    spec["request"] = b64encode(pem.read_bytes()).decode()
    manifest.write_text(json.dumps({**body, "metadata": {"name": "bob"}, "spec": spec}))
    kubectl.run("create", "-f", str(manifest))
    assert "Pending" in kubectl.run("get", "csr", "bob")
    kubectl.run("certificate", "approve", "bob")
    assert "Approved" in kubectl.run("get", "csr", "bob")
    assert "Common Name:    bob" in kubectl.run("describe", "csr", "bob")
    assert "already Approved" in kubectl.run("certificate", "deny", "bob", code=1)


@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        (("quota", "q", "--hard=pods=3"), "resourcequota/q"),
        (("role", "r", "--verb=get", "--resource=pods"), "role.rbac.authorization.k8s.io/r"),
        (("rolebinding", "rb", "--role=r", "--user=bob"), "rolebinding.rbac.authorization.k8s.io/rb"),
        (
            ("clusterrole", "cr", "--verb=get", "--non-resource-url=/x"),
            "clusterrole.rbac.authorization.k8s.io/cr",
        ),
        (("secret", "generic", "s", "--from-literal=a=b"), "secret/s"),
        (("secret", "docker-registry", "d", "--docker-username=a", "--docker-password=b"), "secret/d"),
        (("configmap", "cm", "--from-literal=a=b"), "configmap/cm"),
        (("priorityclass", "pc", "--value=3"), "priorityclass.scheduling.k8s.io/pc"),
        (("serviceaccount", "sa"), "serviceaccount/sa"),
        (
            ("poddisruptionbudget", "pdb", "--selector=a=b", "--min-available=1"),
            "poddisruptionbudget.policy/pdb",
        ),
    ],
)
def test_it_creates_by_name(kubectl: Kubectl, arguments: tuple[str, ...], made: str) -> None:
    assert kubectl.run("create", *arguments) == f"{made} created\n"
    assert kubectl.run("describe", made)
    assert "deleted" in kubectl.run("delete", made)
