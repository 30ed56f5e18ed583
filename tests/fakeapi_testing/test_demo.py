"""`fakeapi serve --demo` shows a pod with a device, a claim that cannot be allocated, and a preempted pod."""

import pytest

from fakeapi import FakeAPI
from fakeapi.machinery.cel import library
from fakeapi.testing import demo


@pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")
def test_the_demo_has_running_pods_a_pending_claim_and_a_preempted_pod() -> None:
    given = {"controllers": "", "drivers": (), "nodes": "node"}
    with FakeAPI(**demo.options_of(given)) as api:
        demo.play(api)
        api.clock.advance(60)
        api.settle()
        pods = {pod["metadata"]["name"]: pod["status"]["phase"] for pod in api.list("Pod", namespace="demo")}
        assert (pods["inference"], pods["urgent"], pods["too-large"]) == ("Running", "Running", "Pending")
        assert sorted(phase for name, phase in pods.items() if name.startswith("batch-")) == [
            "Pending",
            "Running",
        ]
        reasons = {event["reason"] for event in api.list("Event", namespace="demo", api_version="v1")}
        assert "Preempted" in reasons


def test_options_of_the_user_win_over_those_of_the_demo() -> None:
    given = {"controllers": "kubelet", "drivers": ("google-tpu",), "nodes": "mine"}
    assert demo.options_of(given) == given
