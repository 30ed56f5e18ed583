"""The tests run pytest with fakeapi's plugin in projects like those of the plugin's users."""

import subprocess
import sys

import pytest

from tests.plugin.projects import project, write

__all__ = ["project"]


def test_importing_the_plugin_loads_none_of_what_the_server_needs() -> None:
    program = "import sys, fakeapi.pytest_plugin; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"starlette", "sqlalchemy", "hypercorn", "yaml", "click", "msgspec", "trustme"}.isdisjoint(loaded)


def test_a_run_that_does_not_use_the_fixture_starts_no_server(project: pytest.Pytester) -> None:
    write(
        project,
        """
    def test_nothing():
        import sys, threading
        assert "fakeapi.pytest_plugin" in sys.modules
        assert {"starlette", "sqlalchemy", "hypercorn", "fakeapi.testing"}.isdisjoint(sys.modules)
        assert threading.active_count() == 1
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_each_test_has_an_empty_server_of_its_own(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.mark.parametrize("number", range(20))
    def test_state(fakeapi, number):
        assert names(fakeapi) == FIRST
        assert fakeapi.create_namespace("mine")["metadata"]["resourceVersion"].isdigit()
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=20)


def test_servers_are_reused_and_neither_addresses_nor_objects_are(project: pytest.Pytester) -> None:
    write(
        project,
        """
    seen = []

    @pytest.mark.parametrize("number", range(3))
    def test_state(fakeapi, number):
        [thread] = [thread for thread in threading.enumerate() if thread.name == "fakeapi"]
        for _, earlier, url, kubeconfig in seen:
            assert url != fakeapi.url and kubeconfig != fakeapi.kubeconfig and not kubeconfig.exists()
            with pytest.raises(OSError):
                urllib.request.urlopen(url + "/readyz", timeout=5)
            with pytest.raises(RuntimeError, match="not running"):  # a thread of an earlier test
                earlier.create_namespace("left-over")
        seen.append((thread.ident, fakeapi, fakeapi.url, fakeapi.kubeconfig))

    def test_reuse():
        assert len({thread for thread, *_ in seen}) == 1
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=4)


def test_the_marker_chooses_release_gates_and_options(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.mark.fakeapi(release="1.31", feature_gates={"DRAControlPlaneController": True})
    class TestMarked:
        def test_class(self, fakeapi):
            assert fakeapi.request("GET", "/version")["minor"] == "31"

        @pytest.mark.fakeapi(release="1.30", feature_gates={})
        def test_the_closest_wins(self, fakeapi):
            assert fakeapi.request("GET", "/version")["minor"] == "30"

        @pytest.mark.fakeapi(tls=True)
        def test_options_add_up(self, fakeapi):
            assert fakeapi.url.startswith("https:")
            assert fakeapi.request("GET", "/version")["minor"] == "31"

    @pytest.mark.parametrize("minor", [
        pytest.param(minor, marks=pytest.mark.fakeapi(release=f"1.{minor}")) for minor in ("27", "33")
    ])
    def test_parameters_may_be_marked(fakeapi, minor):
        assert fakeapi.request("GET", "/version")["minor"] == minor

    def test_none(fakeapi):
        assert fakeapi.request("GET", "/version")["minor"] == "37"
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=6)


def test_a_marker_that_makes_no_sense_is_a_clear_error(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.mark.fakeapi("1.31")
    def test_by_position(fakeapi): ...

    @pytest.mark.fakeapi(relase="1.31")
    def test_misspelt(fakeapi): ...

    @pytest.mark.fakeapi(release="2.0")
    def test_unknown(fakeapi): ...
    """,
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "*takes named options only*",
            "FakeAPI has no option relase; did you mean release?",
            "unknown Kubernetes release '2.0'*",
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()


def test_the_ini_file_gives_options_to_every_server_and_markers_go_first(project: pytest.Pytester) -> None:
    project.makeini(
        "[pytest]\nfakeapi_options =\n    release = 1.31\n    token = secret\n    history = 2\n    tls = true"
    )
    write(
        project,
        """
    def test_ini(fakeapi):
        assert (fakeapi.release, fakeapi.token) == ("1.31", "secret")
        assert fakeapi.url.startswith("https://")

    @pytest.mark.fakeapi(release="1.30", tls=False)
    def test_marker(fakeapi):
        assert (fakeapi.release, fakeapi.token) == ("1.30", "secret")
        assert fakeapi.url.startswith("http://")
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("relase = 1.31", "fakeapi_options: no option 'relase'*"),
        ("history = many", "fakeapi_options: history: 'many' is not a valid int"),
        ("tls = perhaps", "fakeapi_options: tls: 'perhaps' is not a valid bool"),
    ],
)
def test_an_option_of_the_ini_file_that_makes_no_sense_is_one_line(
    project: pytest.Pytester, line: str, words: str
) -> None:
    project.makeini(f"[pytest]\nfakeapi_options = {line}")
    write(project, "    def test_it(fakeapi): ...")
    result = project.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([words])


@pytest.mark.parametrize("way", ["option", "ini"])
def test_the_default_release_is_an_option_and_a_setting(project: pytest.Pytester, way: str) -> None:
    write(
        project,
        """
    def test_default(fakeapi, fakeapi_factory):
        assert fakeapi.request("GET", "/version")["minor"] == "29"
        assert fakeapi_factory().request("GET", "/version")["minor"] == "29"

    @pytest.mark.fakeapi(release="1.32")
    def test_marked(fakeapi):
        assert fakeapi.request("GET", "/version")["minor"] == "32"
    """,
    )
    arguments = ["--fakeapi-release=1.29"] if way == "option" else ["-o", "fakeapi_release=1.29"]
    project.runpytest_subprocess(*arguments).assert_outcomes(passed=2)


