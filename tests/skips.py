"""Turns skipped tests into failures if the environment variable CI is set, because CI has all tools.

Without this rule, a test that CI skips would run nowhere. ALLOWED lists the reasons for which CI may still
skip a test.
"""

import os
import re
from collections.abc import Generator

import pytest

ALLOWED = (
    "(atheris|schemathesis) is not installed",  # `make torture` runs their parts
    "pytest-asyncio is not installed",  # the fixture is the same under anyio, which is installed
    "the module has no samples of its kinds",  # for modules without kinds in the samples
    "this system does not fork",
    "the system does not tell open files",
    "other systems have other allocators",
    "(typescript|axe-core) is not installed",  # checked where NODE_PATH has them
    "only root can give a thread its own network",  # the runners of CI are not root
    "firefox not installed",  # Chromium runs the tests of all views; Firefox one of each
)
"""Regular expressions for the skip reasons that CI allows."""


def is_failure(reason: str) -> bool:
    """Whether a skip with this reason counts as a failure: only if CI is set and ALLOWED does not match."""
    return bool(os.environ.get("CI")) and not any(re.search(pattern, reason) for pattern in ALLOWED)


def fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Changes the report of a skip into a failure if CI is set and the reason is not in ALLOWED."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    if is_failure(reason):
        report.outcome = "failed"
        report.longrepr = f"a skip is a failure where CI is set: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    fail_if_skipped(report)
    return report
