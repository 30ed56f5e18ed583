"""Token files keep tokens out of command lines, which other users can see in process lists."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI, token_file
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient
from fakeapi.clients.errors import StatusError
from fakeapi.testing.client import Client
from fakeapi.token_file import TokenFileError, given_token, read_token


def file(directory: Path, content: bytes, mode: int = 0o600) -> Path:
    path = directory / "token"
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("content", [b"secret", b"secret\n", b"secret\r\n"])
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o440])
def test_one_newline_at_the_end_of_a_token_file_is_not_part_of_the_token(
    tmp_path: Path, content: bytes, mode: int
) -> None:
    assert read_token(file(tmp_path, content, mode)) == "secret"


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o620, 0o602, 0o666])
def test_a_token_file_that_other_users_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    path = file(tmp_path, b"secret", mode)
    with pytest.raises(TokenFileError, match=f"open to other users of this machine .mode {mode:04o}.: chmod"):
        read_token(path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b"secret\n\n", "must hold one line"),
        (b"one\ntwo", "must hold one line"),
        (b"one two", "must hold one line"),
        (b" secret", "must hold one line"),
        (b"secr\xc3\xa9t", "must hold one line"),
        (b"a\0b", "must hold one line"),
        (b"s" * (token_file.TOKEN_MAX + 1), "longer than 65536 bytes"),
    ],
)
def test_a_token_file_that_holds_no_token_is_refused_without_showing_it(
    tmp_path: Path, content: bytes, why: str
) -> None:
    with pytest.raises(TokenFileError, match=why) as refused:
        read_token(file(tmp_path, content))
    assert "secr" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_token_file_must_be_a_regular_file_that_can_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path, why in ((tmp_path, "not a regular file"), (tmp_path / "pipe", "not a regular file")):
        with pytest.raises(TokenFileError, match=why):
            read_token(path)
    with pytest.raises(TokenFileError, match=r"cannot read the token file .*: No such file"):
        read_token(tmp_path / "missing")


def test_a_token_is_given_once_and_not_empty(tmp_path: Path) -> None:
    path = file(tmp_path, b"secret")
    assert (given_token(None, None), given_token("a", None), given_token(None, path)) == (None, "a", "secret")
    with pytest.raises(ValueError, match="given twice"):
        given_token("a", path)
    for options in ({"token": ""}, {"token": "a", "token_file": path}, {"token_file": tmp_path / "missing"}):
        with pytest.raises(ValueError, match="token"):
            FakeAPI(**options)


def test_a_server_asks_for_the_token_in_its_file(tmp_path: Path) -> None:
    with FakeAPI(token_file=file(tmp_path, b"secret\n")) as api:
        assert api.token == "secret"
        assert api.list("Namespace")
        with ControlClient(api.url, token="secret") as client:
            assert client.get("/state")
        with closing(Client(api.url)) as client, pytest.raises(StatusError, match="401"):
            client.request("GET", "/api/v1/namespaces")


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--token-file"),
        ("replay", "trace.jsonl", "--token-file"),
        ("record", "trace.jsonl", "--upstream", "http://127.0.0.1:1", "--token-file"),
        ("requests", "--token-file"),
    ],
)
def test_commands_refuse_a_token_file_that_cannot_be_used(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = file(tmp_path, b"secret", 0o644)
    result = CliRunner().invoke(main, [*arguments, str(path)])
    assert result.exit_code == 2
    assert "is open to other users of this machine" in result.output
    result = CliRunner().invoke(main, [*arguments, str(path), "--token", "other"])
    assert "given twice" in result.output


def test_commands_send_the_token_in_a_file_that_a_variable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path, b"secret")
    monkeypatch.setenv("FAKEAPI_TOKEN_FILE", str(path))
    with FakeAPI(token="secret") as api:
        result = CliRunner().invoke(main, ["clock", "show", "--server", api.url])
    assert result.exit_code == 0, result.output
