"""Lists, adds and removes the URLs that replace Services of webhooks."""

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.registry.webhooks.outbound import ServiceUrlError


class WebhookServiceList(msgspec.Struct):
    """Maps Services of webhooks to URLs. A Service is `ns/name` or `ns/name:443`; `ns` and `name` can be
    patterns.
    """

    services: dict[str, str]


class WebhookService(msgspec.Struct, forbid_unknown_fields=True):
    """A Service of webhooks, and the URL that replaces it.

    `service`: a name such as `ns/name:443`, or a pattern such as `*/*-webhook`.
    """

    service: str
    url: str


class ServiceQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query that names the Service to remove.

    `service`: the Service as GET lists it, such as `ns/name:443`.
    """

    service: str


async def read(call: Call) -> WebhookServiceList:
    return WebhookServiceList(call.server.cluster.service_urls.entries())


async def add(call: Call) -> WebhookServiceList:
    try:
        call.server.cluster.service_urls.add(f"{call.body.service}={call.body.url}")
    except ServiceUrlError as error:
        raise refused(400, str(error)) from None
    return await read(call)


async def remove(call: Call) -> None:
    service = call.query.service
    try:
        removed = call.server.cluster.service_urls.remove(service)
    except ServiceUrlError as error:
        raise refused(400, str(error)) from None
    if not removed:
        raise refused(404, f"the service {service!r} has no URL")


ROUTES = (
    Route(
        "GET", "/webhook-services", read, "The URLs of the Services of webhooks.", answer=WebhookServiceList
    ),
    Route(
        "POST",
        "/webhook-services",
        add,
        "Call the webhooks of a Service at a URL from now on.",
        answer=WebhookServiceList,
        body=WebhookService,
    ),
    Route("DELETE", "/webhook-services", remove, "Forget the URL of a Service.", query=ServiceQuery),
)
