"""A pytest plugin. Its option --fast leaves out slow tests, downloads, and most cases of very large tests.

`make test` uses --fast; `make test-all` runs all tests. slow_tests.txt lists the slow tests with their
measured seconds. sampled_tests.txt lists tests with hundreds of cases; --fast runs every n-th case of them.
The marker `network` marks tests that download. At the end, pytest prints how many cases --fast left out.
"""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).with_name("slow_tests.txt")
SAMPLED = Path(__file__).with_name("sampled_tests.txt")
_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="leave out slow tests and tests that download")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: a test of slow_tests.txt, left out with --fast")
    config.addinivalue_line("markers", "network: a test that downloads, left out with --fast")
    config.stash[_LEFT_OUT] = 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Returns two workers for each core with --fast, because quick tests often wait for a server.

    Returns None without --fast, so that pytest-xdist chooses the number.
    """
    return 2 * (os.cpu_count() or 1) if config.getoption("fast") else None


def numbers(text: str) -> dict[str, float]:
    """Parses the lines of a list of tests; returns the number of each test.

    A line is `NUMBER TEST`. TEST is a pytest node id without `[parameters]`.
    """
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {test: float(number) for number, test in lines}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = numbers(LIST.read_text(encoding="utf-8"))
    for item in items:
        if _test_of(item) in slow:
            item.add_marker(pytest.mark.slow)
    if config.getoption("fast"):
        left_out = set(_left_out(items))
        items[:] = [item for item in items if item not in left_out]
        config.stash[_LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=list(left_out))


def _left_out(items: Iterable[pytest.Item]) -> Iterable[pytest.Item]:
    """Yields the cases that --fast leaves out.

    Of a sampled test, keeps the first case and every n-th case.
    """
    sampled = numbers(SAMPLED.read_text(encoding="utf-8"))
    cases = Counter[str]()
    for item in items:
        test = _test_of(item)
        is_sampled_out = cases[test] % sampled.get(test, 1) != 0
        cases[test] += 1
        if is_sampled_out or any(item.get_closest_marker(name) for name in ("slow", "network")):
            yield item


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Sends the number of left out cases from a worker of pytest-xdist to the main process."""
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
    """Yields a line about the number of cases that --fast left out; nothing if it is 0."""
    if left_out:
        yield (
            f"{left_out} cases were left out: slow tests, downloads, and most of tests with hundreds; "
            "`make test-all` runs all"
        )
