"""The pytest plugin limits how many idle servers it keeps, and how many servers one test may use."""

import threading

import pytest

from fakeapi.pytest_plugin import IDLE_SERVERS_MAX, ServerPool


def running() -> int:
    return sum(thread.name == "fakeapi" for thread in threading.enumerate())


def test_of_too_many_idle_servers_the_least_recently_used_is_stopped() -> None:
    pool, before = ServerPool({}), running()
    first, second = {"history": 1}, {"history": 2}
    for number in range(1, IDLE_SERVERS_MAX + 1):
        pool.give_back({"history": number}, pool.take({"history": number}))
    assert running() - before == IDLE_SERVERS_MAX
    pool.give_back(first, pool.take(first))
    other = pool.take({"history": 1000})
    assert running() - before == IDLE_SERVERS_MAX + 1
    pool.give_back({"history": 1000}, other)
    assert running() - before == IDLE_SERVERS_MAX
    reused, started = pool.take(first), pool.take(second)
    assert running() - before == IDLE_SERVERS_MAX + 1, "only the server with the second options was stopped"
    reused.stop()
    started.stop()
    pool.close()
    assert running() == before


def test_a_test_with_too_many_servers_fails_and_says_why(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it="""
        import threading
        import fakeapi.pytest_plugin

        def test_stopped_servers_do_not_count(fakeapi_factory, monkeypatch):
            monkeypatch.setattr(fakeapi.pytest_plugin, "SERVERS_MAX", 2)
            fakeapi_factory()
            for _ in range(3):
                fakeapi_factory().stop()

        def test_too_many(fakeapi_factory, monkeypatch):
            monkeypatch.setattr(fakeapi.pytest_plugin, "SERVERS_MAX", 2)
            for _ in range(3):
                fakeapi_factory()

        def test_the_servers_of_the_failed_test_are_taken_back(fakeapi_factory):
            assert sum(thread.name == "fakeapi" for thread in threading.enumerate()) == 2
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*2 servers of fakeapi_factory are running: stop one before the next starts*"]
    )


def test_a_driver_of_one_test_does_not_exist_in_the_next_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it="""
        import pytest

        POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
               "spec": {"containers": [{"name": "main", "image": "busybox"}]}}

        def check_bare(api):
            assert api.list("Node") == []
            api.create(POD)
            assert api.get("Pod", "p")["status"]["phase"] == "Pending"
            with pytest.raises(RuntimeError, match="no controllers run"):
                api.settle()

        def test_with_a_driver(fakeapi, fakeapi_factory):
            fakeapi.add_driver("gpu.example.com", nodes={"a": 1})
            fakeapi_factory().add_driver("gpu.example.com", nodes={"a": 1})

        def test_without_a_driver(fakeapi, fakeapi_factory):
            check_bare(fakeapi)
            check_bare(fakeapi_factory())
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)
