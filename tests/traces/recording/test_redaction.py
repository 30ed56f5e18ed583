"""Traces contain neither credentials nor the fields to hide; all other bytes are as on the network."""

import base64
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.clients.messages import Response
from fakeapi.traces import fieldpaths
from fakeapi.traces.model import Request, StreamEvent
from fakeapi.traces.recording import credentials
from fakeapi.traces.recording.credentials import clean_text, is_credential
from fakeapi.traces.recording.redaction import Redactor
from tests.traces.samples import EXCHANGES, plain, watch

SECRET = "s3cr3t-Value"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJlLXRoYXQtaXMtbG9uZw"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----\n"


def clean(value: Any, *, secrets: bool = False) -> Any:
    return json.loads(Redactor().body(json.dumps(value).encode(), secrets=secrets))


@pytest.mark.parametrize(
    ("header", "value", "kept"),
    [
        ("authorization", f"Bearer {SECRET}", "Bearer redacted"),
        ("authorization", SECRET, "redacted"),
        ("cookie", f"a={SECRET}; b=2", "redacted"),
        ("set-cookie", f"a={SECRET}", "redacted"),
        ("user-agent", "kubectl/1", "kubectl/1"),
        ("x-vault-token", SECRET, "redacted"),
        ("x-custom-auth", SECRET, "redacted"),
        ("authentication", SECRET, "redacted"),
        ("x-remote-extra-acme.com%2Fproject", SECRET, "redacted"),
        (
            "sec-websocket-protocol",
            f"v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.{SECRET}",
            "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.redacted",
        ),
        ("referer", f"https://me:{SECRET}@h/", "https://redacted@h/"),
    ],
)
def test_headers_with_credentials_lose_them(header: str, value: str, kept: str) -> None:
    assert Redactor().headers(((header, value),)) == ((header, kept),)


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "Secret", "data": {"a": SECRET, "b": SECRET}, "stringData": {"c": SECRET}},
        {"kind": "SecretList", "items": [{"metadata": {"name": "a"}, "data": {"a": SECRET}}]},
        {"type": "ADDED", "object": {"kind": "Secret", "data": {"a": SECRET}}},
        {
            "kind": "Secret",
            "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": f"{SECRET}"}},
        },
        {"kind": "TokenReview", "spec": {"token": SECRET}},
        {"kind": "TokenRequest", "status": {"token": SECRET, "expirationTimestamp": "x"}},
        {"users": [{"user": {"client-key-data": SECRET, "client-certificate-data": SECRET}}]},
        {"users": [{"user": {"auth-provider": {"config": {"id-token": SECRET, "refresh-token": SECRET}}}}]},
        {"kind": "Pod", "spec": {"containers": [{"env": [{"name": "DB_PASSWORD", "value": SECRET}]}]}},
        {"kind": "ConfigMap", "data": {"key.pem": KEY}},
        {"kind": "ConfigMap", "data": {"config": f"users:\n- user:\n    token: {SECRET}\n"}},
        {
            "kind": "ConfigMap",
            "data": {"config": f'{{"users": [{{"user":\n{{\n"password": "{SECRET}"}}}}]}}'},
        },
        {"parameters": {"apiKey": SECRET, "clientSecret": SECRET}},
        {"parameters": {"db_password": SECRET, "aws_secret_access_key": SECRET, "Passphrase": SECRET}},
        {"args": ["--token", SECRET, "--verbose"]},
        {"args": [f"--token={SECRET}", f"--db-password='{SECRET}'"]},
        {
            "command": f"curl --token {SECRET} -H 'Authorization: Bearer {SECRET}-0123456789' https://u:{SECRET}@h"
        },
        {"text": f"PASSWORD={SECRET}&user=x"},
        {"text": f"a: b\nclientSecret: {SECRET}, and more {SECRET}\nc: d"},
        {"text": f"- {{name: a, token: {SECRET}, c: d}}"},
        {"text": f"a:\n  password: |\n    {SECRET}\n\n    {SECRET}\n  b: c\n"},
        {"text": f'{{"inner": {{"password" :"{SECRET}"}}}}'},
        {"text": json.dumps(json.dumps({"password": SECRET}))},
        {"annotations": {"my-secret": SECRET, "x": f'{{\\"password\\":\\"{SECRET}\\"}}'}},
        {"tokens": [SECRET], "token": {"value": SECRET, "more": [{"other": SECRET}]}},
        {".dockerconfigjson": SECRET, "auths": {"registry": {"auth": SECRET}}},
    ],
)
def test_bodies_with_credentials_lose_them(value: Any) -> None:
    assert SECRET not in json.dumps(clean(value))


