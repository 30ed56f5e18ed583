"""The kubelet works with the APIs of DRA drivers that only releases up to 1.30 support."""

import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.messages import MESSAGES
from tests.controllers.kubelet.python_driver import NAME, PythonDriver, handler

Object = dict[str, Any]
VERSION = "resource.k8s.io/v1alpha2"
BATCH, SINGLE = "v1alpha3.Node", "v1alpha2.Node"
INSTANCE = b"\x0a\x03\x0a\x01a"
"""The bytes of a protobuf message NamedResources with one instance `a`.

After a protobuf field tag, the same bytes are a ResourceModel.
"""


class OldDriver(PythonDriver):
    """A DRA driver with a gRPC API of releases up to 1.30.

    - `told`: the opaque and structured resource handles that the driver received for each claim.
    - `models`: the messages that the driver streams to the kubelet until the driver ends.
    """

    def __init__(self, node: Any, service: str, *models: bytes) -> None:
        super().__init__(node, service)
        self.told: list[tuple[str, list[bytes]]] = []
        self._models = models
        self._ended = threading.Event()

    def methods(self) -> dict[str, Any]:
        if self.service == SINGLE:
            return {
                "NodePrepareResource": handler(self._prepare_one, "OneClaim"),
                "NodeUnprepareResource": handler(self._unprepare_one, "OneClaim"),
            }
        methods = {
            "NodePrepareResources": handler(self._prepare, "OldPrepareRequest"),
            "NodeUnprepareResources": handler(self._unprepare, "OldPrepareRequest"),
        }
        if self._models:
            methods["NodeListAndWatchResources"] = grpc.unary_stream_rpc_method_handler(
                self._resources,
                request_deserializer=MESSAGES["ResourcesRequest"].FromString,
                response_serializer=lambda message: message.SerializeToString(),
            )
        return methods

    def crash(self) -> None:
        self._ended.set()
        super().crash()

    def _resources(self, request: Any, context: Any) -> Iterator[Any]:
        yield MESSAGES["ResourcesResponse"](resources=self._models)
        self._ended.wait(60)

    def _prepare(self, request: Any, context: Any) -> Any:
        entries = []
        for claim in request.claims:
            self.prepared.append(claim.name)
            self.told.append((claim.resource_handle, list(claim.structured_resource_handle)))
            value = MESSAGES["OldPrepared"](cdi_devices=[f"{NAME}/gpu=a"])
            entries.append(MESSAGES["OldPreparedEntry"](key=claim.uid, value=value))
        return MESSAGES["OldPrepareResponse"](claims=entries)

    def _prepare_one(self, request: Any, context: Any) -> Any:
        self.prepared.append(request.claim_name)
        self.told.append((request.resource_handle, []))
        return MESSAGES["OnePrepared"](cdi_devices=[f"{NAME}/gpu=a"])

    def _unprepare_one(self, request: Any, context: Any) -> Any:
        self.unprepared.append(request.claim_name)
        return MESSAGES["OneUnprepared"]()


@pytest.fixture(params=["1.30"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=request.param, feature_gates=gates, controllers="all") as server:
        server.settle()
        yield server


def create_class(api: FakeAPI, **fields: Any) -> None:
    metadata = {"name": "c"}
    api.create(
        {
            "apiVersion": VERSION,
            "kind": "ResourceClass",
            "metadata": metadata,
            "driverName": NAME,
            **fields,
        }
    )


def create_pod(api: FakeAPI) -> None:
    spec = {"resourceClassName": "c"}
    api.create({"apiVersion": VERSION, "kind": "ResourceClaim", "metadata": {"name": "x"}, "spec": spec})
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}
    reference = {"name": "x", "source": {"resourceClaimName": "x"}}
    pod_spec = {"containers": [container], "resourceClaims": [reference]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": pod_spec})


@pytest.mark.parametrize(
    ("api", "service"), [("1.27", SINGLE), ("1.28", BATCH), ("1.30", BATCH)], indirect=["api"]
)
def test_a_classic_driver_gets_the_handle_that_its_controller_wrote(api: FakeAPI, service: str) -> None:
    create_class(api)
    with OldDriver(api.node(), service) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        allocation = {"resourceHandles": [{"driverName": NAME, "data": "opaque"}], "shareable": True}
        path = "/apis/resource.k8s.io/v1alpha2/namespaces/default/resourceclaims/x/status"
        status = {"status": {"driverName": NAME, "allocation": allocation}}
        api.request("PATCH", path, status, content_type="application/merge-patch+json")
        api.settle()
        assert api.get("Pod", "pod")["status"]["phase"] == "Running"
        assert driver.told == [("opaque", [])]
        assert api.node().cdi_devices("default", "pod") == [f"{NAME}/gpu=a"]
        api.delete("Pod", "pod", options={"gracePeriodSeconds": 0})
        api.settle()
        assert driver.unprepared == ["x"]


def test_what_a_driver_streams_is_published_allocated_and_told_to_it(api: FakeAPI) -> None:
    create_class(api, structuredParameters=True)
    model = bytes([0x0A, len(INSTANCE)]) + INSTANCE
    with OldDriver(api.node(), BATCH, model) as driver:
        assert driver.registered.wait(10)
        for _ in range(1000):
            if api.list("ResourceSlice"):
                break
            threading.Event().wait(0.01)
        [published] = api.list("ResourceSlice")
        assert published["namedResources"] == {"instances": [{"name": "a"}]}
        assert published["nodeName"] == "node"
        assert published["metadata"]["ownerReferences"][0]["name"] == "node"
        create_pod(api)
        api.settle()
        assert api.get("Pod", "pod")["status"]["phase"] == "Running"
        [(opaque, [structured])] = driver.told
        assert opaque == ""
        assert b"node" in structured
        driver.crash()
        for _ in range(1000):
            if not api.list("ResourceSlice"):
                return
            threading.Event().wait(0.01)
        raise AssertionError("the slices of a driver that went are still there")
