"""A fixture that creates a test project which uses fakeapi's pytest plugin."""

import pytest

PRELUDE = """
    import asyncio, http.client, json, os, threading, urllib.request
    import pytest

    def names(api):
        return sorted(obj["metadata"]["name"] for obj in api.list("Namespace"))

    FIRST = ["default", "kube-node-lease", "kube-public", "kube-system"]
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Returns a project whose pytest turns warnings into errors, also warnings about unclosed resources."""
    pytester.makeini("[pytest]\naddopts = --strict-markers -p no:cacheprovider\nfilterwarnings = error")
    return pytester


def write(project: pytest.Pytester, tests: str) -> None:
    dedented = "\n".join(line.removeprefix("    ") for line in (PRELUDE + tests).splitlines())
    project.makepyfile(test_it=dedented)
