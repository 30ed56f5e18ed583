"""The User-Agent of observers: requests of tests and reports that only read the state of a server."""

OBSERVER = "fakeapi-observer"
"""The User-Agent of an observer's requests. The journal does not keep these requests.

No fault affects these requests. Discovery, waiting and failure reports of `fakeapi.testing` use this
User-Agent, so that they do not disturb the test.
"""

OBSERVER_BYTES = OBSERVER.encode()

HELPER = "fakeapi"
"""The User-Agent of the methods of `FakeAPI`, such as `create`.

Reports show these requests only if the code under test has sent no requests.
"""
