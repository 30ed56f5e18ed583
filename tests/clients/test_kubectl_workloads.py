"""kubectl creates, scales, rolls out, autoscales and deletes workloads on a server without controllers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import Kubectl, needs_kubectl

RELEASES = ("1.31", "1.37")
IMAGE = "--image=example.com/app:1"

pytestmark = needs_kubectl


class Cluster(Kubectl):
    """Runs kubectl with one server, and has helpers for workloads."""

    def __init__(self, api: FakeAPI, home: Path) -> None:
        super().__init__(api, "1.33", home)

    def deployment(self, name: str, *arguments: str) -> str:
        self.run("create", "deployment", name, IMAGE, *arguments)
        return name

    def value(self, kind: str, name: str, path: str) -> str:
        return self.run("get", kind, name, "-o", f"jsonpath={{{path}}}")

    def manifest_of(self, body: dict[str, Any]) -> str:
        path = self.home / f"{body['kind']}-{body['metadata']['name']}.json".lower()
        path.write_text(json.dumps(body))
        return str(path)

    def revision(self, deployment: str, number: int, image: str) -> None:
        """Creates the ReplicaSet of a Deployment's revision, as the Deployment controller would.

        `number`: the number of the revision. `image`: the image of its containers.
        """
        owner = json.loads(self.run("get", "deployment", deployment, "-o", "json"))
        template = owner["spec"]["template"]
        template["metadata"]["labels"]["pod-template-hash"] = f"h{number}"
        template["spec"]["containers"][0]["image"] = image
        reference = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": deployment,
            "uid": owner["metadata"]["uid"],
            "controller": True,
        }
        labels = template["metadata"]["labels"]
        metadata = {
            "name": f"{deployment}-h{number}",
            "namespace": "default",
            "labels": labels,
            "annotations": {"deployment.kubernetes.io/revision": str(number)},
            "ownerReferences": [reference],
        }
        spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
        self.api.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec})


@pytest.fixture(scope="module", params=RELEASES)
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with FakeAPI(release=request.param) as api:
        yield Cluster(api, tmp_path_factory.mktemp("home"))


def test_it_creates_a_deployment_and_prints_it_in_every_width(kubectl: Cluster) -> None:
    kubectl.deployment("shown", "--replicas=2", "--port=80")
    narrow, wide = (
        kubectl.run("get", "deployment", "shown", *more).splitlines() for more in ((), ("-o", "wide"))
    )
    assert narrow[0].split() == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]
    assert narrow[1].split()[:4] == ["shown", "0/2", "0", "0"]
    assert wide[1].split()[5:] == ["app", "example.com/app:1", "app=shown"]
    described = kubectl.run("describe", "deployment", "shown")
    assert "StrategyType:           RollingUpdate" in described
    assert "RollingUpdateStrategy:  25% max unavailable, 25% max surge" in described


@pytest.mark.parametrize("kind", ["deployment", "replicaset", "statefulset", "replicationcontroller"])
def test_it_scales(kubectl: Cluster, kind: str) -> None:
    name = f"scaled-{kind}"
    labels = {"app": name}
    containers = [{"name": "app", "image": "example.com/app"}]
    selector = labels if kind == "replicationcontroller" else {"matchLabels": labels}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec: dict[str, Any] = {"replicas": 1, "selector": selector, "template": template}
    kinds = {
        "deployment": ("apps/v1", "Deployment"),
        "replicaset": ("apps/v1", "ReplicaSet"),
        "statefulset": ("apps/v1", "StatefulSet"),
        "replicationcontroller": ("v1", "ReplicationController"),
    }
    api_version, named = kinds[kind]
    body = {"apiVersion": api_version, "kind": named, "metadata": {"name": name}, "spec": spec}
    kubectl.run("create", "-f", kubectl.manifest_of(body))
    assert "scaled" in kubectl.run("scale", kind, name, "--replicas=3")
    assert kubectl.value(kind, name, ".spec.replicas") == "3"
    refused = kubectl.run("scale", kind, name, "--current-replicas=2", "--replicas=4", code=1)
    assert "Expected replicas to be 2, was 3" in refused
    kubectl.run("patch", kind, name, "--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":5}}')
    assert kubectl.run("get", kind, name, "--subresource=scale", "-o", "jsonpath={.spec.replicas}") == "5"


def test_it_says_why_a_scale_is_refused(kubectl: Cluster) -> None:
    kubectl.deployment("unscaled")
    patch = '{"spec":{"replicas":-1}}'
    arguments = ["patch", "deployment", "unscaled", "--subresource=scale", "--type=merge", "-p", patch]
    refused = kubectl.run(*arguments, code=1)
    assert "spec.replicas: Invalid value: -1: must be greater than or equal to 0" in refused
    assert kubectl.value("deployment", "unscaled", ".spec.replicas") == "1"


def test_it_sets_images_pauses_resumes_and_restarts(kubectl: Cluster) -> None:
    kubectl.deployment("changed")
    kubectl.run("set", "image", "deployment/changed", "app=example.com/app:2")
    assert (
        kubectl.value("deployment", "changed", ".spec.template.spec.containers[0].image")
        == "example.com/app:2"
    )
    kubectl.run("rollout", "pause", "deployment/changed")
    assert "error: deployments.apps" in kubectl.run("rollout", "restart", "deployment/changed", code=1)
    kubectl.run("rollout", "resume", "deployment/changed")
    kubectl.run("rollout", "restart", "deployment/changed")
    annotations = kubectl.value("deployment", "changed", ".spec.template.metadata.annotations")
    assert "kubectl.kubernetes.io/restartedAt" in annotations
    assert kubectl.value("deployment", "changed", ".metadata.generation") == "5"


def test_it_waits_for_a_rollout_until_the_status_says_it_is_over(kubectl: Cluster) -> None:
    kubectl.deployment("rolled", "--replicas=1")
    pending = kubectl.run("rollout", "status", "deployment/rolled", "--watch=false")
    assert "Waiting for deployment spec update to be observed" in pending
    status = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
    status["readyReplicas"] = 1
    patch = json.dumps({"status": status})
    kubectl.run("patch", "deployment", "rolled", "--subresource=status", "-p", patch)
    done = kubectl.run("rollout", "status", "deployment/rolled", "--timeout=20s")
    assert 'deployment "rolled" successfully rolled out' in done


def test_it_shows_the_history_of_a_deployment_and_goes_back(kubectl: Cluster) -> None:
    kubectl.deployment("undone")
    kubectl.revision("undone", 1, "example.com/app:0")
    kubectl.revision("undone", 2, "example.com/app:1")
    annotation = "deployment.kubernetes.io/revision=2"
    kubectl.run("annotate", "deployment", "undone", annotation)
    history = kubectl.run("rollout", "history", "deployment/undone")
    assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
    assert "example.com/app:0" in kubectl.run("rollout", "history", "deployment/undone", "--revision=1")
    assert "rolled back" in kubectl.run("rollout", "undo", "deployment/undone")
    assert (
        kubectl.value("deployment", "undone", ".spec.template.spec.containers[0].image")
        == "example.com/app:0"
    )


def test_it_autoscales_a_deployment(kubectl: Cluster) -> None:
    kubectl.deployment("driven")
    kubectl.run("autoscale", "deployment", "driven", "--min=2", "--max=5", "--cpu-percent=70")
    columns = kubectl.run("get", "hpa", "driven").splitlines()
    assert columns[0].split() == ["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"]
    assert columns[1].split()[:7] == ["driven", "Deployment/driven", "cpu:", "<unknown>/70%", "2", "5", "0"]
    first = "horizontalpodautoscalers.v1.autoscaling"
    assert kubectl.value(first, "driven", ".spec.targetCPUUtilizationPercentage") == "70"
    target = ".spec.metrics[0].resource.target.averageUtilization"
    assert kubectl.value("hpa", "driven", target) == "70"
    refused = kubectl.run("patch", "hpa", "driven", "-p", '{"spec":{"maxReplicas":1}}', code=1)
    assert "must be greater than or equal to `minReplicas`" in refused


def test_it_creates_a_job_and_one_from_a_cron_job(kubectl: Cluster) -> None:
    kubectl.run("create", "job", "once", IMAGE, "--", "true")
    columns = kubectl.run("get", "job", "once").splitlines()
    assert columns[0].split() == ["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE"]
    assert columns[1].split()[:3] == ["once", "Running", "0/1"]
    uid = kubectl.value("job", "once", ".metadata.uid")
    label = r".spec.selector.matchLabels.batch\.kubernetes\.io/controller-uid"
    assert kubectl.value("job", "once", label) == uid
    kubectl.run("create", "cronjob", "nightly", IMAGE, "--schedule=0 3 * * *", "--", "true")
    line = kubectl.run("get", "cronjob", "nightly", "--no-headers")
    assert line.split()[:10] == ["nightly", "0", "3", "*", "*", "*", "<none>", "False", "0", "<none>"]
    kubectl.run("create", "job", "tonight", "--from=cronjob/nightly")
    assert kubectl.value("job", "tonight", ".metadata.ownerReferences[0].name") == "nightly"
    refused = kubectl.run("create", "cronjob", "never", IMAGE, "--schedule=whenever", code=1)
    assert 'spec.schedule: Invalid value: "whenever"' in refused


def test_it_waits_for_a_job_to_complete(kubectl: Cluster) -> None:
    kubectl.run("create", "job", "ended", IMAGE)
    started, ended = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
    conditions = [{"type": kind, "status": "True"} for kind in ("SuccessCriteriaMet", "Complete")]
    status = {"startTime": started, "completionTime": ended, "succeeded": 1, "conditions": conditions}
    patch = json.dumps({"status": {**status, "uncountedTerminatedPods": {}}})
    kubectl.run("patch", "job", "ended", "--subresource=status", "--type=merge", "-p", patch)
    assert "condition met" in kubectl.run("wait", "job/ended", "--for=condition=Complete", "--timeout=20s")
    assert kubectl.run("get", "job", "ended", "--no-headers").split()[1:4] == ["Complete", "1/1", "60s"]


def test_it_creates_a_disruption_budget(kubectl: Cluster) -> None:
    kubectl.run("create", "pdb", "kept", "--selector=app=web", "--min-available=50%")
    line = kubectl.run("get", "pdb", "kept", "--no-headers")
    assert line.split()[:4] == ["kept", "50%", "N/A", "0"]


@pytest.mark.parametrize(
    ("cascade", "finalizer"), [("foreground", "foregroundDeletion"), ("orphan", "orphan")]
)
@pytest.mark.parametrize("kind", ["deployment", "job"])
def test_a_deletion_that_a_collector_must_end_leaves_a_finalizer(
    kubectl: Cluster, kind: str, cascade: str, finalizer: str
) -> None:
    name = f"left-{cascade}"
    kubectl.run("create", kind, name, IMAGE)
    kubectl.run("delete", kind, name, f"--cascade={cascade}", "--wait=false")
    assert kubectl.value(kind, name, ".metadata.finalizers[*]") == finalizer
    assert kubectl.value(kind, name, ".metadata.deletionTimestamp")
    kubectl.run("patch", kind, name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert "NotFound" in kubectl.run("get", kind, name, code=1)


def test_a_deletion_in_the_background_takes_the_object_at_once(kubectl: Cluster) -> None:
    kubectl.run("create", "job", "passing", IMAGE)
    kubectl.deployment("passing")
    kubectl.run("delete", "deployment,job", "passing")
    assert kubectl.run("get", "deployment,job", "passing", "--ignore-not-found") == ""
