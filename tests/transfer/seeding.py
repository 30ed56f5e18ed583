"""Creates objects for the tests of export and import, and runs these commands."""

from click.testing import CliRunner, Result

from fakeapi import FakeAPI
from fakeapi.cli.main import main

TEAM = """
apiVersion: v1
kind: Namespace
metadata: {name: team, labels: {tier: test}}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: team}
stringData: {password: hunter2}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: team, labels: {app: web}}
data: {a: "yes", b: "1e3", c: "two\\nlines\\n", d: "0o17"}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: team
spec:
  containers: [{name: c, image: nginx, env: [{name: API_TOKEN, value: hunter2}]}]
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata:
  name: web-gpu
  namespace: team
  ownerReferences: [{apiVersion: v1, kind: Pod, name: web, controller: true}]
spec: {devices: {requests: [{name: gpu, deviceClassName: gpu}]}}
---
apiVersion: resource.k8s.io/v1beta1
kind: DeviceClass
metadata: {name: gpu}
spec: {}
"""


def seed(api: FakeAPI) -> None:
    """Creates a namespace, a pod, and a ResourceClaim that is allocated and reserved for the pod."""
    api.install(TEAM)
    pod = api.get("Pod", "web", namespace="team")
    claim = api.get("ResourceClaim", "web-gpu", namespace="team")
    consumer = {"resource": "pods", "name": "web", "uid": pod["metadata"]["uid"]}
    api.update_status({**claim, "status": {"allocation": {}, "reservedFor": [consumer]}})


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def failing(*arguments: str) -> str:
    """Runs a fakeapi command that must fail with exit status 1; returns its single line of output."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.output.count("\n") == 1, result.output
    return result.output.strip()
