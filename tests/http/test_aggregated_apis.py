"""An API that an APIService hands to a Service is unavailable, as in a cluster without this Service."""

from collections.abc import Callable

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
METRICS = "/apis/metrics.k8s.io/v1beta1"


@pytest.mark.parametrize("path", [METRICS, f"{METRICS}/nodes", f"{METRICS}/namespaces/default/pods/p"])
def test_the_api_of_another_server_is_unavailable(fakeapi_factory: Callable[..., FakeAPI], path: str) -> None:
    api = fakeapi_factory(release="1.34")
    assert ask(api, path).code == 404
    body = {
        "metadata": {"name": "v1beta1.metrics.k8s.io"},
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "metrics-server", "namespace": "kube-system"},
        },
    }
    assert ask(api, SERVICES, "POST", body).code == 201
    refused = ask(api, path)
    assert (refused.code, refused.body) == (503, b"service unavailable\n")
    ask(api, f"{SERVICES}/v1beta1.metrics.k8s.io", "DELETE")
    assert ask(api, path).code == 404
