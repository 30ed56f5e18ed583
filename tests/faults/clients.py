"""Helpers for tests that inject faults and send requests with the Python package `kubernetes`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from kubernetes import client, config

from fakeapi import FakeAPI


@contextmanager
def core_client(api: FakeAPI) -> Iterator[client.CoreV1Api]:
    """Yields the CoreV1Api of a client of the Python package `kubernetes` for the server."""
    with config.new_client_from_config(str(api.kubeconfig)) as connection:
        yield client.CoreV1Api(connection)


def make(core: client.CoreV1Api, name: str, **more: Any) -> Any:
    """Creates a ConfigMap in the namespace `default`; returns the response.

    `more`: further arguments of the client's method.
    """
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name))
    return core.create_namespaced_config_map("default", body, **more)


def names(stream: Iterable[Any], count: int) -> list[str]:
    """Reads the next `count` events of a watch; returns the names of their objects."""
    object_names = []
    for event in stream:
        object_names.append(event["object"].metadata.name)
        if len(object_names) == count:
            break
    return object_names
