"""kube-apiserver of an envtest folder honours, ignores or refuses each flag of its release."""

import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fakeapi.envtest import kube_apiserver
from fakeapi.envtest.flag_table import flags_of, releases
from fakeapi.envtest.flags import Flag, FlagError, Values, read
from fakeapi.envtest.server_options import options_of
from fakeapi.envtest.treatments import TREATMENTS, Effect
from fakeapi.releases import KNOWN_RELEASES

NEWEST = releases()[-1]
SAMPLES = {
    "bool": "true",
    "int": "7",
    "int64": "7",
    "uint": "7",
    "float32": "0.5",
    "float64": "0.5",
    "duration": "1m0s",
    "ip": "127.0.0.1",
}
"""A valid value of each type of flag that is checked; flags of other types get the text "x"."""

PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
FLAGS_OF_ENDS = [(release, flag) for release in ("1.31", NEWEST) for flag in flags_of(release)]


def test_the_flags_of_every_release_are_known() -> None:
    assert releases() == list(KNOWN_RELEASES)


@pytest.mark.parametrize("release", releases())
def test_every_flag_of_a_release_has_a_treatment(release: str) -> None:
    assert {flag.name for flag in flags_of(release)} - TREATMENTS.keys() == set()


def test_every_treatment_is_of_a_flag() -> None:
    known = {flag.name for release in releases() for flag in flags_of(release)}
    assert TREATMENTS.keys() - known == set()


@pytest.mark.parametrize(("release", "flag"), FLAGS_OF_ENDS, ids=lambda value: getattr(value, "name", value))
def test_each_flag_is_read_and_treated(release: str, flag: Flag, capsys: pytest.CaptureFixture[str]) -> None:
    values = read([f"--{flag.name}={SAMPLES.get(flag.type, 'x')}"], flags_of(release))
    treatment = TREATMENTS[flag.name]
    if treatment.effect is Effect.REFUSED:
        with pytest.raises(FlagError) as refused:
            kube_apiserver.check(values)
        assert str(refused.value) == f"--{flag.name} is not supported: {treatment.reason}"
        return
    kube_apiserver.check(values)
    told = f"These flags have no effect in fakeapi: --{flag.name}\n" if treatment.reason else ""
    assert capsys.readouterr().err == told
    assert bool(treatment.reason) is (treatment.effect is Effect.NONE)


def test_a_refused_flag_is_accepted_with_the_value_that_changes_nothing() -> None:
    kube_apiserver.check(read(["--default-not-ready-toleration-seconds=300"], flags_of(NEWEST)))


def options(directory: Path, *arguments: str) -> dict[str, Any]:
    """Returns the options of FakeAPI for a command line, with a certificate in `directory`."""
    return options_of(read([f"--cert-dir={directory}", *arguments], flags_of(NEWEST)), {})


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--secure-port=7000", {"port": 7000}),
        ("--bind-address=::1", {"host": "::1"}),
        ("--token-auth-file=t.csv", {"token_users": "t.csv"}),
        ("--client-ca-file=ca.pem", {"client_ca": "ca.pem"}),
        ("--feature-gates=A=true,B=false", {"feature_gates": "A=true,B=false"}),
        ("--runtime-config=api/all=true", {"runtime_config": "api/all=true"}),
        ("--service-cluster-ip-range=10.9.0.0/16", {"service_cluster_ip_range": "10.9.0.0/16"}),
        ("--service-node-port-range=1-9", {"service_node_port_range": "1-9"}),
        ("--authorization-mode=RBAC", {"authorization": "rbac", "node_authorization": False}),
        ("--authorization-mode=Node,RBAC", {"authorization": "rbac", "node_authorization": True}),
        ("--authorization-mode=Node", {"authorization": "node"}),
        ("--authorization-mode=AlwaysDeny", {"authorization": "always-deny", "anonymous": "user"}),
        ("--authorization-mode=AlwaysAllow", {"authorization": "always-allow", "anonymous": "rejected"}),
        (
            "--enable-admission-plugins=AlwaysPullImages",
            {"enable_admission_plugins": "AlwaysPullImages,ServiceAccount"},
        ),
        ("--disable-admission-plugins=ServiceAccount", {"disable_admission_plugins": "ServiceAccount"}),
    ],
)
def test_a_flag_becomes_an_option(tmp_path: Path, argument: str, expected: dict[str, Any]) -> None:
    made = options(tmp_path, argument)
    assert {name: made[name] for name in expected} == expected


