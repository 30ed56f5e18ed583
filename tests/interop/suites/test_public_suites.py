"""Suites of public projects pass on an envtest folder, without any change but KUBEBUILDER_ASSETS."""

from pathlib import Path

import pytest

from fakeapi.envtest.assets import prepare
from tests.interop.plugin import Report
from tests.interop.suites.public_suites import RUNTIME, SUITES, Suite
from tests.interop.suites.running import RUN_SECONDS, real_programs, run

NEWEST = ((RUNTIME, "1.37", "pkg/envtest"), (RUNTIME, "1.37", "pkg/client"))
"""The packages that also run with `--newest`, as in CI."""

CASES = [
    pytest.param(
        suite,
        package,
        id=f"{suite.name} {suite.version} {package}",
        marks=() if (suite.module, suite.release, package) in NEWEST else pytest.mark.older,
    )
    for suite in SUITES
    for package in suite.packages
]


@pytest.mark.parametrize(("suite", "package"), CASES)
@pytest.mark.timeout(6 * RUN_SECONDS)
def test_every_spec_of_the_suite_passes(
    suite: Suite, package: str, tmp_path: Path, report: Report, request: pytest.FixtureRequest
) -> None:
    outcome = run(suite, package, prepare(tmp_path, f"{suite.release}.0"))
    did = f"suite {package}: {outcome.summary}"
    if builds := request.config.getoption("real"):
        real = run(suite, package, real_programs(suite.release, builds, tmp_path / "real"))
        did += f"; with the real programs: {real.summary}"
    report(kind="suite", name=suite.name, version=suite.version, release=suite.release, did=did)
    assert outcome.failed == 0, outcome.output[-8000:]
    assert outcome.passed > 0, outcome.output[-8000:]