@pytest.mark.parametrize(
    "value",
    [
        {"volumes": [{"name": "a", "secret": {"secretName": "b"}}], "secrets": [{"name": "c"}]},
        {"sources": [{"serviceAccountToken": {"path": "token", "audience": "a"}}]},
        {"properties": {"token": {"type": "string", "description": "a token"}, "password": {"$ref": "#/a"}}},
        {"imagePullSecrets": [{"name": "a"}], "automountServiceAccountToken": False},
    ],
)
def test_names_of_secrets_and_schemas_of_credentials_stay(value: Any) -> None:
    assert clean(value) == value


@pytest.mark.parametrize(
    "body",
    [
        f"apiVersion: v1\nkind: Secret\nstringData:\n  pw: {SECRET}\n".encode(),
        f"{{apiVersion: v1, kind: Secret, data: {{a: {SECRET}}}}}".encode(),
        f'{{"kind": "Secret", "data": {{"a": "{SECRET}"}}'.encode(),
        b"k8s\x00\n\x0c\n\x02v1\x12\x06Secret\x12\x10" + b"\xff" + SECRET.encode(),
        b"\xff\xfe token: " + SECRET.encode() + b" password: " + SECRET.encode(),
    ],
)
def test_a_secret_in_a_body_that_is_no_json_goes_wherever_it_is_sent(body: bytes) -> None:
    request = Request("POST", "/api/v1/namespaces/d/configmaps", (), body)
    assert SECRET.encode() not in Redactor().exchange(replace(plain(1), request=request)).request.body


def test_the_path_of_a_secret_may_be_escaped() -> None:
    request = Request(
        "POST", "/api/v1/namespaces/d/secret%73", (), json.dumps({"data": {"p": SECRET}}).encode()
    )
    assert SECRET.encode() not in Redactor().exchange(replace(plain(1), request=request)).request.body


def test_a_number_that_is_a_password_becomes_another_number() -> None:
    assert clean({"password": 1234, "automount_token": True}) == {"password": 0, "automount_token": True}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a: 1\npassword: x, y\nb: 2\n", "a: 1\npassword: redacted\nb: 2\n"),
        ("{a: 1, password: x, b: 2}", "{a: 1, password: redacted, b: 2}"),
        ("{'password': 'x, y', b: 2}", "{'password': 'redacted', b: 2}"),
        ("  password: |\n    x\n    y\n  b: 2", "  password: redacted\n  b: 2"),
        ("run --token x --level 2", "run --token redacted --level 2"),
        ("password=x user=y", "password=redacted user=y"),
    ],
)
def test_text_keeps_what_stands_around_a_credential(text: str, kept: str) -> None:
    assert Redactor().body(text.encode()) == kept.encode()


@pytest.mark.parametrize("text", [JWT, f"see {JWT}, please"])
def test_a_json_web_token_goes_wherever_it_stands(text: str) -> None:
    assert JWT not in json.dumps(clean({"message": text}))


def test_what_replaces_the_data_of_a_secret_is_data_of_a_secret() -> None:
    assert base64.b64decode(clean({"kind": "Secret", "data": {"a": SECRET}})["data"]["a"]) == b"redacted"


