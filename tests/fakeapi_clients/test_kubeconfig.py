"""Clients read server, certificates and credentials from kubeconfigs; invalid files raise clear errors."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import TargetError
from tests.fakeapi_clients.kubeconfigs import kubeconfig


def credential(directory: Path, **user: Any) -> str | None:
    return asyncio.run(target_of_kubeconfig(kubeconfig(directory, user=user)).authorize())


def test_credentials_of_a_kubeconfig_become_a_header(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file\n")
    assert credential(tmp_path) is None
    assert credential(tmp_path, token="t") == "Bearer t"
    assert credential(tmp_path, tokenFile="token", token="t") == "Bearer from-file"
    assert credential(tmp_path, username="u", password="p") == "Basic dTpw"


def plugin(directory: Path, answer: str) -> dict[str, Any]:
    script = directory / "plugin"
    script.write_text(f"#!/bin/sh\necho asked >> {directory}/asked\n{answer}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./plugin",
        "args": ["x"],
        "env": None,
    }


@pytest.mark.parametrize(("until", "asked"), [("2999-01-01T00:00:00Z", 1), ("2000-01-01T00:00:00Z", 2)])
def test_a_credential_plugin_is_asked_when_its_answer_is_over(tmp_path: Path, until: str, asked: int) -> None:
    reply = json.dumps({"status": {"token": "t", "expirationTimestamp": until}})
    target = target_of_kubeconfig(kubeconfig(tmp_path, user={"exec": plugin(tmp_path, f"echo '{reply}'")}))
    assert asyncio.run(target.authorize()) == "Bearer t"
    assert asyncio.run(target.authorize()) == "Bearer t"
    assert (tmp_path / "asked").read_text().count("asked") == asked


@pytest.mark.parametrize("reply", ["exit 3", "echo no JSON", "echo {}"])
def test_a_credential_plugin_that_fails_is_told(tmp_path: Path, reply: str) -> None:
    with pytest.raises(TargetError, match="the credential plugin"):
        credential(tmp_path, exec=plugin(tmp_path, reply))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "config: not YAML: line 1"),
        ("[]", "is not a kubeconfig"),
        ("{}", "has no current-context"),
        ("current-context: c", "has no context named 'c'"),
        ("{current-context: c, contexts: [{name: c, context: {cluster: k}}]}", "has no cluster named 'k'"),
    ],
)
def test_a_kubeconfig_that_is_none_is_told(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "config").write_text(text)
    with pytest.raises(TargetError, match=problem):
        target_of_kubeconfig(tmp_path / "config")


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"cluster": {"server": "tcp://x"}}, "is not the URL of a server"),
        ({"cluster": {"server": "https://x", "certificate-authority": "none"}}, "cannot read .*none"),
        ({"cluster": {"server": "https://x", "certificate-authority-data": "?"}}, "is not base64"),
        (
            {"cluster": {"server": "https://x", "certificate-authority-data": "eA=="}},
            "authority is not a PEM certificate",
        ),
        ({"cluster": {"server": "https://x", "proxy-url": "http://p"}}, "proxy-url is not supported"),
        ({"user": {"auth-provider": {"name": "gcp"}}}, "auth-provider was removed"),
        ({"user": {"exec": {"apiVersion": "v0"}}}, "exec plugins of 'v0' are not supported"),
        (
            {"cluster": {"server": "https://x"}, "user": {"client-certificate-data": "eA=="}},
            "the client certificate or its key is invalid",
        ),
    ],
)
def test_what_a_kubeconfig_cannot_have_is_told(tmp_path: Path, parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(TargetError, match=problem):
        target_of_kubeconfig(kubeconfig(tmp_path, **parts))
