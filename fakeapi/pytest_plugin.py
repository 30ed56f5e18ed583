"""Fixtures and the marker for pytest.

pytest imports this module in every run of everyone who has the package installed, so it imports pytest alone;
the server is loaded by the first test that asks for it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fakeapi.server import FakeAPI

MARKER = (
    "fakeapi(release=..., feature_gates=..., **options): "
    "options of the server that the fixture `fakeapi` gives the test, as FakeAPI takes them"
)

_UNSHARED = frozenset({"database", "port", "kubeconfig", "tls_directory", "record"})
"""Options that tie a server to something outside of it: one is started for the test and stopped after it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fakeapi")
    group.addoption(
        "--fakeapi-release",
        metavar="RELEASE",
        help="the Kubernetes release that the fixture `fakeapi` serves where no marker names one, e.g. 1.31",
    )
    parser.addini("fakeapi_release", "the same as --fakeapi-release", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


class ServerPool:
    """Running servers by their options; one that comes back is renewed and given to the next test."""

    def __init__(self, release: str | None) -> None:
        self._release = release
        self._idle: dict[str, list[FakeAPI]] = {}

    def take(self, options: dict[str, Any]) -> "FakeAPI":
        """A server without objects, at an address that no earlier test knew."""
        from fakeapi.server import FakeAPI  # noqa: PLC0415 - see the module's docstring

        idle = self._idle.get(_key(options))
        if idle:
            return idle.pop()
        return FakeAPI(**{"release": self._release, **options}).start()

    def give_back(self, options: dict[str, Any], server: "FakeAPI") -> None:
        """Cuts off the test's clients. A server that the test stopped itself is forgotten."""
        if not server.running:
            return
        if not _UNSHARED.isdisjoint(options):
            server.stop()
            return
        try:
            server.renew()
        except BaseException:
            server.stop()
            raise
        self._idle.setdefault(_key(options), []).append(server)

    def close(self) -> None:
        for servers in self._idle.values():
            for server in servers:
                server.stop()
        self._idle.clear()


def _key(options: dict[str, Any]) -> str:
    normal = {
        name: sorted(value.items()) if isinstance(value, dict) else value for name, value in options.items()
    }
    return repr(sorted(normal.items()))


@pytest.fixture(scope="session")
def _fakeapi_pool(pytestconfig: pytest.Config) -> Iterator[ServerPool]:
    chosen = pytestconfig.getoption("fakeapi_release") or pytestconfig.getini("fakeapi_release")
    pool = ServerPool(chosen or None)
    yield pool
    pool.close()


@pytest.fixture
def fakeapi_factory(_fakeapi_pool: ServerPool) -> Iterator[Callable[..., "FakeAPI"]]:
    """Starts servers: `fakeapi_factory(release="1.30")`. Each is empty, and is taken back after the test."""
    with ExitStack() as taken:

        def factory(**options: Any) -> "FakeAPI":
            server = _fakeapi_pool.take(options)
            taken.callback(_fakeapi_pool.give_back, options, server)
            return server

        yield factory


@pytest.fixture
def fakeapi(request: pytest.FixtureRequest, fakeapi_factory: Callable[..., "FakeAPI"]) -> "FakeAPI":
    """An empty Kubernetes API server of the test's own; see the marker `fakeapi` for its options."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("fakeapi"))):  # the closest one comes last
        if marker.args:
            raise pytest.UsageError(f"the marker fakeapi takes named options only: {MARKER}")
        options.update(marker.kwargs)
    return fakeapi_factory(**options)
