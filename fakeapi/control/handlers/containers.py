"""Lists, adds and removes the behaviours of simulated containers."""

from typing import Any

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.registry.node_connections import Kubelets


class BehaviourList(msgspec.Struct):
    """Behaviours of simulated containers, oldest first. docs/pods.md describes their fields."""

    containers: list[dict[str, Any]]


def _kubelets(call: Call) -> Kubelets:
    kubelets = call.server.cluster.server.kubelets
    if kubelets is None:
        raise refused(409, "the controller kubelet does not run: add it to --controllers")
    return kubelets


async def read(call: Call) -> BehaviourList:
    return BehaviourList(_kubelets(call).behaviours())


async def add(call: Call) -> BehaviourList:
    body = call.body
    if isinstance(body, dict) and body.keys() == {"containers"}:
        body = body["containers"]
    values = body if isinstance(body, list) else [body]
    if not all(isinstance(value, dict) for value in values):
        raise refused(400, "a behaviour, or a list of behaviours, is expected")
    kubelets = _kubelets(call)
    try:
        kubelets.add_behaviours(values)
    except ValueError as error:
        raise refused(400, str(error)) from None
    return BehaviourList(kubelets.behaviours())


async def remove(call: Call) -> None:
    _kubelets(call).clear_behaviours()


ROUTES = (
    Route(
        "GET",
        "/containers",
        read,
        "The behaviours of simulated containers, oldest first.",
        answer=BehaviourList,
    ),
    Route(
        "POST",
        "/containers",
        add,
        "Add one behaviour of containers or a list of them: all, or none.",
        answer=BehaviourList,
        body=Any,
    ),
    Route("DELETE", "/containers", remove, "Remove all behaviours of containers."),
)
