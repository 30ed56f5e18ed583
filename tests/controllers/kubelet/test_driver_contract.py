"""The kubelet treats simulated drivers and drivers over gRPC alike. The same tests run for both."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.controllers.kubelet.cluster_objects import (
    NAME,
    create_pod,
    create_template,
    publish_class,
    publish_slice,
)

RELEASES = ("1.31", "1.33", "1.36", "1.37")
WRONG = "00000000-0000-0000-0000-000000000000"
VERSIONS = {"1.31": "v1alpha3", "1.33": "v1beta2", "1.36": "v1", "1.37": "v1"}


class Subject(ABC):
    """A driver under test, simulated or over gRPC. The tests start it, stop it and make it fail."""

    def __init__(self, api: FakeAPI) -> None:
        self.api = api

    @abstractmethod
    def start(self) -> None:
        """Registers the driver and publishes two devices in the pool `node`."""

    @abstractmethod
    def stop(self) -> None:
        """Unregisters the driver."""

    @abstractmethod
    def fail(self, error: str) -> None:
        """Makes the driver return an error for each claim from now on. An empty text ends the errors."""

    @abstractmethod
    def answer_for_the_wrong_claim(self) -> None: ...

    @property
    @abstractmethod
    def prepared(self) -> list[str]:
        """The names of the claims in all successful prepare calls."""

    @property
    @abstractmethod
    def unprepared(self) -> list[str]: ...


class Simulated(Subject):
    def start(self) -> None:
        if self.api._running().drivers.by_name:
            self.api.driver(NAME).start()
        else:
            self.api.add_driver(
                {"name": NAME, "count": 2, "cdi": f"{NAME}/gpu", "classes": [], "attributes": {"model": "A"}}
            )
            publish_class(self.api, VERSIONS[str(self.api.release)])

    def stop(self) -> None:
        self.api.driver(NAME).stop()

    def fail(self, error: str) -> None:
        self.api.driver(NAME).prepare(error=error)

    def answer_for_the_wrong_claim(self) -> None:
        self.api.driver(NAME).prepare(wrong_claim=True)

    @property
    def prepared(self) -> list[str]:
        return self._claims("prepare")

    @property
    def unprepared(self) -> list[str]:
        return self._claims("unprepare")

    def _claims(self, call: str) -> list[str]:
        calls = [each for each in self.api.driver(NAME).calls if each.call == call and not each.error]
        return [claim.partition("/")[2] for each in calls for claim in each.claims]


class OverGRPC(Subject):
    def __init__(self, api: FakeAPI) -> None:
        super().__init__(api)
        from tests.controllers.kubelet import python_driver

        services = {"1.31": "1.0.0", "1.33": "v1beta1.DRAPlugin"}
        service = services.get(str(api.release), "v1.DRAPlugin")

        class Driver(python_driver.PythonDriver):
            wrong = False

            def _prepare(self, request: Any, context: Any) -> Any:
                answer = super()._prepare(request, context)
                if self.error:
                    self.prepared.clear()
                if self.wrong:
                    self.prepared.clear()
                    answer.claims[0].key = WRONG
                return answer

        self._driver = Driver(api.node(), service)
        publish_class(api, VERSIONS[str(api.release)])

    def start(self) -> None:
        self._driver.registered = threading.Event()
        self._driver.__enter__()
        assert self._driver.registered.wait(10)
        self.api.settle()
        if not self.api.list("ResourceSlice"):  # some releases delete the slices of a stopped driver at once
            publish_slice(self.api, VERSIONS[str(self.api.release)])

    def stop(self) -> None:
        self._driver.crash()
        node = self.api.node()
        for _ in range(500):
            if node.drivers == []:
                return
            threading.Event().wait(0.01)
        raise AssertionError("the driver is still registered")

    def fail(self, error: str) -> None:
        self._driver.error, self._driver.wrong = error, False

    def answer_for_the_wrong_claim(self) -> None:
        self._driver.wrong = True

    @property
    def prepared(self) -> list[str]:
        return list(self._driver.prepared)

    @property
    def unprepared(self) -> list[str]:
        return list(self._driver.unprepared)


@contextmanager
def cluster(release: str, kind: str) -> Iterator[Subject]:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=release, feature_gates=gates, controllers="all", seed=1) as api:
        api.settle()
        subject = Simulated(api) if kind == "simulated" else OverGRPC(api)
        create_template(api, VERSIONS[release])
        try:
            yield subject
        finally:
            if isinstance(subject, OverGRPC):
                subject._driver.crash()


@pytest.fixture(params=["simulated", "grpc"])
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "grpc":
        pytest.importorskip("grpc", reason="the extra node is not installed")
    return str(request.param)


@pytest.fixture(params=RELEASES)
def driver(request: pytest.FixtureRequest, kind: str) -> Iterator[Subject]:
    with cluster(request.param, kind) as subject:
        yield subject


def phase(api: FakeAPI, name: str = "pod") -> str:
    return str(api.get("Pod", name)["status"]["phase"])


def problems(api: FakeAPI) -> list[str]:
    events = api.list("Event", namespace="default", api_version="v1")
    messages = [each["message"] for each in events if each["reason"] == "FailedPrepareDynamicResources"]
    [claim] = api.list("ResourceClaim", namespace="default")
    return sorted({message.replace(claim["metadata"]["name"], "CLAIM") for message in messages})


def test_a_pod_runs_with_a_prepared_device_and_its_claim_is_unprepared(driver: Subject) -> None:
    api = driver.api
    driver.start()
    create_pod(api)
    api.settle()
    assert phase(api) == "Running"
    [claim] = api.list("ResourceClaim", namespace="default")
    assert driver.prepared == [claim["metadata"]["name"]]
    assert api.node().drivers == [NAME]
    assert api.node().cdi_devices("default", "pod") == [f"{NAME}/gpu=gpu-0"]
    api.delete("Pod", "pod")
    api.settle()
    assert driver.unprepared == driver.prepared
    assert api.list("Pod", namespace="default") == []
    assert api.list("ResourceClaim", namespace="default") == []


def test_an_error_of_the_driver_keeps_the_pod_pending_until_the_driver_works(driver: Subject) -> None:
    api = driver.api
    driver.start()
    driver.fail("out of smoke")
    create_pod(api)
    api.settle()
    assert phase(api) == "Pending"
    assert [message for message in problems(api) if "out of smoke" in message]
    driver.fail("")
    api.clock.advance(10)
    api.settle()
    assert phase(api) == "Running"


def test_a_pod_waits_until_its_driver_registers(driver: Subject) -> None:
    api = driver.api
    driver.start()
    driver.stop()
    create_pod(api)
    api.settle()
    assert phase(api) == "Pending"
    driver.start()
    api.settle()
    assert phase(api) == "Running"


def test_a_deleted_pod_stays_until_its_driver_is_back(driver: Subject) -> None:
    api = driver.api
    driver.start()
    create_pod(api)
    api.settle()
    driver.stop()
    api.delete("Pod", "pod")
    api.settle()
    assert api.get("Pod", "pod")["metadata"]["deletionTimestamp"]
    driver.start()
    api.settle()
    assert api.list("Pod", namespace="default") == []
    assert len(driver.unprepared) == 1


@pytest.mark.parametrize("release", RELEASES)
def test_the_events_about_failures_have_the_same_messages(release: str) -> None:
    pytest.importorskip("grpc", reason="the extra node is not installed")
    messages = [list(_failures(release, kind)) for kind in ("simulated", "grpc")]
    assert messages[0] == messages[1]
    assert all(messages[0][:2])


def _failures(release: str, kind: str) -> Iterator[list[str]]:
    """Yields the event messages for three failures: an error, a wrong claim, and an unregistered driver."""
    for fail in ("error", "wrong claim", "stopped"):
        with cluster(release, kind) as driver:
            driver.start()
            if fail == "error":
                driver.fail("out of smoke")
            elif fail == "wrong claim":
                driver.answer_for_the_wrong_claim()
            else:
                driver.stop()
            create_pod(driver.api)
            driver.api.settle()
            assert phase(driver.api) == "Pending"
            yield problems(driver.api)
