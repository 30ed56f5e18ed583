"""RunningDemo: the pods of a demo, with their claims, environment and output."""

from dataclasses import dataclass
from typing import Self

from fakeapi import FakeAPI
from fakeapi.machinery.json_types import Object

RUN_SECONDS = 60


@dataclass(frozen=True)
class RunningDemo:
    """The running pods of a demo, in the order of its manifests."""

    api: FakeAPI
    pods: list[Object]

    @classmethod
    def when_running(cls, api: FakeAPI, objects: list[Object]) -> Self:
        """Waits until the pods and Deployments among the objects of a demo are running."""
        pods = [pod for each in objects for pod in _pods_of(api, each)]
        assert pods
        return cls(api, pods)

    def claims(self, pod: Object) -> dict[str, Object]:
        """Returns the allocated ResourceClaims of a pod, by the names in the pod's `spec.resourceClaims`."""
        metadata = pod["metadata"]
        statuses = pod["status"].get("resourceClaimStatuses") or ()
        names = {each["name"]: each["resourceClaimName"] for each in statuses}
        for entry in pod["spec"]["resourceClaims"]:
            source = entry.get("source") or entry
            if "resourceClaimName" in source:
                names[entry["name"]] = source["resourceClaimName"]
        claims = {
            name: self.api.get("ResourceClaim", claim, namespace=metadata["namespace"])
            for name, claim in names.items()
        }
        assert claims
        assert all(metadata["uid"] in _users(claim) for claim in claims.values())
        return claims

    def claims_of_container(self, pod: Object, container: Object) -> list[Object]:
        """Returns the claims that a container of the pod uses."""
        claims = self.claims(pod)
        return [claims[each["name"]] for each in container["resources"].get("claims") or ()]

    def environment(self, pod: Object, container: Object) -> dict[str, str]:
        """Returns the environment of a container, with the variables from CDI devices."""
        metadata = pod["metadata"]
        return self.api.container(metadata["namespace"], metadata["name"], container["name"]).env

    def await_log(self, pod: Object, container: Object, text: str) -> str:
        """Waits until the output of a container contains a text; returns the output."""
        metadata = pod["metadata"]

        def output() -> str:
            log = self.api.container(metadata["namespace"], metadata["name"], container["name"]).log
            return log if text in log else ""

        return self.api.eventually(output, within=RUN_SECONDS)


def _pods_of(api: FakeAPI, obj: Object) -> list[Object]:
    """Waits until a pod, or the pods of a Deployment, are running; returns the pods."""
    namespace, name = obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
    if obj["kind"] == "Pod":
        running = ".status.phase=Running"
        return [api.wait_for("Pod", name, namespace=namespace, until=running, within=RUN_SECONDS)]
    if obj["kind"] != "Deployment":
        return []
    api.wait_for("Deployment", name, namespace=namespace, until="Available", within=RUN_SECONDS)
    labels = obj["spec"]["selector"]["matchLabels"]
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    return list(api.list("Pod", namespace=namespace, label_selector=selector))


def _users(claim: Object) -> list[str]:
    """Returns the uids of the pods for which an allocated claim is reserved."""
    assert claim["status"]["allocation"]
    return [each["uid"] for each in claim["status"]["reservedFor"]]


def devices_of(claim: Object) -> list[str]:
    """Returns the names of the devices that a claim has."""
    return [result["device"] for result in claim["status"]["allocation"]["devices"]["results"]]
