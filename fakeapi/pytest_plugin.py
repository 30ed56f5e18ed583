"""Fixtures and markers for pytest.

Imports only pytest at first, because pytest loads this plugin in every session. The first test that uses a
server loads the server's code.
"""

import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

import pytest

if TYPE_CHECKING:
    from fakeapi.testing.baseline import Baseline
    from fakeapi.testing.factory import FakeAPIFactory, ReplayFunction
    from fakeapi.testing.recordings import Recordings
    from fakeapi.testing.server import FakeAPI
    from fakeapi.traces.reporting.report import Report

MARKER = (
    "fakeapi(release=..., feature_gates=..., **options): "
    "options of the server that the fixture `fakeapi` gives the test, as FakeAPI takes them"
)
RECORD_MARKER = (
    "fakeapi_record(directory=...): keep the traffic of the test with its servers, as a trace, if it fails; "
    "the failure report names the file"
)
RECORD_DIRECTORY = "fakeapi-traces"
"""Default directory for the traces of failed tests, below pytest's root directory."""

IDLE_SERVERS_MAX = 8
"""Maximum number of idle servers in the pool. A full pool stops the least recently used server."""

SERVERS_MAX = 64
"""Maximum number of servers that one test can run at once; starting another server fails the test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fakeapi")
    group.addoption(
        "--fakeapi-release",
        metavar="RELEASE",
        help="the Kubernetes release that the fixture `fakeapi` serves where no marker names one, e.g. 1.31",
    )
    parser.addini("fakeapi_release", "the same as --fakeapi-release", default="")
    parser.addini(
        "fakeapi_options",
        "options of all servers, a line `name = value` for each, as FakeAPI names them",
        type="linelist",
        default=[],
    )
    group.addoption(
        "--fakeapi-record",
        metavar="DIR",
        help="keep the traffic of failing tests with their servers there, as traces for `fakeapi replay`",
    )
    parser.addini("fakeapi_record", "the same as --fakeapi-record", default="")
    group.addoption(
        "--fakeapi-report",
        metavar="DIR",
        help="write an HTML page there for each failing test: its requests, objects, faults and events",
    )
    parser.addini("fakeapi_report", "the same as --fakeapi-report", default="")
    group.addoption(
        "--fakeapi-existing",
        metavar="KUBECONFIG",
        help="run tests with the fixture `fakeapi` on this cluster; skip tests that need more than the API",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.addinivalue_line("markers", RECORD_MARKER)


def refuse(problem: str) -> NoReturn:
    """Fails the test with a message, without a traceback."""
    pytest.fail(problem, pytrace=False)


class ServerPool:
    """A pool of running servers. Gives each test an empty server with its options."""

    def __init__(self, defaults: dict[str, Any]) -> None:
        self._defaults = defaults
        self._idle: list[tuple[str, FakeAPI]] = []
        """The idle servers with their options as text. The least recently used server is first."""

    def take(self, options: dict[str, Any]) -> "FakeAPI":
        """Returns a server with only its initial objects, at a new address.

        Fails the test if an option is unknown or invalid, or if the server cannot start. Also fails the test
        if another distribution has installed a package `fakeapi`.
        """
        from fakeapi import other_distribution, settings  # noqa: PLC0415 - see the module's docstring
        from fakeapi.testing.server import FakeAPI, StartError  # noqa: PLC0415 - see the module's docstring

        if other := other_distribution.problem():
            refuse(other)
        key = _key(options)
        for position in reversed(range(len(self._idle))):
            if self._idle[position][0] == key:
                return self._idle.pop(position)[1]
        if problem := settings.problem_of(options):
            refuse(problem)
        try:
            return FakeAPI(**{**self._defaults, **options}).start()
        except (ValueError, StartError) as error:
            problem = str(error)
        refuse(problem)

    def give_back(self, options: dict[str, Any], server: "FakeAPI") -> None:
        """Disconnects the clients of a server, empties the server and returns it to the pool.

        Stops the server instead if its options make it unusable for other tests, such as a storage file. Does
        nothing if the server is not running.
        """
        if not server.running:
            return
        from fakeapi.settings import is_shareable  # noqa: PLC0415 - see the module's docstring

        if not is_shareable({**self._defaults, **options}):
            server.stop()
            return
        try:
            renewed = server.renewed()
        except BaseException:
            server.stop()
            raise
        self._idle.append((_key(options), renewed))
        if len(self._idle) > IDLE_SERVERS_MAX:
            _, oldest = self._idle.pop(0)
            oldest.stop()

    def close(self) -> None:
        while self._idle:
            _, server = self._idle.pop()
            server.stop()


def _key(options: dict[str, Any]) -> str:
    normal = {
        name: sorted(value.items()) if isinstance(value, dict) else value for name, value in options.items()
    }
    return repr(sorted(normal.items()))


def _defaults(config: pytest.Config) -> dict[str, Any]:
    """Returns the options for all servers, from pytest's ini file and command line.

    Fails the test if a line of `fakeapi_options` is invalid.
    """
    from fakeapi import settings  # noqa: PLC0415 - see the module's docstring

    options: dict[str, Any] = {}
    for line in config.getini("fakeapi_options"):
        name, _, text = (part.strip() for part in line.partition("="))
        try:
            options[name] = settings.read_option(name, text)
        except ValueError as error:
            problem = f"fakeapi_options: {error}"
        else:
            continue
        refuse(problem)
    release = config.getoption("fakeapi_release") or config.getini("fakeapi_release")
    return {**options, "release": release} if release else options


@pytest.fixture(scope="session")
def _fakeapi_pool(pytestconfig: pytest.Config) -> Iterator[ServerPool]:
    if pytestconfig.getoption("fakeapi_existing") is not None:
        pytest.skip("the fixture starts servers, and --fakeapi-existing runs tests on a cluster")
    pool = ServerPool(_defaults(pytestconfig))
    yield pool
    pool.close()


_RECORDINGS = pytest.StashKey["Recordings"]()
_SERVERS = pytest.StashKey["list[FakeAPI]"]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Skips a test on an existing cluster if the test uses an attribute that only a fakeapi server has."""
    if item.config.getoption("fakeapi_existing") is None:
        return (yield)
    from fakeapi.testing.existing_cluster import NotOnExistingCluster  # noqa: PLC0415 - see the module's docstring

    try:
        return (yield)
    except NotOnExistingCluster as error:
        problem = str(error)
    pytest.skip(problem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the state of the servers to the report of a failed test, with the paths of traces and report
    pages.
    """
    report = yield
    if not report.failed or report.when == "teardown":
        return report
    if servers := _servers_of(item):
        _report_servers(item, report, servers)
    recordings = item.stash.get(_RECORDINGS, None)
    if recordings is not None:
        for path in recordings.keep():
            text = f"The traffic of this test is in {path}\nTo see it again: fakeapi replay {path}"
            report.sections.append(("fakeapi traffic", text))
    return report


def _servers_of(item: pytest.Item) -> "list[FakeAPI]":
    """Returns the servers of a test, including servers of fixtures with a wider scope."""
    servers: list[FakeAPI] = [*item.stash.get(_SERVERS, [])]
    module = sys.modules.get("fakeapi.testing.server")
    if module is not None:
        values = getattr(item, "funcargs", {}).values()
        servers += [each for each in values if isinstance(each, module.FakeAPI) and each not in servers]
    return servers


def _report_servers(item: pytest.Item, report: pytest.TestReport, servers: "list[FakeAPI]") -> None:
    """Adds the requests and the state of servers to a report. With --fakeapi-report, also writes a page."""
    from fakeapi.testing import failure_report  # noqa: PLC0415 - see the module's docstring

    directory = item.config.getoption("fakeapi_report") or item.config.getini("fakeapi_report")
    try:
        report.sections.extend(failure_report.sections(servers))
        if directory:
            from fakeapi.testing.failure_page import write_page  # noqa: PLC0415 - see the module's docstring

            path = write_page(item.config.rootpath / directory, item.nodeid, report.longreprtext, servers)
            report.sections.append(("fakeapi report", f"The page of this test is {path}"))
    except Exception as error:  # noqa: BLE001 - the test has failed already, and its own error counts
        report.sections.append(("fakeapi report", f"cannot report about the servers: {error!r}"))


def _recordings(node: pytest.Item) -> "Recordings | None":
    """Returns the recordings of a test; None if neither pytest's options nor a marker turn recording on."""
    config = node.config
    chosen = config.getoption("fakeapi_record") or config.getini("fakeapi_record")
    marker = node.get_closest_marker("fakeapi_record")
    if marker is not None:
        if marker.args or marker.kwargs.keys() - {"directory"}:
            refuse(f"the marker fakeapi_record takes a directory only: {RECORD_MARKER}")
        chosen = marker.kwargs.get("directory") or chosen or RECORD_DIRECTORY
    if not chosen:
        return None
    from fakeapi.testing.recordings import Recordings  # noqa: PLC0415 - see the module's docstring

    return Recordings(config.rootpath / chosen, node.nodeid)


@pytest.fixture
def fakeapi_factory(request: pytest.FixtureRequest, _fakeapi_pool: ServerPool) -> "Iterator[FakeAPIFactory]":
    """Returns a function that starts an empty server. Options are keywords:
    `fakeapi_factory(release="1.30")`.

    The fixture takes the servers back after the test. A test can run at most 64 servers at once.
    """
    from fakeapi.testing.factory import FakeAPIFactory  # noqa: PLC0415 - see the module's docstring

    with ExitStack() as taken, _Used(request.node) as used:

        def start(options: Mapping[str, Any]) -> "FakeAPI":
            if used.running >= SERVERS_MAX:
                refuse(
                    f"{used.running} servers of fakeapi_factory are running: stop one before the next starts"
                )
            server = _fakeapi_pool.take({**options})
            taken.callback(_fakeapi_pool.give_back, {**options}, server)
            used.add(server)
            return server

        yield FakeAPIFactory(start)


class _Used:
    """Context manager for the servers of one test.

    Records the traffic of the servers if recording is on. Adds their requests to the report of a failed test.
    At the end of a block without an error, fails the test if a running server has the option `strict_faults`
    and a fault that never fired.
    """

    def __init__(self, test: pytest.Item) -> None:
        self._test = test
        self._own: list[FakeAPI] = []
        recordings = _recordings(test)
        if recordings is not None:
            recordings = test.stash.setdefault(_RECORDINGS, recordings)
        self._recordings = recordings

    def add(self, server: "FakeAPI") -> None:
        self._own.append(server)
        self._test.stash.setdefault(_SERVERS, []).append(server)
        if self._recordings is not None:
            self._recordings.begin(server)

    @property
    def running(self) -> int:
        """The number of servers of this test that are running now."""
        return sum(server.running for server in self._own)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        unfired = [name for server in self._own if server.running for name in _unfired_faults(server)]
        self._test.stash[_SERVERS] = []
        if self._recordings is not None:
            self._recordings.forget()
            self._test.stash.setdefault(_RECORDINGS, self._recordings)
            del self._test.stash[_RECORDINGS]
        if unfired and kind is None:
            refuse(f"faults that never fired: {', '.join(unfired)}")


def _unfired_faults(server: "FakeAPI") -> list[str]:
    return server.faults.unfired() if server.strict_faults else []


@pytest.fixture
def fakeapi_replay(fakeapi_factory: "FakeAPIFactory") -> "ReplayFunction":
    """Returns a function that replays a trace against an empty server and returns a report.

    The server has the release of the trace, unless you pass `release`. You can also pass `feature_gates` for
    the server. All other keywords are options of `fakeapi.replay`.
    """

    def replay(
        trace: str | Path,
        *,
        release: str | None = None,
        feature_gates: "Mapping[str, bool] | str | None" = None,
        **how: Any,
    ) -> "Report":
        from fakeapi.traces.formats.open import open_trace  # noqa: PLC0415 - see the module's docstring

        with open_trace(trace) as reader:
            options = {"release": release or reader.header.release, "feature_gates": feature_gates}
        given: dict[str, Any] = {name: value for name, value in options.items() if value}
        return fakeapi_factory(**given).replay(trace, **how)

    return replay


@pytest.fixture
def fakeapi(request: pytest.FixtureRequest) -> "Iterator[FakeAPI]":
    """An empty Kubernetes API server for one test; the marker `fakeapi` sets its options.

    With --fakeapi-existing, the fixture is the existing cluster instead. The fixture skips the test if the
    marker names another release than the cluster has.
    """
    options = _marked_options(request.node)
    kubeconfig = request.config.getoption("fakeapi_existing")
    if kubeconfig is None:
        yield request.getfixturevalue("fakeapi_factory")(**options)
        return
    from fakeapi.testing.existing_cluster import existing_cluster  # noqa: PLC0415 - see the module's docstring

    with existing_cluster(kubeconfig) as cluster:
        release = options.get("release")
        if release and release != cluster.release:
            pytest.skip(f"the test is for release {release}, and the cluster has {cluster.release}")
        yield cast("FakeAPI", cluster)


def _marked_options(node: pytest.Item | pytest.Collector) -> dict[str, Any]:
    """Returns the options from the `fakeapi` markers of a test or module.

    The closest marker takes precedence. Fails the test if a marker has positional arguments or unknown
    options.
    """
    options: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("fakeapi"))):  # the closest marker comes first
        if marker.args:
            refuse(f"the marker fakeapi takes named options only: {MARKER}")
        options.update(marker.kwargs)
    if options:
        from fakeapi.settings import problem_of  # noqa: PLC0415 - see the module's docstring

        if problem := problem_of(options):
            refuse(problem)
    return options


