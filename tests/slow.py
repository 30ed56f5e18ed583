"""A pytest plugin whose option --fast leaves out slow tests, and tests that download.

`make test` uses --fast; `make test-all` runs all tests. slow_tests.txt lists the slow tests with their
measured seconds, one test in each line. The marker `network` marks tests that download. The end of the run
prints how many tests were left out.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).with_name("slow_tests.txt")
_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="leave out slow tests and tests that download")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: a test of slow_tests.txt, left out with --fast")
    config.addinivalue_line("markers", "network: a test that downloads, left out with --fast")
    config.stash[_LEFT_OUT] = 0


def slow_tests(text: str) -> dict[str, float]:
    """Parses the text of slow_tests.txt; returns seconds by node id, without the `[parameters]`."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {test: float(seconds) for seconds, test in lines}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = slow_tests(LIST.read_text(encoding="utf-8"))
    for item in items:
        if item.nodeid.partition("[")[0] in slow:
            item.add_marker(pytest.mark.slow)
    if config.getoption("fast"):
        left_out = [item for item in items if is_left_out(item)]
        items[:] = [item for item in items if not is_left_out(item)]
        config.stash[_LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)


def is_left_out(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("slow", "network"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Sends the number of left out tests from a worker of xdist to the main process, which prints it."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash[_LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for line in summary(config.stash[_LEFT_OUT]):
        terminalreporter.write_line(line)


def summary(left_out: int) -> Iterable[str]:
    """Yields the line about tests that --fast left out, or nothing if there are none."""
    if left_out:
        yield f"{left_out} slow tests and tests that download were left out: `make test-all` runs them too"