@pytest.mark.parametrize(
    "patch",
    [
        {"data": {"a": SECRET}},
        {"stringData": {"a": SECRET}},
        [{"op": "replace", "path": "/data/a", "value": SECRET}],
        [{"op": "add", "path": "/stringData", "value": {"a": SECRET}}],
    ],
)
def test_a_patch_of_a_secret_loses_its_data(patch: Any) -> None:
    request = Request("PATCH", "/api/v1/namespaces/d/secrets/a", (), json.dumps(patch).encode())
    assert SECRET.encode() not in Redactor().exchange(replace(plain(1), request=request)).request.body


def test_deleting_a_key_of_a_secret_stays_a_deletion() -> None:
    assert clean({"data": {"a": None}}, secrets=True) == {"data": {"a": None}}


def test_a_secret_that_is_no_json_is_not_kept() -> None:
    for body in (f"data: {{a: {SECRET}}}".encode(), b"k8s\x00\xff" + SECRET.encode()):
        assert SECRET.encode() not in Redactor().body(body, secrets=True)


def test_a_token_in_protobuf_is_hidden_in_its_own_length() -> None:
    body = b"k8s\x00\xff\x0a" + JWT.encode() + b"\x12\x00"
    hidden = Redactor().body(body)
    assert JWT.encode() not in hidden
    assert len(hidden) == len(body)


def test_events_of_a_watch_lose_credentials() -> None:
    line = json.dumps({"type": "ADDED", "object": {"kind": "Secret", "data": {"a": SECRET}}}).encode()
    events = Redactor().exchange(watch(1, line, b"{}")).events
    assert events is not None
    assert SECRET.encode() not in events[0].line
    assert events[1] == StreamEvent(1.25, b"{}")


def test_a_token_in_a_query_goes() -> None:
    request = Request("GET", f"/api?watch=1&token={SECRET}&limit=5")
    redacted = Redactor().exchange(replace(plain(1), request=request))
    assert redacted.request.target == "/api?watch=1&token=redacted&limit=5"


@pytest.mark.parametrize(
    "name", ["token", "Token", "access_token", "to%6Ben", "client_secret", "sig", "X-Amz-Signature"]
)
def test_a_parameter_is_known_however_it_is_written(name: str) -> None:
    request = Request("GET", f"/api?{name}={SECRET}")
    redacted = Redactor().exchange(replace(plain(1), request=request))
    assert redacted.request.target == f"/api?{name}=redacted"


def test_a_credential_that_the_server_echoes_goes_everywhere() -> None:
    request = Request("GET", f"/api?q={SECRET}", (("authorization", f"Bearer {SECRET}"),), SECRET.encode())
    response = Response(200, (("x-you-sent", SECRET),), f'{{"you": "{SECRET}"}}'.encode())
    events = (StreamEvent(0.0, b"\xff" + SECRET.encode()),)
    found = Redactor().exchange(replace(plain(1), request=request, response=response, events=events))
    assert SECRET not in repr(found)
    assert found.events is not None
    assert len(found.events[0].line) == 1 + len(SECRET)


def test_a_hidden_credential_goes_from_exchanges_that_do_not_show_it() -> None:
    redactor = Redactor()
    redactor.hide(f"Bearer {SECRET}")
    response = Response(200, (), f"you sent {SECRET}".encode())
    assert SECRET not in repr(redactor.exchange(replace(plain(1), response=response)))


NASTY = {
    "eyJ without end": b"eyJ" * 3,
    "tokens of two segments": b"eyJaaaaaa.bbbbbb ",
    "private keys": b"-----BEGIN PRIVATE KEY-----",
    "dashes": b"--" * 5 + b" ",
    "options": b"--token        ",
    "entries": b"{token: x",
    "open quotes": b'{token: "\\"',
    "lines": b"token: |\n ",
    "assignments": b"token='",
    "users": b"://a:b",
    "bearers": b"bearer " + b"a" * 12,
}


