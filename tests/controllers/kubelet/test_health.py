"""The kubelet copies the health of devices from the DRA driver's report to the status of the pod."""

import queue
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

import grpc

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.health import (
    DEVICES_MAX,
    MESSAGE_MAX,
    STALE_SECONDS,
    Health,
    HealthCache,
    HealthReport,
)
from fakeapi.controllers.kubelet.messages import MESSAGES
from tests.controllers.kubelet.python_driver import NAME, PythonDriver, create_pod, create_template, publish
from tests.interop.awaiting import await_objects

GATES = {"ResourceHealthStatus": True}
V1, ALPHA = "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"
HEALTHY, UNHEALTHY = 1, 2
Object = dict[str, Any]
GPU = ("node", "gpu-0")


def encoded(answer: Any) -> bytes:
    return answer if isinstance(answer, bytes) else bytes(answer.SerializeToString())


class Reporting(PythonDriver):
    """A DRA driver that streams health reports to the kubelet. `report` adds a report to the stream."""

    def __init__(self, node: Any, service: str) -> None:
        super().__init__(node)
        self.health = service
        self.reports: queue.Queue[Any] = queue.Queue()
        self.asked: queue.Queue[str] = queue.Queue()

    def begin(self, server: Any) -> None:
        handler = grpc.unary_stream_rpc_method_handler(
            self._watch, MESSAGES["HealthRequest"].FromString, encoded
        )
        server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(self.health, {"NodeWatchResources": handler})]
        )

    @property
    def services(self) -> list[str]:
        return [self.service, self.health]

    def _watch(self, request: Any, context: Any) -> Iterator[Any]:
        self.asked.put(self.health)
        context.add_callback(lambda: self.reports.put(None))
        while (report := self.reports.get()) is not None:
            yield report

    def report(self, state: int, message: str = "", seconds: int = 0) -> None:
        self.reports.put(MESSAGES["HealthResponse"](devices=[device(state, message, seconds)]))


def device(state: int, message: str = "", seconds: int = 0, name: str = "gpu-0") -> Any:
    return MESSAGES["DeviceHealth"](
        device={"pool_name": "node", "device_name": name},
        health=state,
        message=message,
        health_check_timeout_seconds=seconds,
    )


def reported_device(state: int, message: str = "", seconds: int = 0, name: str = "gpu-0") -> HealthReport:
    return HealthReport("node", name, state, message, float(seconds))


@pytest.fixture
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    with FakeAPI(release=request.param, feature_gates=GATES, controllers="all") as server:
        server.settle()
        publish(server, "v1")
        create_template(server, "v1")
        yield server


def shown(pod: Object) -> Any:
    return pod["status"]["containerStatuses"][0].get("allocatedResourcesStatus")


def await_shown(api: FakeAPI, wanted: Any) -> None:
    def reached(pods: list[Object]) -> bool:
        return [shown(each) for each in pods if "containerStatuses" in each["status"]] == [wanted]

    await_objects(api.url, "/api/v1/namespaces/default/pods", reached)


def of_gpu(**health: str) -> list[Object]:
    return [{"name": "claim:gpu", "resources": [{"resourceID": f"{NAME}/gpu=gpu-0", **health}]}]


@pytest.mark.parametrize(
    ("api", "service"), [("1.35", ALPHA), ("1.36", ALPHA), ("1.37", V1), ("1.37", ALPHA)], indirect=["api"]
)
def test_a_pod_shows_the_health_that_its_driver_reports(api: FakeAPI, service: str) -> None:
    says_why = api.release != "1.35"
    with Reporting(api.node(), service) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        await_shown(api, of_gpu(health="Unknown"))
        assert driver.asked.get(timeout=10) == service
        driver.report(HEALTHY)
        await_shown(api, of_gpu(health="Healthy"))
        driver.report(UNHEALTHY, "too hot")
        await_shown(api, of_gpu(health="Unhealthy", **({"message": "too hot"} if says_why else {})))


