"""Clients that tests of faults start: connections of the package kubernetes, and what they ask."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from kubernetes import client, config

from fakeapi import FakeAPI


@contextmanager
def core_client(api: FakeAPI) -> Iterator[client.CoreV1Api]:
    """The core API as the package kubernetes speaks it."""
    with config.new_client_from_config(str(api.kubeconfig)) as connection:
        yield client.CoreV1Api(connection)


def make(core: client.CoreV1Api, name: str, **more: Any) -> Any:
    """Creates a config map."""
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name))
    return core.create_namespaced_config_map("default", body, **more)


def names(stream: Iterable[Any], count: int) -> list[str]:
    """The names of the objects in the next events of a watch."""
    found = []
    for event in stream:
        found.append(event["object"].metadata.name)
        if len(found) == count:
            break
    return found
