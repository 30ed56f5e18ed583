"""The container image and the Compose file are consistent; these tests need no container engine."""

import json
import os
import re
import shlex
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fakeapi.cli.main import healthcheck, serve
from fakeapi.controllers import names
from fakeapi.testing.client import Client
from fakeapi_storage import parse_location
from tests.installation import ROOT, Installation

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICE: dict[str, Any] = COMPOSE["services"]["fakeapi"]
COPY: dict[str, Any] = COMPOSE["services"]["kubeconfig"]


def instructions(name: str) -> list[str]:
    text = DOCKERFILE.replace("\\\n", " ")
    return [line.split(maxsplit=1)[1] for line in text.splitlines() if line.startswith(f"{name} ")]


def image_environment() -> dict[str, str]:
    pairs = (pair.split("=", 1) for line in instructions("ENV") for pair in shlex.split(line))
    return {name: value for name, value in pairs if name.startswith("FAKEAPI_")}


def stack_environment(token: str = "") -> dict[str, str]:
    """Returns the environment variables that Compose sets in the server's container.

    `token`: the user's FAKEAPI_TOKEN; "" if the user does not set it.
    """
    chosen = {"FAKEAPI_TOKEN": token}

    def filled(found: re.Match[str]) -> str:
        name, operator, text = found.groups()
        return chosen.get(name) or text if operator == "-" else text if chosen.get(name) else ""

    environment = {
        key: re.sub(r"\$\{(\w+):?([-+])([^}]*)\}", filled, value)
        for key, value in SERVICE["environment"].items()
    }
    return {**image_environment(), **environment}


def variables_of(command: Any) -> set[str]:
    prefix = command.context_settings.get("auto_envvar_prefix", "")
    values = [param.envvar or f"{prefix}_{param.name.upper()}" for param in command.params]
    return {name for names in values for name in ([names] if isinstance(names, str) else names)}


def test_every_variable_that_is_set_is_an_option_of_the_server() -> None:
    assert set(stack_environment()) <= variables_of(serve)
    assert {"FAKEAPI_HOST", "FAKEAPI_PORT", "FAKEAPI_TLS"} <= variables_of(healthcheck)


def test_the_stack_has_controllers_nodes_and_a_simulated_driver() -> None:
    environment = stack_environment()
    assert "kubelet" in names.chosen(environment["FAKEAPI_CONTROLLERS"])
    assert environment["FAKEAPI_DRIVER"] == "gpu.example.com=8"
    assert environment["FAKEAPI_NODES"] == "node-1,node-2"


def test_a_profile_has_three_servers_on_one_database_behind_one_address() -> None:
    services = {name: each for name, each in COMPOSE["services"].items() if each.get("profiles") == ["scale"]}
    servers = {name: each for name, each in services.items() if each.get("build")}
    assert len(servers) == 3
    assert len({each["environment"]["FAKEAPI_DB"] for each in servers.values()}) == 1
    for each in servers.values():
        assert set(each["environment"]) <= variables_of(serve)
        assert (each["ports"], "data:/data" in each["volumes"]) == ([], False)
        assert each["depends_on"] == {"postgresql": {"condition": "service_healthy"}}
    assert "ports" not in services["postgresql"]
    assert all(port.startswith("127.0.0.1:") for port in services["scale"]["ports"])
    proxy = COMPOSE["configs"]["haproxy"]["content"]
    assert re.findall(r"^ *server (\S+) (\S+):8001$", proxy, re.MULTILINE) == [
        (each, each) for each in servers
    ]
    assert parse_location(servers["scale-1"]["environment"]["FAKEAPI_DB"]).engine == "postgresql"


def test_the_port_is_published_on_the_loopback_of_the_host_only() -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    assert instructions("EXPOSE") == ["8001"]


