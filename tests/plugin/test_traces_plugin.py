"""The pytest plugin records the requests of failed tests, and replays traces in tests."""

import shutil
from pathlib import Path

import pytest

from fakeapi.traces.formats.open import open_trace

LOG = Path(__file__).parents[2] / "fixtures" / "traces" / "audit-k8s1.31-v1alpha3.jsonl.gz"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Returns a project whose pytest turns warnings into errors, also warnings about unclosed resources."""
    pytester.makeini("[pytest]\naddopts = --strict-markers -p no:cacheprovider\nfilterwarnings = error")
    return pytester


def write(project: pytest.Pytester, marker: str = "") -> None:
    project.makepyfile(
        test_it=f"""
        import pytest

        {marker}
        @pytest.mark.parametrize("name", ["a", "b/c"])
        def test_fails(fakeapi, fakeapi_factory, name):
            fakeapi.create_namespace("made")
            fakeapi_factory(release="1.30").list("Namespace")
            assert not name

        {marker}
        def test_passes(fakeapi):
            fakeapi.create_namespace("made")
        """
    )


def requests(path: Path) -> list[str]:
    with open_trace(path) as reader:
        return [f"{each.request.method} {each.request.target}" for each in reader]


def test_a_failing_test_leaves_its_traffic_and_names_the_file(project: pytest.Pytester) -> None:
    write(project, "@pytest.mark.fakeapi_record")
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=2)
    folder = project.path / "fakeapi-traces"
    files = sorted(path.name for path in folder.iterdir())
    assert files == [
        "test_it.py-test_fails-a.2.jsonl.gz",
        "test_it.py-test_fails-a.jsonl.gz",
        "test_it.py-test_fails-b-c.2.jsonl.gz",
        "test_it.py-test_fails-b-c.jsonl.gz",
    ]
    result.stdout.fnmatch_lines(
        [
            "*- fakeapi traffic -*",
            f"The traffic of this test is in {folder / 'test_it.py-test_fails-a.jsonl.gz'}",
            f"To see it again: fakeapi replay {folder / 'test_it.py-test_fails-a.jsonl.gz'}",
        ]
    )
    assert "POST /api/v1/namespaces" in requests(folder / files[1])
    assert requests(folder / files[0])[-1] == "GET /api/v1/namespaces"


def test_the_option_records_every_test_and_names_another_folder(project: pytest.Pytester) -> None:
    write(project)
    result = project.runpytest_subprocess("--fakeapi-record", "kept", "-n", "2")
    result.assert_outcomes(passed=1, failed=2)
    assert len(list((project.path / "kept").iterdir())) == 4


def test_the_folder_may_stand_in_the_configuration_and_in_the_marker(project: pytest.Pytester) -> None:
    write(project)
    project.makeini("[pytest]\nfakeapi_record = from-ini")
    project.runpytest_subprocess()
    assert (project.path / "from-ini").is_dir()
    write(project, '@pytest.mark.fakeapi_record(directory="from-marker")')
    project.runpytest_subprocess()
    assert (project.path / "from-marker").is_dir()


def test_nobody_who_did_not_ask_gets_a_file(project: pytest.Pytester) -> None:
    write(project)
    project.runpytest_subprocess().assert_outcomes(passed=1, failed=2)
    assert not list(project.path.rglob("*.jsonl*"))


def test_a_failing_fixture_leaves_its_traffic_too(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import pytest

        @pytest.fixture
        def broken(fakeapi):
            fakeapi.create_namespace("made")
            raise OSError

        @pytest.mark.fakeapi_record
        def test_never_begins(broken): ...
        """
    )
    project.runpytest_subprocess().assert_outcomes(errors=1)
    assert len(list((project.path / "fakeapi-traces").iterdir())) == 1


def test_the_marker_takes_a_directory_only(project: pytest.Pytester) -> None:
    write(project, '@pytest.mark.fakeapi_record("there")')
    result = project.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*the marker fakeapi_record takes a directory only*"])


def test_a_test_replays_a_trace_against_a_server_of_its_release(project: pytest.Pytester) -> None:
    shutil.copy(LOG, project.path / "log-k8s1.31.jsonl.gz")
    project.makepyfile(
        test_it="""
        import pytest

        def test_replay(fakeapi_replay):
            report = fakeapi_replay("log-k8s1.31.jsonl.gz", order="actors")
            assert report.ok, report
            assert report.target.endswith("(Kubernetes 1.31)")
            assert "1.32" in fakeapi_replay("log-k8s1.31.jsonl.gz", release="1.32").target
        """
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)
