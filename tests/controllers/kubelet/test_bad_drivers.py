"""DRA drivers that misbehave cause the same events as in a real cluster, and other pods still run."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

import grpc

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet import grpc_driver, plugin_calls
from fakeapi.controllers.kubelet.driver import PREPARED_DEVICES_MAX
from fakeapi.controllers.kubelet.driver_texts import TEXT_BYTES_MAX, shortened
from fakeapi.controllers.kubelet.messages import MESSAGES
from tests.controllers.kubelet.python_driver import NAME, PythonDriver, create_pod, create_template, publish

Object = dict[str, Any]


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36", controllers="all") as server:
        server.settle()
        publish(server, "v1")
        create_template(server, "v1")
        yield server


def reported(api: FakeAPI) -> list[str]:
    """Returns the messages of the kubelet's events about claims that it could not prepare."""
    events = api.list("Event", namespace="default", api_version="v1")
    return [
        each["message"].removeprefix("Failed to prepare dynamic resources: prepare dynamic resources: ")
        for each in events
        if each["reason"] == "FailedPrepareDynamicResources"
    ]


def phase(api: FakeAPI, name: str = "pod") -> str:
    return str(api.get("Pod", name)["status"]["phase"])


def others_run(api: FakeAPI) -> bool:
    """Creates the pod `other` without claims; returns whether it runs."""
    spec = {"containers": [{"name": "c", "image": "i"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"}, "spec": spec})
    api.settle()
    return phase(api, "other") == "Running"


class Junk:
    """A Unix socket that accepts connections and sends `answer`, which is not valid HTTP/2.

    If `answer` is empty, the socket sends nothing.
    """

    def __init__(self, path: Path, answer: bytes) -> None:
        self._answer = answer
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(8)
        self.asked = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        kept = []
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            kept.append(connection)
            self.asked.set()
            if self._answer:
                with suppress(OSError):
                    connection.sendall(self._answer)
                connection.close()

    def close(self) -> None:
        self._socket.close()


@pytest.mark.parametrize(
    "answer", [b"", b"\x00\xffgarbage\r\n\r\n" * 40, b"HTTP/1.1 400 Bad Request\r\n\r\n"]
)
def test_a_driver_that_does_not_register_is_missing_to_its_pods(
    api: FakeAPI, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_calls, "REGISTER_SECONDS", 0.3)
    node = api.node()
    junk = Junk(Path(node.registry, "junk-reg.sock"), answer)
    assert junk.asked.wait(10)
    create_pod(api)
    api.settle()
    assert node.drivers == []
    assert reported(api) == [f"DRA driver {NAME} is not registered"]
    assert others_run(api)
    with PythonDriver(node) as good:
        assert good.registered.wait(20)
        api.settle()
        assert phase(api) == "Running"
    junk.close()


class Garbled(PythonDriver):
    """A DRA driver that responds to prepare calls with the entries of `results`.

    The claim's uid replaces the key KEY of an entry.
    """

    results: tuple[tuple[str, Object], ...] = ()

    def _prepare(self, request: Any, context: Any) -> Any:
        [claim] = request.claims
        entries = [
            MESSAGES["PreparedEntry"](key=key.replace("KEY", claim.uid), value=MESSAGES["Prepared"](**value))
            for key, value in self.results
        ]
        return MESSAGES["PrepareResponse"](claims=entries)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ((), "NodePrepareResources skipped 1 ResourceClaims"),
        (
            (("KEY", {}), ("other", {})),
            "NodePrepareResources returned result for unknown claim UID other",
        ),
        ((("KEY", {"error": "no"}),), "NodePrepareResources failed for ResourceClaim {claim}: no"),
    ],
)
def test_an_answer_that_does_not_fit_is_named(
    api: FakeAPI, results: tuple[tuple[str, Object], ...], message: str
) -> None:
    with Garbled(api.node()) as driver:
        driver.results = results
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        assert phase(api) == "Pending"
        [claim] = api.list("ResourceClaim", namespace="default")
        assert reported(api) == [message.format(claim=claim["metadata"]["name"])]
        assert others_run(api)


@pytest.mark.parametrize(("more", "expected"), [(0, "Running"), (1, "Pending")])
def test_more_devices_than_the_limit_are_an_error_of_the_driver(
    api: FakeAPI, more: int, expected: str
) -> None:
    ids = [f"a.b/c={number}" for number in range(PREPARED_DEVICES_MAX - 1 + more)]
    with Garbled(api.node()) as driver:
        driver.results = (("KEY", {"devices": [MESSAGES["Device"](cdi_device_ids=ids)]}),)
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        assert phase(api) == expected
        assert ["4097 devices, CDI devices and request names" in message for message in reported(api)] == (
            [True] if more else []
        )


class Unreadable(PythonDriver):
    """A DRA driver that responds to calls with bytes that are not a protobuf message."""

    def methods(self) -> dict[str, Any]:
        garbage = grpc.unary_unary_rpc_method_handler(lambda request, context: b"\xff\xff\xff")
        return {**super().methods(), "NodePrepareResources": garbage}


def test_an_answer_that_cannot_be_decoded_is_an_error_of_the_call(api: FakeAPI) -> None:
    with Unreadable(api.node()) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        assert phase(api) == "Pending"
        [message] = reported(api)
        assert message == (
            "NodePrepareResources: rpc error: code = Internal desc = grpc: failed to unmarshal the received "
            "message: proto: cannot parse invalid wire-format data"
        )
        assert others_run(api)


class Nameless(PythonDriver):
    """A DRA driver that responds to the call GetInfo with bytes that are not a protobuf message."""

    def begin(self, server: Any) -> None:
        garbage = grpc.unary_unary_rpc_method_handler(self._garbage)
        methods = grpc.method_handlers_generic_handler(
            "pluginregistration.Registration", {"GetInfo": garbage}
        )
        server.add_generic_rpc_handlers((methods,))

    def _garbage(self, request: Any, context: Any) -> bytes:
        self.released.set()
        return b"\xff\xff\xff"


def test_a_registration_that_cannot_be_decoded_keeps_no_other_driver_out(api: FakeAPI) -> None:
    node = api.node()
    with Nameless(node, name="nameless.example.com") as bad:
        assert bad.released.wait(10)
        with PythonDriver(node) as good:
            assert good.registered.wait(20)
            api.settle()
            assert node.drivers == [NAME]


def test_sockets_that_hang_or_have_names_that_are_not_utf_8_delay_no_other_driver(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_calls, "REGISTER_SECONDS", 1.0)
    node = api.node()
    names = [f"a{number}-reg.sock" for number in range(40)] + [os.fsdecode(b"a\xff-reg.sock")]
    silent = [socket.socket(socket.AF_UNIX) for _ in names]
    for each, name in zip(silent, names, strict=True):
        each.bind(os.fsencode(Path(node.registry, name)))
        each.listen()
    with PythonDriver(node, name="z.example.com") as good:
        assert good.registered.wait(15)  # one after the other would take 40 seconds
        api.settle()
        assert node.drivers == ["z.example.com"]
    for each in silent:
        each.close()


@pytest.mark.parametrize("endpoint", ["/" + "x" * 300, "/a\0b", "nowhere", "//[", "/a%00b"])
def test_an_endpoint_that_nothing_can_listen_at_is_an_error_of_each_call(api: FakeAPI, endpoint: str) -> None:
    with PythonDriver(api.node()) as driver:
        driver.announced = Path(endpoint)
        assert driver.registered.wait(10)
        api.settle()  # the kubelet knows the driver only after the driver's answer has arrived
        create_pod(api)
        api.settle()
        assert phase(api) == "Pending"
        [message] = reported(api)
        assert message.startswith("NodePrepareResources: rpc error: code = ")
        assert others_run(api)


def test_devices_that_no_slice_has_are_taken_as_the_driver_says(api: FakeAPI) -> None:
    device = MESSAGES["Device"](
        request_names=["none"], pool_name="none", device_name="none", cdi_device_ids=["none/none=none"]
    )
    with Garbled(api.node()) as driver:
        driver.results = (("KEY", {"devices": [device]}),)
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        assert phase(api) == "Running"
        assert api.node().cdi_devices("default", "pod") == ["none/none=none"]


class Hanging(PythonDriver):
    """A DRA driver that responds to prepare calls only after the event `let_go` is set."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.asked, self.let_go = threading.Event(), threading.Event()

    def _prepare(self, request: Any, context: Any) -> Any:
        self.asked.set()
        self.let_go.wait(30)
        return super()._prepare(request, context)


def test_a_driver_that_hangs_holds_up_nobody_and_is_given_up(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grpc_driver, "CALL_SECONDS", 3.0)
    with Hanging(api.node()) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        assert driver.asked.wait(10)
        spec = {"containers": [{"name": "c", "image": "i"}]}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"}, "spec": spec})
        deadline = time.monotonic() + 20
        while phase(api, "other") != "Running" and time.monotonic() < deadline:
            threading.Event().wait(0.01)
        assert phase(api, "other") == "Running"
        api.settle()
        assert phase(api) == "Pending"
        [message] = reported(api)
        assert message.startswith("NodePrepareResources: rpc error: code = DeadlineExceeded desc = ")
        driver.let_go.set()


def test_a_driver_whose_endpoint_is_not_there_is_named(api: FakeAPI) -> None:
    with PythonDriver(api.node()) as driver:
        assert driver.registered.wait(10)
        api.settle()
        Path(api.node().directory, "plugins", f"{NAME}.sock").unlink()
        create_pod(api)
        api.settle()
        [message] = reported(api)
        assert message.startswith("NodePrepareResources: rpc error: code = Unavailable desc = ")
        assert others_run(api)


def condition(api: FakeAPI) -> Object:
    conditions = api.get("Pod", "pod")["status"]["conditions"]
    found: Object = next(each for each in conditions if each["type"] == "PodScheduled")
    return found


def test_a_selector_that_fails_on_a_device_is_an_error_of_the_scheduler(api: FakeAPI) -> None:
    pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")
    expression = f'device.attributes["{NAME}"].none == "x"'
    api.patch("DeviceClass", "gpu", {"spec": {"selectors": [{"cel": {"expression": expression}}]}})
    create_pod(api)
    api.settle()
    assert condition(api)["reason"] == "SchedulerError"
    problem = "class gpu: selector #0: CEL runtime error: no such key: none"
    expected = f'running "DynamicResources" filter plugin: {problem}'
    assert condition(api)["message"] == expected
    events = api.list("Event", namespace="default", api_version="v1")
    assert [(each["reason"], each.get("message")) for each in events] == [("FailedScheduling", expected)]
    assert others_run(api)


def test_a_claim_that_no_device_fits_leaves_its_pod_unschedulable(api: FakeAPI) -> None:
    pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")
    api.patch("DeviceClass", "gpu", {"spec": {"selectors": [{"cel": {"expression": "false"}}]}})
    create_pod(api)
    api.settle()
    assert condition(api)["reason"] == "Unschedulable"
    assert condition(api)["message"].startswith("0/1 nodes are available: 1 cannot allocate all claims.")
    assert others_run(api)


def test_a_long_error_of_a_driver_is_shortened_in_the_event(api: FakeAPI) -> None:
    with PythonDriver(api.node()) as driver:
        driver.error = "e" * (1 << 20)
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        [message] = reported(api)
        assert message.endswith("eee...")
        _, problem = message.split(": ", 1)
        assert len(problem) == TEXT_BYTES_MAX
        assert others_run(api)


class Verbose(PythonDriver):
    """A DRA driver that announces a megabyte of service names that the kubelet does not know."""

    @property
    def services(self) -> list[str]:
        return [f"v{number}" for number in range(100_000)]


def test_the_reason_why_a_driver_is_refused_is_shortened(api: FakeAPI) -> None:
    with Verbose(api.node()) as driver:
        assert driver.registered.wait(10)
        assert driver.registration is not None
        assert driver.registration.startswith("invalid supported gRPC versions of DRA driver plugin")
        assert len(driver.registration) == TEXT_BYTES_MAX


def test_a_driver_whose_name_is_longer_than_any_name_in_the_api_is_refused(
    api: FakeAPI, caplog: pytest.LogCaptureFixture
) -> None:
    driver = PythonDriver(api.node())
    driver.name = "n" * (1 << 20)
    with driver:
        assert driver.registered.wait(10)
        assert driver.registration == "the name of the DRA driver is longer than 253 bytes"
        api.settle()
        assert api.node().drivers == []
    assert max(len(record.getMessage()) for record in caplog.records) < TEXT_BYTES_MAX


@pytest.mark.parametrize(
    ("text", "shown"),
    [("ab" * 4, "ab" * 4), ("ab" * 5, "ababa..."), ("ä" * 9, "ää..."), ("a😀" * 9, "a😀...")],
)
def test_a_shortened_text_has_at_most_a_number_of_bytes(text: str, shown: str) -> None:
    assert shortened(text, 8) == shown
    assert len(shown.encode()) <= 8


class Misnamed(PythonDriver):
    """A DRA driver whose name has line breaks and escape codes. The kubelet does not know its services."""

    def _info(self, request: Any, context: Any) -> Any:
        info = super()._info(request, context)
        info.name = "gpu.example.com\n\x1b]0;forged\x07WARNING\u202e all is well"
        info.supported_versions[:] = ["v99.\x1b[31mDRAPlugin"]
        return info


def test_the_log_shows_the_name_of_a_refused_driver_in_one_line_without_escape_codes(
    api: FakeAPI, caplog: pytest.LogCaptureFixture
) -> None:
    with Misnamed(api.node()) as driver:
        assert driver.registered.wait(10)
        api.settle()
        assert api.node().drivers == []
    [line] = [record.getMessage() for record in caplog.records if "is refused" in record.getMessage()]
    assert line.startswith(
        "DRA driver gpu.example.com \\x1b]0;forged\\x07WARNING\\u202e all is well is refused: "
    )
    assert "v99.\\x1b[31mDRAPlugin" in line
    assert line.isprintable()
