"""`fakeapi replay` prints divergences, writes reports, and exits with status 0, 1 or 2."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient
from tests.traces.sessions import RELEASE, changed, method, record, with_answer

LOG = Path(__file__).parents[2] / "fixtures" / "traces" / "audit-k8s1.31-v1alpha3.jsonl.gz"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("command") / "session.jsonl")


@pytest.fixture(scope="module")
def odd(session: Path) -> Path:
    def relabel(exchange: Any) -> Any:
        if method(exchange) == "PATCH":
            return with_answer(exchange, lambda value: value["metadata"].update(labels={"a": "b"}))
        return exchange

    return changed(session, session.with_name("odd.jsonl"), relabel)


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["replay", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_without_a_divergence_it_exits_with_0(session: Path) -> None:
    result = run(session)
    assert result.exit_code == 0
    assert "No divergence." in result.stdout


def test_with_one_it_exits_with_1_and_tells_it(odd: Path) -> None:
    result = run(odd)
    assert result.exit_code == 1
    assert "First divergence:" in result.stdout


def test_the_same_trace_prints_the_same_twice(odd: Path) -> None:
    assert run(odd).stdout == run(odd).stdout


@pytest.mark.parametrize("order", ["recorded", "actors", "fast"])
def test_json_is_for_machines_in_every_order(session: Path, order: str) -> None:
    value = json.loads(run(session, "--json", "--order", order).stdout)
    assert value["ok"]
    assert value["order"] == order


def test_quiet_prints_nothing_where_all_is_well(session: Path, odd: Path) -> None:
    assert run(session, "--quiet").output == ""
    assert "First divergence:" in run(odd, "--quiet").stdout


def test_strict_counts_what_is_not_served() -> None:
    assert run(LOG, "--strict").exit_code == 0
    found = run(LOG, "--strict", "--release", "1.37")  # 1.37 does not serve claims in v1alpha3
    assert found.exit_code == 1
    assert "resourceclaims (resource.k8s.io/v1alpha3): not of this release" in found.output


def test_ignored_fields_make_no_divergence(odd: Path) -> None:
    assert run(odd, "--ignore", "metadata.labels").exit_code == 0


def test_reports_are_written_whole(odd: Path, tmp_path: Path) -> None:
    run(odd, "--junit", tmp_path / "r.xml", "--html", tmp_path / "r.html")
    assert ET.parse(tmp_path / "r.xml").getroot().tag == "testsuites"
    assert (tmp_path / "r.html").read_text().endswith("</html>\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.xml"]


def test_it_asks_a_server_by_url_and_by_kubeconfig(session: Path) -> None:
    with FakeAPI(release=RELEASE, token="secret", tls=True) as api:
        assert run(session, "--kubeconfig", api.kubeconfig).exit_code == 0
        api.reset()
        named = ("--url", api.url, "--token", "secret")
        assert api.ca_file is not None
        assert run(session, *named, "--ca-file", api.ca_file).exit_code == 0
        api.reset()
        assert run(session, *named, "--insecure-skip-tls-verify").exit_code == 0
        refused = run(session, *named)
        assert refused.exit_code == 2
        assert "is not trusted" in refused.stderr


def test_a_token_that_is_not_taken_is_told_of(session: Path) -> None:
    with FakeAPI(release=RELEASE, token="secret") as api:
        result = run(session, "--server", api.url)
    assert result.exit_code == 2
    assert "does not list its resources" in result.stderr


@pytest.mark.parametrize("timing", ["none", "recorded", "50", "x50"])
def test_the_pace_may_be_chosen(session: Path, timing: str) -> None:
    assert run(session, "--timing", timing).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{log}", "--timing", "soon"], "neither none, recorded nor a number"),
        (["{log}", "--timing", "-1"], "neither none, recorded nor a number"),
        (["{log}", "--order", "random"], "recorded"),
        (["{log}", "--release", "1.99"], "1.99"),
        (["{log}", "--ignore", "a..b"], "not a field path"),
        (["{log}", "--feature-gates", "Nothing=maybe"], "Nothing"),
        (["{log}", "--server", "http://127.0.0.1:1"], "cannot connect to http://127.0.0.1:1"),
        (["{log}", "--server", "nowhere"], "not the URL of a server"),
        (["{log}", "--server", "http://x", "--kubeconfig", "y"], "not both"),
        (["{log}", "--kubeconfig", "/nowhere"], "/nowhere"),
        (["/nowhere.jsonl"], "/nowhere.jsonl: No such file"),
        (["{cut}"], "cut short"),
        (["{text}"], "is not a trace"),
        (["{log}", "--html", "/nowhere/page.html"], "/nowhere/page.html"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_with_status_2(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    cut, text = tmp_path / "cut.jsonl.gz", tmp_path / "text.jsonl"
    cut.write_bytes(LOG.read_bytes()[:4000])
    text.write_text("hello\n")
    result = run(*(each.format(log=LOG, cut=cut, text=text) for each in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.glob(".*"))


def test_a_server_that_stops_in_the_middle_is_told_of_with_the_place(session: Path) -> None:
    with FakeAPI(release=RELEASE) as api:
        url = api.url
        result: list[Result] = []
        thread = threading.Thread(
            target=lambda: result.append(run(session, "--server", url, "--timing", "0.05"))
        )
        thread.start()
        api.stop()
        thread.join()
    assert result[0].exit_code == 2
    assert result[0].stderr.strip().startswith("Error: ")


def test_the_command_and_its_help_are_known_without_loading_a_server() -> None:
    program = (
        "import sys; from fakeapi.cli.main import main; print(main.list_commands(None)); print(*sys.modules)"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "'replay'" in output
    assert "fakeapi.testing" not in output.split()


def shown(page: str) -> Any:
    """Returns the object at the resourceVersion to which a link in a report points.

    `page`: the link, an address of the server's web page.
    """
    url, _, fragment = page.partition("/_fakeapi/ui/#/object/")
    group, resource, namespace, name, version = fragment.split("/")
    with ControlClient(url) as client:
        answer = client.get("/history", group=group, resource=resource, namespace=namespace, name=name)
    return {each["resourceVersion"]: each["object"] for each in answer["versions"]}[version]


def test_a_divergence_on_a_server_with_a_page_leads_to_its_object(odd: Path) -> None:
    with FakeAPI(release=RELEASE) as api:
        first = json.loads(run(odd, "--server", api.url, "--json").stdout)["first"]
        assert shown(first["page"])["metadata"]["annotations"]
    with FakeAPI(release=RELEASE, control=False) as api:
        assert "page" not in json.loads(run(odd, "--server", api.url, "--json").stdout)["first"]


@pytest.mark.timeout(120)
def test_a_kept_server_shows_the_objects_of_divergences_until_it_is_interrupted(odd: Path) -> None:
    command = [sys.executable, "-m", "fakeapi", "replay", str(odd), "--keep"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        pages = (line.split()[1] for line in process.stdout if line.startswith("    see "))
        page = next(pages)
        while "until Ctrl-C" not in process.stderr.readline():
            pass
        assert shown(page)["kind"] == "ResourceClaim"
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait() == 1


def test_only_a_new_server_is_kept() -> None:
    result = CliRunner().invoke(main, ["replay", str(LOG), "--keep", "--server", "http://127.0.0.1:1"])
    assert result.exit_code == 2
    assert "--keep needs a new server: leave out --server and --kubeconfig" in result.stderr


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("FAKEAPI_REPLAY_URL", "--keep needs a new server"),
        ("FAKEAPI_REPLAY_ASSUME_PATCH", "Invalid value for '--patch-type'"),
    ],
)
def test_a_variable_with_the_old_name_of_an_option_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, text: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1")
    done = CliRunner().invoke(main, ["replay", str(tmp_path / "none.jsonl"), "--keep"])
    assert (done.exit_code, text in done.output) == (2, True)