@pytest.mark.parametrize("api", ["1.34"], indirect=True)
def test_in_1_34_only_claims_that_are_named_as_in_the_pod_have_health(api: FakeAPI) -> None:
    with Reporting(api.node(), ALPHA) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        assert shown(api.get("Pod", "pod")) is None
        exactly = {"name": "r", "exactly": {"deviceClassName": "gpu"}}
        api.create(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaim",
                "metadata": {"name": "mine"},
                "spec": {"devices": {"requests": [exactly]}},
            }
        )
        container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "mine"}]}}
        spec = {
            "containers": [container],
            "resourceClaims": [{"name": "mine", "resourceClaimName": "mine"}],
        }
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "named"}, "spec": spec})
        api.settle()
        [found] = shown(api.get("Pod", "named"))
        assert found["name"] == "claim:mine"


@pytest.mark.parametrize("api", ["1.37"], indirect=True)
def test_a_driver_without_the_service_is_not_asked(api: FakeAPI) -> None:
    with PythonDriver(api.node()) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        api.settle()
        assert shown(api.get("Pod", "pod")) == of_gpu(health="Unknown")


@pytest.mark.parametrize("api", ["1.37"], indirect=True)
def test_garbage_in_the_stream_stops_nothing(api: FakeAPI) -> None:
    with Reporting(api.node(), V1) as driver:
        assert driver.registered.wait(10)
        create_pod(api)
        await_shown(api, of_gpu(health="Unknown"))
        driver.report(HEALTHY)
        await_shown(api, of_gpu(health="Healthy"))
        driver.reports.put(b"\xff\xff\xff")
        assert driver.asked.get(timeout=10) == driver.asked.get(timeout=20) == V1  # the kubelet reconnects
        driver.report(UNHEALTHY)
        await_shown(api, of_gpu(health="Unhealthy"))


def test_health_becomes_stale_after_the_time_that_the_driver_gives() -> None:
    cache = HealthCache(timeouts_are_given=True)
    cache.update(
        NAME, [reported_device(HEALTHY, seconds=5), reported_device(HEALTHY, name="gpu-1", seconds=-1)], 0.0
    )
    assert cache.get(NAME, GPU, 5.0).state == "Healthy"
    assert cache.get(NAME, GPU, 5.1) == Health()
    assert cache.get(NAME, ("node", "gpu-1"), STALE_SECONDS).state == "Healthy"
    assert cache.get(NAME, ("node", "gpu-1"), STALE_SECONDS + 0.1) == Health()


def test_a_release_without_such_times_holds_all_for_the_same_time() -> None:
    cache = HealthCache(timeouts_are_given=False)
    cache.update(NAME, [reported_device(HEALTHY, seconds=5)], 0.0)
    assert cache.get(NAME, GPU, STALE_SECONDS).state == "Healthy"


def test_a_device_that_is_not_named_any_more_changes_when_it_is_stale() -> None:
    cache = HealthCache(timeouts_are_given=True)
    assert cache.update(NAME, [reported_device(UNHEALTHY)], 0.0) == {GPU}
    assert cache.update(NAME, [reported_device(UNHEALTHY)], 1.0) == set()
    assert cache.update(NAME, [], 2.0) == set()
    assert cache.update(NAME, [], 40.0) == {GPU}
    assert cache.update(NAME, [], 80.0) == set()


def test_no_more_than_the_named_number_of_devices_are_kept() -> None:
    cache = HealthCache(timeouts_are_given=True)
    reported = [reported_device(HEALTHY, name=f"gpu-{number}") for number in range(DEVICES_MAX + 1)]
    assert len(cache.update(NAME, reported, 0.0)) == DEVICES_MAX
    assert cache.get(NAME, ("node", f"gpu-{DEVICES_MAX}"), 0.0) == Health()


def test_a_long_message_is_cut() -> None:
    cache = HealthCache(timeouts_are_given=True)
    cache.update(NAME, [reported_device(UNHEALTHY, "x" * (MESSAGE_MAX + 1))], 0.0)
    message = cache.get(NAME, GPU, 0.0).message
    assert len(message) == MESSAGE_MAX
    assert message.endswith("x...")