def test_the_database_is_on_a_volume_and_the_kubeconfig_on_the_host() -> None:
    mounts = {volume.split(":")[1]: volume.split(":")[0] for volume in SERVICE["volumes"]}
    assert mounts[str(Path(stack_environment()["FAKEAPI_DB"]).parent)] in COMPOSE["volumes"]
    written = mounts[str(Path(stack_environment()["FAKEAPI_KUBECONFIG"]).parent)]
    copied = {volume.split(":")[0]: volume.split(":")[1] for volume in COPY["volumes"]}
    assert copied == {written: "/from", "./kubeconfig": "/to"}
    assert COPY["environment"]["NAME"] == Path(stack_environment()["FAKEAPI_KUBECONFIG"]).name
    assert (ROOT / "kubeconfig").is_dir()
    assert (ROOT / mounts[stack_environment()["FAKEAPI_INSTALL"].rstrip("/")]).is_dir()


def test_the_image_is_built_from_files_that_are_sent_to_the_builder() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        name for line in instructions("COPY") if not line.startswith("--from") for name in line.split()[:-1]
    }
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)


def test_the_server_does_not_run_as_root() -> None:
    assert instructions("USER") == ["fakeapi"]
    assert "user" not in SERVICE


def test_the_kubeconfig_belongs_to_the_owner_of_its_folder(tmp_path: Path) -> None:
    source, target = tmp_path / "from", tmp_path / "to"
    source.mkdir()
    target.mkdir()
    (source / "config").write_text("kubeconfig", encoding="utf-8")
    (command,) = COPY["command"]
    script = command.replace("$$", "$").replace("/from", str(source)).replace("/to", str(target))
    subprocess.run(["sh", "-c", script], env={**os.environ, "NAME": "config"}, check=True)
    copy = (target / "config").stat()
    assert (copy.st_uid, copy.st_gid, copy.st_mode & 0o777) == (*owner_of(target), 0o600)


def owner_of(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_uid, status.st_gid


@pytest.mark.parametrize("token", ["", "secret"])
def test_the_commands_of_the_image_run(installation: Installation, tmp_path: Path, token: str) -> None:
    ready = tmp_path / "ready"
    environment = installation.environment(
        **{
            key: re.sub("^/(data|kubeconfig|manifests)/", f"{tmp_path}/", value)
            for key, value in stack_environment(token).items()
        },
    ) | {"FAKEAPI_PORT": "0", "FAKEAPI_READY_FILE": str(ready)}
    command = json.loads(instructions("ENTRYPOINT")[0]) + json.loads(instructions("CMD")[0])
    check = json.loads(instructions("HEALTHCHECK")[0].partition(" CMD ")[2])
    assert ["CMD", *check] == SERVICE["healthcheck"]["test"]
    (tmp_path / "samples.yaml").write_bytes((ROOT / "manifests" / "samples.yaml").read_bytes())
    with subprocess.Popen(
        [installation.bin / command[0], *command[1:]],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Serving ")
        facts = json.loads(ready.read_text())
        url = facts["url"]
        inside = {**environment, "FAKEAPI_PORT": url.rpartition(":")[2]}
        healthy = subprocess.run(
            [installation.bin / check[0], *check[1:]], env=inside, check=False, timeout=30
        )
        assert healthy.returncode == 0
        trust = ssl.create_default_context(cafile=facts["ca_file"]) if token else None
        client = Client(url, token=token or None, tls=trust)
        client.create_namespace("kept")
        client.wait_for("Pod", "training", namespace="samples", until="Ready", within=30)
        client.close()
        process.terminate()
        assert process.wait(10) == 0
    config = yaml.safe_load((tmp_path / "config").read_text())
    server = config["clusters"][0]["cluster"]["server"]
    assert server == ("https://127.0.0.1:8001" if token else "http://127.0.0.1:8001")
    assert config["users"][0]["user"] == ({"token": token} if token else {})
    assert (tmp_path / "fakeapi.db").stat().st_size > 0


def test_the_image_installs_the_locked_packages_of_the_extras() -> None:
    assert re.findall(r"--require-hashes -r (\S+)", DOCKERFILE) == ["requirements.lock"]
    locked = set(re.findall(r"^([\w-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert {"cel-expr-python", "grpcio", "asyncpg", "aiohttp", "zstandard"} <= locked


def test_the_base_image_is_a_supported_python() -> None:
    (version,) = re.findall(r"^ARG PYTHON=python:3\.(\d+)-slim", DOCKERFILE, re.MULTILINE)
    assert int(version) >= 13
