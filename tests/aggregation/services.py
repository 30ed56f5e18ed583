"""An APIService with a Service, and its condition Available."""

from typing import Any

from fakeapi import FakeAPI

NAME = "v1beta1.metrics.example.com"
METRICS = "/apis/metrics.example.com/v1beta1"


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


def condition(api: FakeAPI, reason: str) -> dict[str, Any]:
    """Waits until the condition Available has a reason, and returns the condition."""

    def has_reason(obj: dict[str, Any]) -> bool:
        return any(entry["reason"] == reason for entry in obj["status"].get("conditions", ()))

    conditions: list[dict[str, Any]] = api.wait_for("APIService", NAME, until=has_reason)["status"][
        "conditions"
    ]
    return conditions[0]
