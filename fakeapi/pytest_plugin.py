"""Fixtures and the marker for pytest.

pytest imports this module in every run of everyone who has the package installed, so it imports pytest alone;
the server is loaded by the first test that asks for it.
"""

import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import pytest

if TYPE_CHECKING:
    from fakeapi.testing.baseline import Baseline
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
"""Below the root directory; where failed tests' traces go unless another one is named."""

IDLE_SERVERS_MAX = 8
"""Servers that wait for a test with their options; of more the one that waited longest is stopped."""

SERVERS_MAX = 64
"""Running servers that one test may have from `fakeapi_factory`; asking for another fails the test."""

_NAME_MAX = 150


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


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.addinivalue_line("markers", RECORD_MARKER)


def refuse(problem: str) -> NoReturn:
    """Fails the test with one line, without a traceback through the plugin."""
    pytest.fail(problem, pytrace=False)


class ServerPool:
    """Running servers by their options; one that comes back is renewed and given to the next test."""

    def __init__(self, defaults: dict[str, Any]) -> None:
        self._defaults = defaults
        self._idle: list[tuple[str, FakeAPI]] = []
        """With a key of their options; the one that waits longest comes first."""

    def take(self, options: dict[str, Any]) -> "FakeAPI":
        """A server without objects, at an address that no earlier test knew."""
        from fakeapi import settings  # noqa: PLC0415 - see the module's docstring
        from fakeapi.testing.server import FakeAPI, StartError  # noqa: PLC0415 - the same

        key = _key(options)
        for position in reversed(range(len(self._idle))):
            if self._idle[position][0] == key:
                return self._idle.pop(position)[1]
        unknown = settings.unknown_options(options)
        if unknown:
            known = ", ".join(each.name for each, _ in settings.options())
            refuse(f"FakeAPI has no option {', '.join(unknown)}; it has {known}")
        try:
            return FakeAPI(**{**self._defaults, **options}).start()
        except (ValueError, StartError) as error:
            problem = str(error)
        refuse(problem)

    def give_back(self, options: dict[str, Any], server: "FakeAPI") -> None:
        """Cuts off the test's clients. A server that the test stopped itself is forgotten."""
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
    """The options that ini file and command line give to every server."""
    from fakeapi import settings  # noqa: PLC0415 - see the module's docstring

    found: dict[str, Any] = {}
    for line in config.getini("fakeapi_options"):
        name, _, text = (part.strip() for part in line.partition("="))
        try:
            found[name] = settings.read_option(name, text)
        except ValueError as error:
            problem = f"fakeapi_options: {error}"
        else:
            continue
        refuse(problem)
    release = config.getoption("fakeapi_release") or config.getini("fakeapi_release")
    return {**found, "release": release} if release else found


@pytest.fixture(scope="session")
def _fakeapi_pool(pytestconfig: pytest.Config) -> Iterator[ServerPool]:
    pool = ServerPool(_defaults(pytestconfig))
    yield pool
    pool.close()


class Recordings:
    """The traffic of one test with its servers, of each into a file of its own; kept if the test fails."""

    def __init__(self, directory: Path, test: str) -> None:
        self._directory = directory
        self._test = re.sub(r"[^\w.=-]+", "-", test).strip("-")[-_NAME_MAX:]
        self._unfinished: Path | None = None
        self._servers: list[tuple[FakeAPI, Path]] = []

    def begin(self, server: "FakeAPI") -> None:
        """Records a server, unless it records already, as its options say."""
        if server.recording:
            return
        if self._unfinished is None:
            self._unfinished = Path(tempfile.mkdtemp(prefix="fakeapi-record-"))
        number = f".{len(self._servers) + 1}" if self._servers else ""
        path = self._unfinished / f"{self._test}{number}.jsonl.gz"
        server.start_recording(path)
        self._servers.append((server, path))

    def keep(self) -> list[Path]:
        """Writes the files; again is no error."""
        kept = []
        for server, path in self._servers:
            if server.running and server.recording:
                server.stop_recording()
            if path.exists():
                self._directory.mkdir(parents=True, exist_ok=True)
                kept.append(Path(shutil.move(path, self._directory / path.name)))
        self._servers.clear()
        return kept

    def forget(self) -> None:
        """Discards all recordings that were not kept."""
        for server, _ in self._servers:
            if server.running:
                server.discard_recording()
        self._servers.clear()
        if self._unfinished is not None:
            shutil.rmtree(self._unfinished, ignore_errors=True)


_RECORDINGS = pytest.StashKey[Recordings]()
_SERVERS = pytest.StashKey["list[FakeAPI]"]()

REQUESTS_SHOWN = 20
"""Requests of each server that the report of a failed test shows."""


def _last_requests(servers: "list[FakeAPI]") -> Iterator[tuple[str, str]]:
    """Sections of a report: the last requests of each server that still runs and was asked anything."""
    for number, server in enumerate(servers, 1):
        text = server.requests.text(REQUESTS_SHOWN) if server.running else ""
        if text:
            which = f" of server {number}" if len(servers) > 1 else ""
            yield f"fakeapi requests{which}", text


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows in a failure's report the last requests, and where the traffic is."""
    report = yield
    if report.failed and report.when != "teardown":
        report.sections.extend(_last_requests(item.stash.get(_SERVERS, [])))
    recordings = item.stash.get(_RECORDINGS, None)
    if recordings is not None and report.failed and report.when != "teardown":
        for path in recordings.keep():
            text = f"The traffic of this test is in {path}\nTo see it again: fakeapi replay {path}"
            report.sections.append(("fakeapi traffic", text))
    return report


