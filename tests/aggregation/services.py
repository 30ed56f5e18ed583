"""An APIService with a Service, its condition Available, and a server of fakeapi that delegates to it."""

from collections.abc import Callable
from typing import Any

from fakeapi import FakeAPI

NAME = "v1beta1.metrics.example.com"
METRICS = "/apis/metrics.example.com/v1beta1"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def api_service(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": NAME},
        "spec": {
            "group": "metrics.example.com",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "metrics", "namespace": "default"},
            **spec,
        },
    }


def served(make: Callable[..., FakeAPI], url: str, **options: Any) -> FakeAPI:
    """Returns a server of fakeapi with the APIService, whose Service is the server at `url`."""
    api = make(release="1.34", webhook_services=[f"default/metrics={url}"], **options)
    api.create(api_service())
    return api


def delegate(make: Callable[..., FakeAPI], url: str, **options: Any) -> FakeAPI:
    """Returns a server like `served`, when the APIService is available."""
    api = served(make, url, **options)
    condition(api, "Passed")
    return api


def condition(api: FakeAPI, reason: str) -> dict[str, Any]:
    """Waits until the condition Available has a reason, and returns the condition."""

    def has_reason(obj: dict[str, Any]) -> bool:
        return any(entry["reason"] == reason for entry in obj["status"].get("conditions", ()))

    conditions: list[dict[str, Any]] = api.wait_for("APIService", NAME, until=has_reason)["status"][
        "conditions"
    ]
    return conditions[0]
