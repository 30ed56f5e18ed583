"""The User-Agent of requests that only look at a server, for tests and their reports."""

OBSERVER = "fakeapi-observer"
"""The User-Agent of an observer's requests. The journal does not keep them, and no fault affects them.

Discovery, waiting and failure reports of `fakeapi.testing` use it, so that they do not disturb the test.
"""

OBSERVER_BYTES = OBSERVER.encode()

HELPER = "fakeapi"
"""The User-Agent of the methods of `FakeAPI`, such as `create`. Reports leave its requests out."""