def test_a_recording_of_kube_apiserver_gets_a_free_name(tmp_path: Path) -> None:
    earlier = tmp_path / "s.jsonl"
    earlier.write_text("earlier")
    values = read([f"--cert-dir={tmp_path}"], flags_of(NEWEST))
    assert options_of(values, {"FAKEAPI_RECORD": str(earlier)})["record"] == tmp_path / "s-2.jsonl"


def test_anonymous_requests_are_rejected_without_anonymous_auth(tmp_path: Path) -> None:
    made = options(tmp_path, "--authorization-mode=RBAC", "--anonymous-auth=false")
    assert made["anonymous"] == "rejected"


def test_the_flags_of_a_front_proxy_belong_together(tmp_path: Path) -> None:
    made = options(
        tmp_path,
        "--requestheader-client-ca-file=ca.pem",
        "--requestheader-allowed-names=a,b",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    )
    proxy = made["front_proxy"]
    assert (proxy.client_ca, proxy.allowed_names) == (Path("ca.pem"), ("a", "b"))
    assert (proxy.user_headers, proxy.extra_prefixes) == (("X-Remote-User",), ("X-Remote-Extra-",))


def test_keys_and_issuers_of_tokens_are_read(tmp_path: Path) -> None:
    key = tmp_path / "sa.key"
    key.write_text(PRIVATE_KEY)
    made = options(
        tmp_path,
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-account-issuer=https://a",
        "--service-account-issuer=https://b",
        "--api-audiences=c,d",
    )
    tokens = made["service_account_tokens"]
    assert (tokens.issuers, tokens.api_audiences) == (("https://a", "https://b"), ["c", "d"])
    assert (tokens.signing_key, tokens.public_keys) == (PRIVATE_KEY, (PRIVATE_KEY.encode(),))


def test_a_certificate_is_made_once(tmp_path: Path) -> None:
    first, second = (options(tmp_path / "new") for _ in range(2))
    assert first["tls_cert"] == second["tls_cert"] == tmp_path / "new" / "apiserver.crt"
    assert first["tls_key"].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["apiserver.crt", "apiserver.key"])
def test_half_a_pair_of_certificate_and_key_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(FlagError, match="certificate and key must be supplied as a pair"):
        options(tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_many_servers_make_one_certificate(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: options(tmp_path / "new"), range(8)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "new" / "apiserver.crt", tmp_path / "new" / "apiserver.key")


@pytest.mark.parametrize("text", ["nonsense", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n"])
def test_an_unusable_signing_key_stops_the_start(tmp_path: Path, text: str) -> None:
    key = tmp_path / "sa.key"
    key.write_text(text)
    with pytest.raises(ValueError, match="has no unencrypted private key"):
        options(tmp_path / "c", f"--service-account-signing-key-file={key}")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "--secure-port=0",
            "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0",
        ),
        ("--authorization-mode=Magic", 'authorization-mode "Magic" is not a valid mode'),
        (
            "--authorization-mode=RBAC,RBAC",
            'authorization-mode ["RBAC" "RBAC"] has mode specified more than once',
        ),
        (
            "--authorization-mode=ABAC",
            "--authorization-mode: fakeapi has no mode ABAC; it has AlwaysAllow, AlwaysDeny, Node and RBAC",
        ),
        ("--tls-cert-file=a", "--tls-cert-file and --tls-private-key-file must be specified together"),
    ],
)
def test_an_impossible_value_is_refused(tmp_path: Path, argument: str, message: str) -> None:
    with pytest.raises(FlagError) as refused:
        options(tmp_path, argument)
    assert str(refused.value) == message


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["kube-apiserver", *arguments])
    kube_apiserver.main(NEWEST)


def test_help_has_a_line_for_each_flag(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--help")
    lines = {line.strip().split(" ")[0] for line in capsys.readouterr().out.splitlines()}
    assert {f"--{flag.name}" for flag in flags_of(NEWEST)} <= lines
    assert "--insecure-port" not in lines, "envtest searches for it"


def test_version_is_that_of_the_release(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--version")
    assert capsys.readouterr().out.startswith(f"Kubernetes v{NEWEST}.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--insecure-port=0"], "Error: unknown flag: --insecure-port\n"),
        ([], "Error: --etcd-servers must be specified\n"),
    ],
)
def test_a_bad_command_line_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, *arguments)
    assert ended.value.code == 1
    assert capsys.readouterr().err == message


def test_values_without_a_flag_are_the_default() -> None:
    assert Values().text("v", "2") == "2"
