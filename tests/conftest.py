"""What all tests share."""

import hypothesis
import pytest

from tests.installation import Installation, install

pytest_plugins = ("pytester", "tests.interop.plugin")

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return install(tmp_path_factory.mktemp("installation"))
