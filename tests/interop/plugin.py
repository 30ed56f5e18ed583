"""The pytest options of `make interop`, and a fixture for the rows of the compatibility table."""

import datetime as dt
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.interop import results
from tests.interop.results import Row
from tests.interop.toolchain import Built, built_now

LAST_RUN = results.ROOT / "build" / "interop" / "results.jsonl"
_PROPERTY = "interop"


class Report(Protocol):
    def __call__(self, *, kind: str, name: str, version: str, release: str, did: str) -> None: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("interop", "clients and components (make interop)")
    group.addoption("--newest", action="store_true", help="leave out tests of older releases")
    group.addoption(
        "--record",
        action="store_true",
        help="write what was run into tests/interop/results.jsonl and docs/compatibility.md",
    )
    group.addoption(
        "--real",
        type=Path,
        metavar="FOLDER",
        help="run the suites with etcd and kube-apiserver of FOLDER too, which Go builds there first",
    )
    group.addoption(
        "--component-seconds",
        type=float,
        default=20.0,
        help="how long the components of Kubernetes are watched for errors (300 before a release)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "older: a test of an older release, left out with --newest")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collector(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("newest"):
        left_out = [item for item in items if item.get_closest_marker("older")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Report:
    """Returns a function that adds a row to the compatibility table, with the result of the test.

    A test calls the function first, so that a failed test also has a row. The arguments are cells of the row:

    - `kind`: "component", "driver", "client", "suite" or "example"
    - `name`: the name of the client or component
    - `version`: the version of the client or component
    - `release`: the server's Kubernetes release
    - `did`: a short description of the test
    """

    def add(**fields: str) -> None:
        request.node.user_properties.append((_PROPERTY, fields))

    return add


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Yields a temporary directory whose path is short enough for Unix sockets; deletes it at the end."""
    path = Path(tempfile.mkdtemp(prefix="fa"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


class _Collector:
    """Collects the compatibility rows that tests report, also tests in pytest-xdist's workers.

    When pytest ends, prints the rows, and records them if the option `--record` is set.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._rows: list[Row] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self._rows += rows_of(report)

    def pytest_sessionfinish(self) -> None:
        if not self._rows:
            return
        results.write(self._rows, LAST_RUN)
        if self._config.getoption("record"):
            results.write(results.merged(results.read(), self._rows))
            results.write_page()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        built = built_now()
        if not (built or self._rows):
            return
        terminalreporter.section("clients and components")
        for line in summary(self._rows, built):
            terminalreporter.write_line(line)


def rows_of(report: pytest.TestReport) -> Iterator[Row]:
    result = results.PASSES if report.passed else f"fails: {_first_line(report)}"
    day = dt.datetime.now(dt.UTC).date().isoformat()
    for name, fields in report.user_properties:
        if name == _PROPERTY:
            assert isinstance(fields, dict)
            yield Row(**fields, result=result, test=report.nodeid, day=day)


def _first_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr).partition("\n")[0][:200]


def summary(rows: list[Row], built: list[Built]) -> Iterator[str]:
    for each in built:
        yield f"built {each.name} in {each.seconds:.0f} s"
    for row in sorted(rows, key=lambda row: row.order):
        yield f"{row.name} {row.version} with {row.release}: {row.did}: {row.result}"