def test_a_watch_left_open_does_not_disturb_the_next_test(project: pytest.Pytester) -> None:
    write(
        project,
        """
    left = []

    @pytest.mark.parametrize("number", range(3))
    def test_leaves_a_watch(fakeapi, number):
        assert names(fakeapi) == FIRST
        connection = http.client.HTTPConnection("127.0.0.1", fakeapi.port, timeout=10)
        connection.request("GET", "/api/v1/namespaces?watch=true")
        response = connection.getresponse()
        assert json.loads(response.readline())["type"] == "ADDED"
        left.append((connection, response))

    def test_the_watches_ended_with_their_tests(fakeapi):
        for connection, response in left:
            events = [json.loads(line)["object"]["metadata"]["name"] for line in response]
            assert set(events) <= set(FIRST)
            connection.close()
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=4)


def test_a_client_left_over_cannot_write_into_the_next_test(project: pytest.Pytester) -> None:
    write(
        project,
        """
    from concurrent.futures import ThreadPoolExecutor
    from fakeapi.testing.client import Client

    stop = threading.Event()
    refused = threading.Event()

    def create_for_ever(url):
        client = Client(url)
        number = 0
        while not stop.is_set():
            number += 1
            try:
                client.create_namespace(f"stray-{number}")
            except OSError:
                refused.set()
            except Exception:
                pass
        client.close()

    pool = ThreadPoolExecutor(1)

    def test_leaves_a_writer(fakeapi):
        pool.submit(create_for_ever, fakeapi.url)
        while len(names(fakeapi)) < 10:
            pass

    def test_sees_nothing_of_it(fakeapi):
        assert refused.wait(10)
        assert names(fakeapi) == FIRST
        stop.set()
        pool.shutdown()
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_async_tests_need_no_plugin(project: pytest.Pytester) -> None:
    write(
        project,
        """
    async def ask(port, path):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n".encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer

    def test_async(fakeapi):
        async def main():
            return await asyncio.gather(*(ask(fakeapi.port, "/readyz") for _ in range(5)))

        assert all(answer.startswith(b"HTTP/1.1 200") for answer in asyncio.run(main()))

    def test_started_inside_a_loop(fakeapi_factory):
        async def main():
            return await ask(fakeapi_factory().port, "/readyz")

        assert asyncio.run(main()).endswith(b"ok")
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_factory_gives_a_test_several_servers(project: pytest.Pytester, pytester: pytest.Pytester) -> None:
    write(
        project,
        f"""
    def test_several(fakeapi, fakeapi_factory):
        old, new = fakeapi_factory(release="1.30"), fakeapi_factory(release="1.33")
        assert len({{fakeapi.url, old.url, new.url}}) == 3
        old.create_namespace("only-here")
        assert names(new) == FIRST
        assert names(old) == ["default", "kube-node-lease", "kube-public", "kube-system", "only-here"]

    def test_a_server_of_a_database_keeps_its_own_state(fakeapi_factory):
        path = {str(pytester.path / "state.db")!r}
        fakeapi_factory(database=path).create_namespace("kept")

    def test_which_a_later_one_finds(fakeapi_factory):
        assert "kept" in names(fakeapi_factory(database={str(pytester.path / "state.db")!r}))

    def test_a_server_may_be_stopped_by_its_test(fakeapi):
        fakeapi.stop()

    def test_and_the_next_test_has_one_again(fakeapi):
        assert names(fakeapi) == FIRST
    """,
    )
    project.runpytest_subprocess().assert_outcomes(passed=5)


def test_xdist_workers_have_servers_of_their_own(project: pytest.Pytester) -> None:
    write(
        project,
        """
    @pytest.mark.parametrize("number", range(12))
    def test_state(fakeapi, number):
        assert names(fakeapi) == FIRST
        fakeapi.create_namespace("mine")
    """,
    )
    project.runpytest_subprocess("-n", "2").assert_outcomes(passed=12)


def test_the_marker_and_the_fixtures_explain_themselves(project: pytest.Pytester) -> None:
    project.runpytest("--markers").stdout.fnmatch_lines(["@pytest.mark.fakeapi(release=*"])
    project.runpytest("--fixtures").stdout.fnmatch_lines(["fakeapi *", "*An empty Kubernetes API server*"])


def test_the_report_of_a_failed_test_has_the_last_requests_of_each_server(project: pytest.Pytester) -> None:
    write(
        project,
        """
    def test_fails(fakeapi, fakeapi_factory):
        fakeapi.create_namespace("mine")
        fakeapi_factory().create_namespace("other")
        assert False

    def test_passes(fakeapi):
        fakeapi.create_namespace("unseen")
    """,
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "*fakeapi requests of server 1*",
            "*create  namespaces mine  201*",
            "*requests of server 2*",
            "*other*",
        ]
    )
    result.stdout.no_fnmatch_line("*unseen*")


def test_a_fault_that_met_nothing_fails_its_test_where_that_is_asked_for(project: pytest.Pytester) -> None:
    write(
        project,
        """
    strict = pytest.mark.fakeapi(faults={"unavailable": "get namespaces"}, strict_faults=True)

    @strict
    def test_unmet(fakeapi):
        names(fakeapi)

    @strict
    def test_met(fakeapi):
        with pytest.raises(Exception, match="503"):
            fakeapi.request("GET", "/api/v1/namespaces/default")

    @pytest.mark.fakeapi(faults={"unavailable": "get namespaces"})
    def test_lax(fakeapi):
        pass

    @pytest.mark.fakeapi(faults={"conflikt": "pods"})
    def test_unknown(fakeapi):
        pass
    """,
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines_random(
        ["*faults that never fired: unavailable*", "*no ready-made fault 'conflikt'*"]
    )