def _shared_server(request: pytest.FixtureRequest, pool: ServerPool) -> "Iterator[FakeAPI]":
    """Yields a server with the options of the markers of a class, module, package or session."""
    options = _marked_options(request.node)
    server = pool.take(options)
    yield server
    pool.give_back(options, server)


@pytest.fixture(scope="class")
def fakeapi_class(request: pytest.FixtureRequest, _fakeapi_pool: ServerPool) -> "Iterator[FakeAPI]":
    """A server for all tests of a class, with the options of the marker `fakeapi` of the class."""
    yield from _shared_server(request, _fakeapi_pool)


@pytest.fixture(scope="module")
def fakeapi_module(request: pytest.FixtureRequest, _fakeapi_pool: ServerPool) -> "Iterator[FakeAPI]":
    """A server for all tests of a module, with the options of the marker `fakeapi` in `pytestmark`.

    The fixture `fakeapi_seed` fills the server. The fixture `fakeapi_seeded` returns the server to its seeded
    state before each test; use that fixture in tests.
    """
    yield from _shared_server(request, _fakeapi_pool)


@pytest.fixture(scope="package")
def fakeapi_package(request: pytest.FixtureRequest, _fakeapi_pool: ServerPool) -> "Iterator[FakeAPI]":
    """A server for all tests of a package, with the options of `fakeapi_options` in pytest's ini file."""
    yield from _shared_server(request, _fakeapi_pool)