def _recordings(node: pytest.Item) -> Recordings | None:
    """The recordings of a test; None if recording was not asked for."""
    config = node.config
    chosen = config.getoption("fakeapi_record") or config.getini("fakeapi_record")
    marker = node.get_closest_marker("fakeapi_record")
    if marker is not None:
        if marker.args or marker.kwargs.keys() - {"directory"}:
            refuse(f"the marker fakeapi_record takes a directory only: {RECORD_MARKER}")
        chosen = marker.kwargs.get("directory") or chosen or RECORD_DIRECTORY
    return Recordings(config.rootpath / chosen, node.nodeid) if chosen else None


@pytest.fixture
def fakeapi_factory(
    request: pytest.FixtureRequest, _fakeapi_pool: ServerPool
) -> Iterator[Callable[..., "FakeAPI"]]:
    """Starts servers: `fakeapi_factory(release="1.30")`. Each is empty, and is taken back after the test.

    A test may have 64 of them at once.
    """
    with ExitStack() as taken, _Used(request.node) as used:

        def factory(**options: Any) -> "FakeAPI":
            if used.running >= SERVERS_MAX:
                refuse(
                    f"{used.running} servers of fakeapi_factory are running: stop one before the next starts"
                )
            server = _fakeapi_pool.take(options)
            taken.callback(_fakeapi_pool.give_back, options, server)
            used.add(server)
            return server

        yield factory


class _Used:
    """The servers that a test uses, which its report tells of and whose traffic is recorded if asked for.

    At its end, faults that met nothing fail the test where the server's options say so.
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
        """How many of the servers run."""
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
            refuse(f"faults that met nothing: {', '.join(unfired)}")


def _unfired_faults(server: "FakeAPI") -> list[str]:
    return server.faults.unfired() if server.strict_faults else []


@pytest.fixture
def fakeapi_replay(fakeapi_factory: Callable[..., "FakeAPI"]) -> Callable[..., "Report"]:
    """Replays a trace against an empty server of its release, and returns the report.

    Takes `release` and `feature_gates` for the server; the other options are those of `fakeapi.replay`.
    """

    def replay(trace: str | Path, **options: Any) -> "Report":
        from fakeapi.traces.formats.open import open_trace  # noqa: PLC0415 - see the module's docstring

        wanted = {name: options.pop(name) for name in ("release", "feature_gates") if name in options}
        with open_trace(trace) as reader:
            release = reader.header.release
        if release:
            wanted.setdefault("release", release)
        return fakeapi_factory(**wanted).replay(trace, **options)

    return replay


@pytest.fixture
def fakeapi(request: pytest.FixtureRequest, fakeapi_factory: Callable[..., "FakeAPI"]) -> "FakeAPI":
    """An empty Kubernetes API server of the test's own; see the marker `fakeapi` for its options."""
    return fakeapi_factory(**_marked_options(request.node))


def _marked_options(node: pytest.Item | pytest.Collector) -> dict[str, Any]:
    """The options of the markers of a test or a module, of which the closest goes first."""
    options: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("fakeapi"))):  # the closest one comes last
        if marker.args:
            refuse(f"the marker fakeapi takes named options only: {MARKER}")
        options.update(marker.kwargs)
    return options


@pytest.fixture(scope="module")
def fakeapi_module(request: pytest.FixtureRequest, _fakeapi_pool: ServerPool) -> Iterator["FakeAPI"]:
    """A server for the tests of a module, with the options of `pytestmark`; for `fakeapi_seed` to fill.

    Tests take it as `fakeapi_seeded`, which is the same server, put back before each.
    """
    options = _marked_options(request.node)
    server = _fakeapi_pool.take(options)
    yield server
    _fakeapi_pool.give_back(options, server)


@pytest.fixture(scope="module")
def fakeapi_seed(fakeapi_module: "FakeAPI") -> None:
    """Seeds the server of a module: override it with a fixture that fills `fakeapi_module`."""


@pytest.fixture(scope="module")
def _fakeapi_baseline(fakeapi_module: "FakeAPI", fakeapi_seed: object) -> "Baseline":
    return fakeapi_module.baseline()


@pytest.fixture
def fakeapi_seeded(
    request: pytest.FixtureRequest, fakeapi_module: "FakeAPI", _fakeapi_baseline: "Baseline"
) -> Iterator["FakeAPI"]:
    """The module's server as `fakeapi_seed` left it: objects, clock, faults; without earlier requests."""
    test, module = request.node, request.node.getparent(pytest.Module)
    if _marked_options(test) != _marked_options(module):
        refuse("the marker fakeapi of a test cannot change its module's server: put it into `pytestmark`")
    if not fakeapi_module.running:
        refuse("an earlier test has stopped the module's server")
    fakeapi_module.return_to(_fakeapi_baseline)
    with _Used(test) as used:
        used.add(fakeapi_module)
        yield fakeapi_module