@pytest.mark.parametrize("piece", NASTY.values(), ids=NASTY.keys())
def test_cleaning_takes_time_in_proportion_to_the_text(piece: bytes) -> None:
    def seconds(size: int) -> float:
        text = b"token eyJ @:// " + piece * (size // len(piece))
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            clean_text(text)
            best = min(best, time.process_time() - begin)
        return best

    # Work in quadratic time would take sixteen times as long for four times the text.
    assert seconds(400_000) < 8 * seconds(100_000) + 0.02


def test_a_value_nested_too_deeply_is_not_kept() -> None:
    deep = b'{"token":"' + SECRET.encode() + b'","a":' + b"[" * 5000 + b"]" * 5000 + b"}"
    assert SECRET.encode() not in Redactor().body(deep)


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "ServiceAccount", "automountServiceAccountToken": True},
        {"spec": {"volumes": [{"projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]}},
        {"kind": "PodList", "metadata": {"continue": "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"}},
        {"env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]},
        {"kind": "ConfigMap", "data": {"a": "plain: text", "key": "value"}},
        {"token": "", "password": None},
        {"message": "the token: is wrong", "code": 401},
        {"metadata": {"managedFields": [{"fieldsV1": {"f:data": {"f:token": {}}}}]}},
    ],
)
def test_what_is_no_credential_stays(value: Any) -> None:
    body = json.dumps(value, indent=1).encode()
    assert Redactor().body(body) is body


def test_an_exchange_without_credentials_stays_the_same_object() -> None:
    redactor = Redactor()
    assert all(redactor.exchange(exchange) is exchange for exchange in EXCHANGES)


def test_a_chosen_field_goes_from_objects_lists_and_events() -> None:
    redactor = Redactor(credentials=False, paths=(fieldpaths.parse("spec.requests.name"),))
    thing = {"spec": {"requests": [{"name": "a", "count": 1}, {"name": "b"}]}}
    wanted = {"spec": {"requests": [{"name": "redacted", "count": 1}, {"name": "redacted"}]}}
    for value, result in (
        (thing, wanted),
        ({"items": [thing]}, {"items": [wanted]}),
        ({"type": "ADDED", "object": thing}, {"type": "ADDED", "object": wanted}),
    ):
        assert json.loads(redactor.body(json.dumps(value).encode())) == result
    assert redactor.names == ("spec.requests.name",)


@pytest.mark.parametrize(
    ("value", "blank"), [("a", "redacted"), (3, 0), (True, False), ([1], []), (None, None)]
)
def test_what_replaces_a_field_is_of_its_type(value: Any, blank: Any) -> None:
    redactor = Redactor(paths=(("spec",),))
    assert json.loads(redactor.body(json.dumps({"spec": value}).encode())) == {"spec": blank}


def test_a_redactor_that_is_told_to_keep_everything_does() -> None:
    exchange = replace(plain(1), response=Response(200, (("set-cookie", SECRET),), b'{"token":"x"}'))
    assert Redactor(credentials=False).exchange(exchange) is exchange


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=8), st.just(JWT), st.just(KEY)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["token", "data", "value", "name", "kind", "stringData", "op", "path", "metadata"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(value=JSON, secrets=st.booleans())
def test_redacting_twice_is_redacting_once(value: Any, *, secrets: bool) -> None:
    redactor = Redactor(paths=(("metadata", "*"),))
    once = redactor.body(json.dumps(value).encode(), secrets=secrets)
    assert json.loads(redactor.body(once, secrets=secrets)) == json.loads(once)


@given(value=JSON)
def test_no_token_and_no_key_is_left(value: Any) -> None:
    text = Redactor().body(json.dumps(value).encode())
    assert JWT.encode() not in text
    assert SECRET.encode() not in text


def test_of_a_long_name_the_end_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "x" * 100_000 + "Password"
    assert is_credential(name)
    monkeypatch.setattr(credentials, "NAME_MAX", len("word"))
    assert not is_credential(name)
