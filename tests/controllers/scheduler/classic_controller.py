"""The DRA control plane controller of a v1alpha2 driver. It acts only when a test calls `run`."""

from typing import Any

from fakeapi import FakeAPI

Object = dict[str, Any]

DRIVER = "classic.example.com"
FINALIZER = f"{DRIVER}/finalizer"
MERGE = "application/merge-patch+json"
_GROUP = "/apis/resource.k8s.io/v1alpha2"


class ClassicController:
    """A DRA control plane controller: reports `unsuitable` nodes, and allocates claims on other nodes."""

    def __init__(self, api: FakeAPI, *unsuitable: str, shareable: bool = False) -> None:
        self.unsuitable = list(unsuitable)
        self._api = api
        self._shareable = shareable

    def run(self) -> None:
        """Runs the controller and the scheduler alternately until both have nothing left to do."""
        self._api.settle()
        while self._act():
            self._api.settle()

    def _act(self) -> bool:
        did = [self._deallocate(claim) or self._allocate_at_once(claim) for claim in self._claims()]
        did += [self._answer(context) for context in self.contexts()]
        return any(did)

    def contexts(self) -> list[Object]:
        items: list[Object] = self._api.request("GET", f"{_GROUP}/podschedulingcontexts")["items"]
        return items

    def _claims(self) -> list[Object]:
        items: list[Object] = self._api.request("GET", f"{_GROUP}/resourceclaims")["items"]
        return items

    def _deallocate(self, claim: Object) -> bool:
        if not claim["status"].get("deallocationRequested"):
            return False
        self._patch(claim, {"allocation": None, "deallocationRequested": None}, "status")
        return True

    def _allocate_at_once(self, claim: Object) -> bool:
        if claim["spec"]["allocationMode"] != "Immediate" or "allocation" in claim["status"]:
            return False
        self.allocate(claim, "")
        return True

    def _answer(self, context: Object) -> bool:
        metadata, spec = context["metadata"], context["spec"]
        namespace = metadata["namespace"]
        pod = self._api.get("Pod", metadata["name"], namespace=namespace)
        node = spec.get("selectedNode", "")
        claims = [
            (each["name"], self._api.get("ResourceClaim", each["source"]["resourceClaimName"]))
            for each in pod["spec"]["resourceClaims"]
        ]
        pending = [(name, claim) for name, claim in claims if "allocation" not in claim["status"]]
        wrong = [each for each in self.unsuitable if each in spec.get("potentialNodes", ())]
        statuses = [{"name": name, **({"unsuitableNodes": wrong} if wrong else {})} for name, _ in pending]
        did = False
        if statuses and statuses != context.get("status", {}).get("resourceClaims"):
            path = f"{_GROUP}/namespaces/{namespace}/podschedulingcontexts/{metadata['name']}/status"
            self._api.request("PATCH", path, {"status": {"resourceClaims": statuses}}, content_type=MERGE)
            did = True
        if node and node not in self.unsuitable:
            for _, claim in pending:
                self.allocate(claim, node)
                did = True
        return did

    def allocate(self, claim: Object, node: str) -> None:
        self._patch(claim, {"metadata": {"finalizers": [FINALIZER]}})
        allocation: Object = {"shareable": self._shareable}
        if node:
            here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
            allocation["availableOnNodes"] = {"nodeSelectorTerms": [{"matchExpressions": [here]}]}
        self._patch(claim, {"driverName": DRIVER, "allocation": allocation}, "status")

    def _patch(self, claim: Object, patch: Object, subresource: str = "") -> None:
        metadata = claim["metadata"]
        path = f"{_GROUP}/namespaces/{metadata['namespace']}/resourceclaims/{metadata['name']}"
        if subresource:
            path, patch = f"{path}/{subresource}", {subresource: patch}
        self._api.request("PATCH", path, patch, content_type=MERGE)
