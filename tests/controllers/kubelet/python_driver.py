"""A DRA driver in Python. It registers with the kubelet of a cluster node and records the kubelet's calls."""

import threading
from collections.abc import Callable
from concurrent import futures
from pathlib import Path
from typing import Any, Self

import grpc

from fakeapi.controllers.kubelet.messages import MESSAGES
from tests.controllers.kubelet.cluster_objects import (
    NAME,
    OLD_LAYOUT,
    Object,
    create_pod,
    create_template,
    publish,
)

__all__ = ["NAME", "OLD_LAYOUT", "Object", "PythonDriver", "create_pod", "create_template", "publish"]

SERVICES = {
    "v1.DRAPlugin": "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin",
    "v1beta1.DRAPlugin": "k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin",
    "1.0.0": "v1alpha3.Node",
}


def handler(method: Callable[[Any, Any], Any], request: str) -> Any:
    return grpc.unary_unary_rpc_method_handler(
        method,
        request_deserializer=MESSAGES[request].FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


class PythonDriver:
    """A DRA driver that serves gRPC on the sockets of a cluster node.

    - `prepared`, `unprepared`: names of claims in the order of the kubelet's calls
    - `error`: if not "", the driver responds to the calls with this error
    """

    def __init__(
        self, node: Any, service: str = "v1.DRAPlugin", name: str = NAME, instance: str = ""
    ) -> None:
        self.name, self.service = name, service
        self.prepared: list[str] = []
        self.unprepared: list[str] = []
        self.error = ""
        self.registration: str | None = None
        self.registered = threading.Event()
        self.released = threading.Event()
        self._endpoint = Path(node.directory, "plugins", f"{name}{instance}.sock")
        self._registry = Path(node.registry, f"{name}{instance}-reg.sock")
        self.announced = self._endpoint

    def __enter__(self) -> Self:
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        self.begin(self._server)
        registration = {
            "GetInfo": handler(self._info, "InfoRequest"),
            "NotifyRegistrationStatus": handler(self._notified, "RegistrationStatus"),
        }
        self._server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(
                    SERVICES.get(self.service, self.service), self.methods()
                ),
                grpc.method_handlers_generic_handler("pluginregistration.Registration", registration),
            )
        )
        self._server.add_insecure_port(f"unix:{self._endpoint}")
        self._server.add_insecure_port(f"unix:{self._registry}")
        self._server.start()
        return self

    def begin(self, server: Any) -> None:
        """Adds gRPC services before the driver adds its own; a subclass may override this method.

        If two services have the same name, gRPC uses the service that was added first.
        """

    @property
    def services(self) -> list[str]:
        """The names of the gRPC services that the driver announces to the kubelet."""
        return [self.service]

    def methods(self) -> dict[str, Any]:
        """Returns the handlers of the driver's gRPC methods, by the name of the method."""
        return {
            "NodePrepareResources": handler(self._prepare, "PrepareRequest"),
            "NodeUnprepareResources": handler(self._unprepare, "UnprepareRequest"),
        }

    def __exit__(self, *_: object) -> None:
        self.crash()

    def crash(self) -> None:
        self._server.stop(None).wait()
        for path in (self._endpoint, self._registry):
            path.unlink(missing_ok=True)

    def _info(self, request: Any, context: Any) -> Any:
        return MESSAGES["PluginInfo"](
            type="DRAPlugin",
            name=self.name,
            endpoint=str(self.announced),
            supported_versions=self.services,
        )

    def _notified(self, request: Any, context: Any) -> Any:
        self.registration = request.error
        self.registered.set()
        return MESSAGES["RegistrationStatusResponse"]()

    def _prepare(self, request: Any, context: Any) -> Any:
        entries = []
        for claim in request.claims:
            self.prepared.append(claim.name)
            device = MESSAGES["Device"](
                request_names=["r"],
                pool_name="node",
                device_name="gpu-0",
                cdi_device_ids=[f"{self.name}/gpu=gpu-0"],
            )
            value = MESSAGES["Prepared"](devices=[] if self.error else [device], error=self.error)
            entries.append(MESSAGES["PreparedEntry"](key=claim.uid, value=value))
        return MESSAGES["PrepareResponse"](claims=entries)

    def _unprepare(self, request: Any, context: Any) -> Any:
        entries = []
        for claim in request.claims:
            self.unprepared.append(claim.name)
            self.released.set()
            entries.append(MESSAGES["UnpreparedEntry"](key=claim.uid, value=MESSAGES["Unprepared"]()))
        return MESSAGES["UnprepareResponse"](claims=entries)
