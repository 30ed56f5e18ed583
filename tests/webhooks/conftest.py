"""Fixtures with webhook servers, and with API servers that call them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.webhooks.server import WebhookServer

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
Object = dict[str, Any]


@pytest.fixture
def webhooks() -> Iterator[Callable[..., WebhookServer]]:
    """Yields a function that starts a webhook server. The servers stop after the test."""
    with ExitStack() as stack:

        def start(**how: Any) -> WebhookServer:
            server = WebhookServer(**how)
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture
def hook(webhooks: Callable[..., WebhookServer]) -> WebhookServer:
    return webhooks()


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.33")


def webhook(config: Object, name: str = "hook.example.com", **settings: Any) -> Object:
    return {
        "name": name,
        "clientConfig": config,
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **settings,
    }


def configure(api: FakeAPI, kind: str, *hooks: Object, name: str = "hooks") -> None:
    """Creates a webhook configuration.

    `kind`: "Validating" or "Mutating". `hooks`: its webhooks. `name`: its name.
    """
    body = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": list(hooks),
    }
    api.create(body)


def config_map(name: str = "m", **more: Any) -> Object:
    labels = more.pop("labels", None)
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


def refusal(call: Callable[[], Any]) -> StatusError:
    with pytest.raises(StatusError) as refused:
        call()
    return refused.value
