"""Runs a function as code under test, in another thread beside the test."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fakeapi import FakeAPI
from fakeapi.testing.client import Client


@contextmanager
def code_under_test(api: FakeAPI, work: Callable[[Client], object]) -> Iterator[None]:
    """Runs a function in another thread, with a client of its own. Its requests count as those of the code
    under test.
    """
    client = Client(api.url)
    client._connected._headers["User-Agent"] = "controller/v1"
    thread = threading.Thread(target=lambda: work(client))
    thread.start()
    try:
        yield
    finally:
        thread.join()
        client.close()
