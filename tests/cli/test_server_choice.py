"""Commands for a running server choose the server from options, variables and the default."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from fakeapi import FakeAPI
from fakeapi.cli import server_choice
from fakeapi.cli.main import main

CLOSED = "http://127.0.0.1:1"
"""A URL where no server listens."""


@pytest.fixture(autouse=True)
def default_without_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses CLOSED as default instead of port 8001, where a server of the user can listen."""
    for name in ("FAKEAPI_SERVER", "FAKEAPI_TOKEN", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(server_choice, "DEFAULT_SERVER", CLOSED)


@pytest.fixture(scope="module")
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as server:
        server.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker"}})
        yield server


@pytest.fixture(scope="module")
def other() -> Iterator[FakeAPI]:
    with FakeAPI() as server:
        yield server


@pytest.fixture(scope="module")
def real() -> Iterator[FakeAPI]:
    """A server without the control API, like the server of a real cluster."""
    with FakeAPI(control=False) as server:
        server.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "real"}})
        yield server


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def faults(*arguments: str) -> str:
    """Returns the output of `fakeapi faults list`."""
    return run("faults", "list", *arguments).output


@pytest.fixture(scope="module", autouse=True)
def armed(api: FakeAPI) -> None:
    """Arms a fault, so that `faults list` shows which server answers."""
    api.faults.conflict("update leases")


def test_the_kubeconfig_variable_names_the_server(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig))
    assert "leases" in faults()


def test_an_option_is_stronger_than_the_variables(
    api: FakeAPI, other: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(other.kubeconfig))
    monkeypatch.setenv("FAKEAPI_SERVER", other.url)
    assert "leases" in faults("--server", api.url)
    assert "leases" in faults("--kubeconfig", str(api.kubeconfig))


def test_the_server_variable_is_stronger_than_the_kubeconfig_variable(
    api: FakeAPI, other: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(other.kubeconfig))
    monkeypatch.setenv("FAKEAPI_SERVER", api.url)
    assert "leases" in faults()


def test_the_first_readable_file_of_the_kubeconfig_variable_counts(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'none'}:{api.kubeconfig}")
    assert "leases" in faults()


def test_an_unreadable_file_of_the_kubeconfig_variable_is_noted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "gone"))
    first, second = faults().splitlines()
    assert first == f"Note: $KUBECONFIG names {tmp_path / 'gone'}, which cannot be read; asking {CLOSED}"
    assert second.startswith(f"Error: {CLOSED} does not answer: ")


def test_a_token_on_the_command_line_belongs_to_the_default_server(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig))
    assert CLOSED in faults("--token", "secret")


def test_server_and_kubeconfig_exclude_each_other(api: FakeAPI) -> None:
    result = run("top", "--once", "--server", api.url, "--kubeconfig", str(api.kubeconfig))
    assert result.exit_code == 2
    assert "Set --server or --kubeconfig, not both." in result.output


@pytest.mark.parametrize(
    "arguments",
    [["top", "--once"], ["explain", "pod", "x"], ["drivers", "list"], ["export"], ["import", "MANIFEST"]],
)
def test_an_error_of_the_default_server_names_the_option(arguments: list[str], tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    result = run(*(str(manifest) if one == "MANIFEST" else one for one in arguments))
    assert result.exit_code == 1
    assert CLOSED in result.output
    assert result.output.endswith("; name the server with --server\n")


def test_an_error_of_a_server_from_a_variable_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKEAPI_SERVER", CLOSED)
    assert faults().endswith("; $FAKEAPI_SERVER names this server, --server names another\n")


def test_a_command_for_the_control_api_refuses_a_real_cluster_in_one_line(
    real: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(real.kubeconfig))
    message = f"Error: {real.url} ($KUBECONFIG) is not a fakeapi server with a control API"
    assert faults() == f"{message}; name a fakeapi server with --server\n"


def test_a_cluster_that_forbids_the_path_of_the_control_api_is_not_fakeapi() -> None:
    class Forbidding(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(
                {"message": 'forbidden: User "jane" cannot get path "/_fakeapi/faults"'}
            ).encode()
            self.send_response(403)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name in http.server
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Forbidding) as cluster:
        Thread(target=cluster.serve_forever, daemon=True).start()
        output = faults("--server", f"http://127.0.0.1:{cluster.server_port}")
        cluster.shutdown()
    assert "is not a fakeapi server with a control API" in output


def test_a_user_without_rights_keeps_the_message_of_fakeapi(tmp_path: Path) -> None:
    users = tmp_path / "users.csv"
    users.write_text("jane,jane,1\n")
    with FakeAPI(token="secret", token_users=users) as server:
        output = faults("--server", server.url, "--token", "jane")
    assert output == "Error: fakeapi: the control API is for users in the group system:masters\n"


def test_explain_reads_the_real_cluster_of_the_kubeconfig_variable(
    real: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(real.kubeconfig))
    result = run("explain", "node", "real")
    assert (result.exit_code, result.output.split(":")[0].split()[:2]) == (0, ["node", "real"])


def test_explain_asks_the_fakeapi_server_of_the_kubeconfig_variable(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig))
    before = len(api.requests)
    assert run("explain", "node", "worker").output == api.explain("node", "worker").text
    assert len(api.requests) == before, "the control API explains, so no object is read"


def test_explain_says_which_server_lacks_the_object(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig))
    result = run("explain", "node", "gone")
    assert result.exit_code == 1
    assert result.stderr == f"Asked {api.url} ($KUBECONFIG); --server names another server.\n"


def test_an_import_never_writes_to_the_real_cluster_of_the_kubeconfig_variable(
    real: FakeAPI, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(real.kubeconfig))
    manifest = tmp_path / "a.yaml"
    manifest.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    result = run("import", str(manifest))
    assert result.exit_code == 1
    assert f"{real.url} ($KUBECONFIG) is not a fakeapi server" in result.output
    assert "name one with --server" in result.output


def test_an_export_says_which_server_a_variable_names(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig))
    assert run("export").stderr == f"exported 1 object: nodes 1, from {api.url} ($KUBECONFIG)\n"


def test_a_port_is_refused_with_the_option_that_names_a_server() -> None:
    result = run("explain", "pod", "x", "--port", "9200")
    assert result.exit_code == 2
    assert result.output.endswith("No such option '--port'. Write --server http://127.0.0.1:9200.\n")
    assert "--port" not in run("explain", "--help").output


def test_an_address_without_a_scheme_is_refused_with_the_url() -> None:
    output = faults("--server", "127.0.0.1:9200")
    assert "write http://127.0.0.1:9200 or https://127.0.0.1:9200" in output


@pytest.mark.parametrize("arguments", [("explain", "pod", "a"), ("faults", "list"), ("export",)])
def test_an_untrusted_certificate_leads_to_the_options_for_its_ca(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with FakeAPI(tls=True) as secure:
        url = secure.url
        result = run(*arguments, "--server", url)
    assert result.exit_code == 1
    assert f"Error: the certificate of {url} is not trusted: " in result.output
    assert "; --ca-file names the file of its CA, or --kubeconfig" in result.output
