"""Servers live for a test, a class, a module, a package or a session, in every kind of test suite."""

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.testing.existing_cluster import existing_cluster
from fakeapi.testing.objects import config_map, pod
from tests.plugin.projects import project, write

__all__ = ["project"]


@pytest.mark.parametrize("scope", ["class", "module", "package", "session"])
def test_a_server_is_shared_in_its_scope(project: pytest.Pytester, scope: str) -> None:
    project.makeini("[pytest]\nfakeapi_options =\n    release = 1.33\nfilterwarnings = error")
    project.makepyfile(__init__="")
    write(
        project,
        f"""
    class TestShared:
        def test_creates(self, fakeapi_{scope}):
            assert fakeapi_{scope}.release == "1.33"
            fakeapi_{scope}.create_namespace("mine")

        def test_sees_it(self, fakeapi_{scope}):
            assert "mine" in names(fakeapi_{scope})

    def test_of_its_own(fakeapi):
        assert names(fakeapi) == FIRST
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=3)


def test_the_marker_of_a_class_sets_the_options_of_its_server(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.mark.fakeapi(release="1.31")
    class TestOld:
        def test_release(self, fakeapi_class):
            assert fakeapi_class.release == "1.31"
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_anyio_tests_use_the_fixture(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.mark.anyio
    @pytest.mark.parametrize("anyio_backend", ["asyncio"])
    async def test_state(fakeapi):
        assert await asyncio.to_thread(names, fakeapi) == FIRST
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_pytest_asyncio_tests_use_the_fixture(project: pytest.Pytester) -> None:
    pytest.importorskip("pytest_asyncio", reason="pytest-asyncio is not installed")
    scope = "asyncio_default_fixture_loop_scope = function"
    project.makeini(f"[pytest]\nfilterwarnings = error\n{scope}")
    write(
        project,
        """
    @pytest.mark.asyncio
    async def test_state(fakeapi):
        assert await asyncio.to_thread(names, fakeapi) == FIRST
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_unittest_shares_a_server_and_returns_it_to_its_baseline(project: pytest.Pytester) -> None:
    write(
        project,
        """
    import unittest
    from fakeapi import FakeAPI

    class TestClaims(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.api = cls.enterClassContext(FakeAPI())
            cls.baseline = cls.api.baseline()

        def setUp(self):
            self.api.return_to(self.baseline)

        def test_one(self):
            self.assertEqual(names(self.api), FIRST)
            self.api.create_namespace("mine")

        def test_two(self):
            self.test_one()
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_server_is_an_asynchronous_context_manager(project: pytest.Pytester) -> None:
    write(
        project,
        """
    from fakeapi import FakeAPI

    def test_block():
        async def use():
            async with FakeAPI() as api:
                assert names(api) == FIRST
                return api

        assert not asyncio.run(use()).running
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_an_existing_cluster_loses_the_objects_that_a_test_has_stored() -> None:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
    }
    with FakeAPI() as cluster:
        cluster.create(config_map("theirs"))
        with existing_cluster(cluster.kubeconfig) as api:
            api.create(config_map("mine"), fieldManager="driver")
            with pytest.raises(StatusError, match="already exists"):
                api.create(config_map("theirs"))
            api.create(config_map("tried"), dryRun="All")
            assert api.create(review)["status"]["allowed"]
            assert len(api.list("ConfigMap", namespace="default")) == 2
        assert [each["metadata"]["name"] for each in cluster.list("ConfigMap", namespace="default")] == [
            "theirs"
        ]


def test_a_pod_of_an_existing_cluster_is_explained_by_get_requests() -> None:
    with FakeAPI(tls=True, token="secret") as cluster, existing_cluster(cluster.kubeconfig) as api:
        api.create(pod("train", claims={"gpu": "gpu"}))
        cluster.requests.clear()
        explained = api.explain("pod", "train")
        assert (explained.verdict, explained.summary) == (
            "pending",
            "ResourceClaim default/gpu does not exist",
        )
        assert {each.method for each in cluster.requests} == {"GET"}
        with pytest.raises(ValueError, match="cannot be explained"):
            api.explain("secret", "train")


def test_impersonation_on_an_existing_cluster_keeps_the_token_of_the_kubeconfig() -> None:
    with FakeAPI(tls=True, token="secret") as cluster, existing_cluster(cluster.kubeconfig) as api:
        assert api.as_user("jane").as_user("system:admin").get("Namespace", "default")


def test_tests_run_on_an_existing_cluster_where_they_use_only_the_api(project: pytest.Pytester) -> None:
    write(
        project,
        """
    def test_uses_the_api(fakeapi):
        fakeapi.create_namespace("mine")
        fakeapi.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, namespace="mine")
        assert fakeapi.wait_for("ConfigMap", "a", namespace="mine")
        assert fakeapi.eventually(lambda: fakeapi.list("ConfigMap", namespace="mine"))
        assert fakeapi.as_user("jane").get("Namespace", "mine")

    def test_uses_faults(fakeapi):
        fakeapi.faults.conflict("pods")

    def test_uses_the_factory(fakeapi_factory): ...

    @pytest.mark.fakeapi(release="1.31")
    def test_of_another_release(fakeapi): ...

    @pytest.mark.fakeapi(release="1.34")
    def test_of_its_release(fakeapi):
        assert fakeapi.release == "1.34"
        assert fakeapi.kubeconfig.exists()
        with pytest.raises(AttributeError):
            fakeapi.nothing
    """,
    )
    with FakeAPI(release="1.34", tls=True) as cluster:
        cluster.create_namespace("theirs")
        result = project.runpytest_subprocess("-rs", f"--fakeapi-existing={cluster.kubeconfig}")
        result.assert_outcomes(passed=2, skipped=3)
        deleted = {
            each["metadata"]["name"]: "deletionTimestamp" in each["metadata"]
            for each in cluster.list("Namespace")
        }
        assert (deleted["theirs"], deleted["mine"]) == (False, True)
        assert cluster.list("ConfigMap", namespace="mine") == []
    result.stdout.fnmatch_lines_random(
        [
            "*`faults` needs a fakeapi server, not an existing cluster",
            "*the test is for release 1.31, and the cluster has 1.34",
            "*the fixture starts servers*",
        ]
    )
