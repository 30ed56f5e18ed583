"""Runs DRA drivers that send wrong responses to the kubelet.

Creates pods that make the kubelet call these drivers. Needs fakeapi's optional dependencies `fakeapi[node]`.
"""

import http.client
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import grpc

from fakeapi.controllers.kubelet.messages import MESSAGES
from tests.controllers.kubelet.python_driver import PythonDriver
from tests.torture.budget import Finding

MEGABYTE = 1 << 20
DRA = "/apis/resource.k8s.io/v1"
NAMESPACE = "/namespaces/default"
Fields = dict[str, Any]

LIES: Sequence[Fields | bytes] = (
    {"name": ""},
    {"name": "../../../etc"},
    {"name": "n" * 3 * MEGABYTE},
    {"name": "\x1b[31mred\nline", "supported_versions": ["v9"]},
    {"supported_versions": [f"v{number}" for number in range(100_000)]},
    {"supported_versions": []},
    {"endpoint": "/var/lib/kubelet/../../../../run/docker.sock"},
    {"endpoint": "/" + "x" * 5_000},
    {"endpoint": "/a\0b"},
    {"endpoint": "//127.0.0.1:22"},
    {"name": "b" * 60 * MEGABYTE},
    b"\x0a\x02\xff\xfe",
)
"""Wrong responses of drivers to the call GetInfo: fields that replace valid fields, or raw bytes."""


def _results(**value: Any) -> Callable[[Any], Any]:
    def answer(request: Any) -> Any:
        entries = [
            MESSAGES["PreparedEntry"](key=claim.uid, value=MESSAGES["Prepared"](**value))
            for claim in request.claims
        ]
        return MESSAGES["PrepareResponse"](claims=entries)

    return answer


def _other_claims(*uids: str) -> Callable[[Any], Any]:
    entries = [MESSAGES["PreparedEntry"](key=uid) for uid in uids]
    return lambda _: MESSAGES["PrepareResponse"](claims=entries)


_DEVICE = {"request_names": ["gpu"], "pool_name": "?", "device_name": "gpu-0"}

ANSWERS: Sequence[Callable[[Any], Any]] = (
    _results(error="e" * MEGABYTE),
    _results(error="e" * 60 * MEGABYTE),
    _results(devices=[{**_DEVICE, "cdi_device_ids": ["../../../etc/passwd=x", "a/b=c\n\x1b[31m", ""]}]),
    _results(devices=[{**_DEVICE, "cdi_device_ids": [f"a.b/c={number}" for number in range(50_000)]}]),
    _results(devices=[_DEVICE] * 60_000),
    _other_claims("../../x"),
    _other_claims(),
    _other_claims(*(f"u{number}" for number in range(100_000))),
    lambda _: b"\x0a\x02\xff\xfe",
    lambda _: b"\xff" * 100_000,
)
"""Functions that build a driver's wrong response to a NodePrepareResources call."""


class Liar(PythonDriver):
    """A DRA driver that responds to the call GetInfo with `lie`. Each call sets the event `asked`."""

    def __init__(self, node: Any, name: str, lie: Fields | bytes) -> None:
        super().__init__(node, name=name)
        self.asked = threading.Event()
        self._lie = lie

    def begin(self, server: Any) -> None:
        info = grpc.unary_unary_rpc_method_handler(self._answer, response_serializer=lambda answer: answer)
        methods = {"GetInfo": info}
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("pluginregistration.Registration", methods),)
        )

    def _answer(self, request: Any, context: Any) -> bytes:
        self.asked.set()
        if isinstance(self._lie, bytes):
            return self._lie
        true = {
            "type": "DRAPlugin",
            "name": self.name,
            "endpoint": str(self.announced),
            "supported_versions": self.services,
        }
        answer: bytes = MESSAGES["PluginInfo"](**{**true, **self._lie}).SerializeToString()
        return answer


class BadAnswers(PythonDriver):
    """A DRA driver that responds to prepare calls with `answer(request)`.

    Each call sets the event `asked`.
    """

    def __init__(self, node: Any, name: str, answer: Callable[[Any], Any]) -> None:
        super().__init__(node, name=name)
        self.asked = threading.Event()
        self._bad = answer

    def methods(self) -> dict[str, Any]:
        bad = grpc.unary_unary_rpc_method_handler(
            self._answer,
            request_deserializer=MESSAGES["PrepareRequest"].FromString,
            response_serializer=lambda answer: (
                answer if isinstance(answer, bytes) else answer.SerializeToString()
            ),
        )
        return {**super().methods(), "NodePrepareResources": bad}

    def _answer(self, request: Any, context: Any) -> Any:
        self.asked.set()
        return self._bad(request)


class Objects:
    """Creates and reads pods with ResourceClaims, and the objects they need, on the server at `port`."""

    def __init__(self, port: int) -> None:
        self._port = port

    def create_pod(self, driver: str) -> str:
        """Creates a pod with a claim for a device of the driver.

        Also creates the claim, its DeviceClass and a ResourceSlice. Returns the pod's name.
        """
        name = driver.partition(".")[0]
        selector = {"cel": {"expression": f'device.driver == "{driver}"'}}
        self._create(f"{DRA}/deviceclasses", "DeviceClass", name, {"selectors": [selector]})
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": "gpu-0"}, {"name": "gpu-1"}]
        slice_spec = {"driver": driver, "nodeName": "node", "pool": pool, "devices": devices}
        self._create(f"{DRA}/resourceslices", "ResourceSlice", name, slice_spec)
        request = {"name": "gpu", "exactly": {"deviceClassName": name}}
        claim_spec = {"devices": {"requests": [request]}}
        self._create(f"{DRA}{NAMESPACE}/resourceclaims", "ResourceClaim", name, claim_spec)
        container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}
        pod_spec = {
            "containers": [container],
            "resourceClaims": [{"name": "gpu", "resourceClaimName": name}],
            "terminationGracePeriodSeconds": 0,
        }
        self._create(f"/api/v1{NAMESPACE}/pods", "Pod", name, pod_spec)
        return name

    def delete_pod(self, name: str) -> None:
        self._ask("DELETE", f"/api/v1{NAMESPACE}/pods/{name}")
        self._ask("DELETE", f"{DRA}{NAMESPACE}/resourceclaims/{name}")

    def phase(self, pod: str) -> str:
        """Returns the phase of a pod, or "" if the pod does not exist."""
        code, answer = self._ask("GET", f"/api/v1{NAMESPACE}/pods/{pod}")
        return "" if code == 404 else str(answer["status"]["phase"])

    def longest_message(self) -> int:
        """Returns the size in bytes of the longest Event message, or 0 without Events."""
        _, answer = self._ask("GET", "/api/v1/events")
        return max((len(event["message"].encode()) for event in answer["items"]), default=0)

    def _create(self, path: str, kind: str, name: str, spec: Fields) -> None:
        version = "v1" if path.startswith("/api/") else "resource.k8s.io/v1"
        obj = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
        code, answer = self._ask("POST", path, obj)
        if code != 201:
            raise Finding(f"POST {path} was answered {code}: {answer}")

    def _ask(self, method: str, path: str, body: Fields | None = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()
