"""Services get addresses and ports from the ranges that the options of the server name."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

SERVICES = "/api/v1/namespaces/default/services"


@pytest.mark.parametrize("release", ["1.31", "1.34"])
def test_the_ranges_of_the_server_count(fakeapi_factory: Callable[..., FakeAPI], release: str) -> None:
    api = fakeapi_factory(
        release=release, service_cluster_ip_range="10.9.8.0/29", service_node_port_range="31000-31000"
    )
    assert ask(api, f"{SERVICES}/kubernetes").json()["spec"]["clusterIP"] == "10.9.8.1"
    body = {"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}}
    spec = ask(api, SERVICES, "POST", body).json()["spec"]
    assert spec["clusterIP"].startswith("10.9.8.")
    assert spec["ports"][0]["nodePort"] == 31000
    body["metadata"] = {"name": "t"}
    assert "range is full" in ask(api, SERVICES, "POST", body).json()["message"]
    other = {"metadata": {"name": "u"}, "spec": {"clusterIP": "10.0.0.5", "ports": [{"port": 80}]}}
    assert ask(api, SERVICES, "POST", other).code == 422


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"service_cluster_ip_range": "10.0.0.0/30"}, "has fewer than 8 addresses"),
        ({"service_cluster_ip_range": "fd00::/108"}, "is not an IPv4 range"),
        ({"service_node_port_range": "9-8"}, "is not from 1 to 65535"),
        ({"service_node_port_range": "many"}, "is not a range such as 30000-32767"),
    ],
)
def test_an_impossible_range_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FakeAPI(**options).start()


@pytest.mark.parametrize(("text", "last"), [("30000+5", 30005), ("30000-30005", 30005), ("30000", 30000)])
def test_a_range_of_ports_has_three_forms(text: str, last: int) -> None:
    from fakeapi.registry.model.service_network import ServiceNetwork

    assert ServiceNetwork.parse("10.0.0.0/24", text).node_ports == range(30000, last + 1)
