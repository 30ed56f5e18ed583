"""The tests of a module can share one server, which the plugin resets before each test."""

import pytest

from fakeapi import FakeAPI
from tests.plugin.projects import project, write

__all__ = ["project"]

SEED = """
    pytestmark = pytest.mark.fakeapi(release="1.33", frozen_at="2199-01-01T00:00:00Z")

    @pytest.fixture(scope="module")
    def fakeapi_seed(fakeapi_module):
        fakeapi_module.create_namespace("team")
        fakeapi_module.clock.advance(60)
        fakeapi_module.faults.conflict("configmaps", called="mine")
        return "seeded"
"""


def test_every_test_begins_with_the_seed_and_nothing_of_another(project: pytest.Pytester) -> None:
    write(
        project,
        SEED
        + """
    seen = set()

    @pytest.mark.parametrize("turn", range(3))
    def test_state(fakeapi_seeded, fakeapi_seed, turn):
        seen.add(fakeapi_seeded.url)
        assert fakeapi_seed == "seeded"
        assert fakeapi_seeded.release == "1.33"
        assert len(fakeapi_seeded.requests) == 0
        assert names(fakeapi_seeded) == sorted(["team", *FIRST])
        now = fakeapi_seeded.create_namespace("mine")["metadata"]["creationTimestamp"]
        assert now == "2199-01-01T00:01:00Z"
        (fault,) = fakeapi_seeded.faults
        assert (fault.name, fault.fired) == ("mine", 0)
        with pytest.raises(Exception, match="409"):
            fakeapi_seeded.patch("ConfigMap", "none", {})
        fakeapi_seeded.faults.unavailable("get pods")
        fakeapi_seeded.delete("Namespace", "team")
        fakeapi_seeded.clock.advance(3600)
        fakeapi_seeded.clock.resume()

    def test_the_server_was_one(fakeapi_seeded):
        assert seen == {fakeapi_seeded.url}
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=4)


def test_a_module_has_a_server_of_its_own_beside_those_of_tests(project: pytest.Pytester) -> None:
    write(
        project,
        SEED
        + """
    def test_both(fakeapi_seeded, fakeapi):
        assert fakeapi_seeded.url != fakeapi.url
        assert names(fakeapi) == FIRST
    """,
    )
    project.makepyfile(
        test_other="def test_unseeded(fakeapi_seeded):\n    assert fakeapi_seeded.list('Pod') == []\n"
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_watch_of_an_earlier_test_ends_before_the_next_begins(project: pytest.Pytester) -> None:
    write(
        project,
        """
    kept = []

    def test_opens(fakeapi_seeded):
        kept.append(urllib.request.urlopen(f"{fakeapi_seeded.url}/api/v1/namespaces?watch=true", timeout=30))

    def test_sees_the_end(fakeapi_seeded):
        with kept.pop() as stream:
            while stream.readline():
                pass
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_what_makes_no_sense_is_one_line(project: pytest.Pytester) -> None:
    write(
        project,
        SEED
        + """
    @pytest.mark.fakeapi(release="1.31")
    def test_marked(fakeapi_seeded): ...

    def test_stops(fakeapi_seeded):
        fakeapi_seeded.stop()

    def test_stopped(fakeapi_seeded): ...
    """,
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines_random(
        [
            "*cannot change its module's server: put it into `pytestmark`*",
            "*an earlier test has stopped the module's server*",
        ]
    )


def test_a_failure_shows_the_requests_of_its_own_test_and_keeps_its_traffic(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.fixture(scope="module")
    def fakeapi_seed(fakeapi_module):
        fakeapi_module.create_namespace("seeded")

    def test_passes(fakeapi_seeded):
        fakeapi_seeded.create_namespace("unseen")

    def test_fails(fakeapi_seeded, fakeapi):
        fakeapi_seeded.create_namespace("mine")
        fakeapi.create_namespace("other")
        assert False
    """,
    )
    result = project.runpytest_subprocess("--fakeapi-record", "traces")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*create  namespaces mine  201*"])
    result.stdout.fnmatch_lines(["*create  namespaces other  201*"])
    result.stdout.no_fnmatch_line("*namespaces unseen*")
    result.stdout.no_fnmatch_line("*namespaces seeded*")
    assert len([*(project.path / "traces").iterdir()]) == 2


def test_strict_faults_hold_for_each_test_alone(project: pytest.Pytester) -> None:
    write(
        project,
        """
    pytestmark = pytest.mark.fakeapi(faults={"unavailable": "get namespaces"}, strict_faults=True)

    def test_met(fakeapi_seeded):
        with pytest.raises(Exception, match="503"):
            fakeapi_seeded.request("GET", "/api/v1/namespaces/default")

    def test_unmet(fakeapi_seeded):
        names(fakeapi_seeded)
    """,
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*faults that never fired: unavailable*"])


def test_a_baseline_is_of_objects_clock_and_faults(fakeapi: FakeAPI) -> None:
    fakeapi.clock.advance(3600)
    baseline = fakeapi.baseline()
    before = fakeapi.clock.now()
    fakeapi.clock.freeze()
    fakeapi.clock.advance(9999)
    fakeapi.return_to(baseline)
    assert not fakeapi.clock.frozen
    assert before <= fakeapi.clock.now() < before + 9999