@pytest.fixture(scope="session")
def fakeapi_session(request: pytest.FixtureRequest, _fakeapi_pool: ServerPool) -> "Iterator[FakeAPI]":
    """A server for all tests, with the options of `fakeapi_options` in pytest's ini file.

    With pytest-xdist, each worker has its own server.
    """
    yield from _shared_server(request, _fakeapi_pool)


@pytest.fixture(scope="module")
def fakeapi_seed(fakeapi_module: "FakeAPI") -> None:
    """Does nothing by default. Override this fixture with one that fills the server `fakeapi_module`."""


@pytest.fixture(scope="module")
def _fakeapi_baseline(fakeapi_module: "FakeAPI", fakeapi_seed: object) -> "Baseline":
    return fakeapi_module.baseline()


@pytest.fixture
def fakeapi_seeded(
    request: pytest.FixtureRequest, fakeapi_module: "FakeAPI", _fakeapi_baseline: "Baseline"
) -> Iterator["FakeAPI"]:
    """The module's server with the objects, clock and faults that the server had after `fakeapi_seed`.

    The journal is empty when the test starts.
    """
    test, module = request.node, request.node.getparent(pytest.Module)
    if _marked_options(test) != _marked_options(module):
        refuse("the marker fakeapi of a test cannot change its module's server: put it into `pytestmark`")
    if not fakeapi_module.running:
        refuse("an earlier test has stopped the module's server")
    fakeapi_module.return_to(_fakeapi_baseline)
    with _Used(test) as used:
        used.add(fakeapi_module)
        yield fakeapi_module
