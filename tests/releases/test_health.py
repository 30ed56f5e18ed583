"""Each release has Kubernetes' health checks under the same URL paths."""

import pytest

from fakeapi.releases import KNOWN_RELEASES, load_release

INITIALIZER = "poststarthook/start-{}apiserver-admission-initializer"
LIVE_ONLY = "loopback-serving-certificate"
"""A health check since 1.36 that is part of /livez, but not of /readyz."""


@pytest.mark.parametrize("release", KNOWN_RELEASES)
def test_ready_asks_all_that_live_asks_and_three_things_more(release: str) -> None:
    server = load_release(release)
    ready, live = server.health_checks("readyz"), server.health_checks("livez")
    assert live == server.health_checks("healthz")
    shared = [check for check in live if check != LIVE_ONLY]
    assert [check for check in ready if check in live] == shared
    assert [check for check in ready if check not in live] == ["etcd-readiness", "informer-sync", "shutdown"]
    assert len(set(ready)) == len(ready)


def test_checks_come_and_go_with_releases() -> None:
    by_release = [load_release(release).health_checks("livez") for release in KNOWN_RELEASES]
    assert [INITIALIZER.format("kube-") in checks for checks in by_release] == [True] * 3 + [False] * 8
    assert [INITIALIZER.format("") in checks for checks in by_release] == [False] * 3 + [True] * 8
    assert [len(checks) for checks in by_release] == [29, 30, 29, 29, 30, 30, 31, 31, 31, 34, 34]
