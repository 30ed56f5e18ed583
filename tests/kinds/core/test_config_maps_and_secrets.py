"""ConfigMap, Secret and ServiceAccount: validation, the field `immutable`, and warnings."""

import base64
from typing import Any

import pytest

from tests.kinds.judging import Body, created, refusals, refused_change, resource_of

CONFIG_MAPS = resource_of("1.33", "", "v1", "configmaps")
SECRETS = resource_of("1.33", "", "v1", "secrets")
ACCOUNTS = resource_of("1.33", "", "v1", "serviceaccounts")
SWITCHED = (
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM "
    "inputs may have been switched"
)
IMMUTABLE = "Forbidden: field is immutable when `immutable` is set"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"data": {"a": "1"}, "binaryData": {"b": "AAE="}}, []),
        ({"data": {"bad key!": ""}}, ["data[bad key!]"]),
        ({"binaryData": {"..": ""}}, ["binaryData[..]"]),
        ({"data": {"a": ""}, "binaryData": {"a": ""}}, ["data[a]"]),
        ({"data": {"a": "x" * (1 << 20)}}, []),
        ({"data": {"a": "x" * (1 << 20), "b": "x"}}, ["[]"]),
        ({"data": {"a": "\u00e9" * (1 << 19)}, "binaryData": {"b": b64("x")}}, ["[]"]),
    ],
)
def test_a_config_map_has_keys_that_are_file_names_and_at_most_a_mebibyte(
    body: Body, fields: list[str]
) -> None:
    assert [field for field, _ in refusals(CONFIG_MAPS, body)] == fields


@pytest.mark.parametrize(
    ("kind", "data", "found"),
    [
        ("", {"a": b64("1")}, []),
        ("example.com/any", {}, []),
        ("Opaque", {"bad key!": ""}, ["data[bad key!]"]),
        ("kubernetes.io/tls", {"tls.crt": ""}, ["data[tls.key]"]),
        ("kubernetes.io/basic-auth", {}, ["data[username]", "data[password]"]),
        ("kubernetes.io/basic-auth", {"password": ""}, []),
        ("kubernetes.io/ssh-auth", {"ssh-privatekey": ""}, ["data[ssh-privatekey]"]),
        ("kubernetes.io/dockercfg", {}, ["data[.dockercfg]"]),
        ("kubernetes.io/dockercfg", {".dockercfg": b64("{}")}, []),
        ("kubernetes.io/dockerconfigjson", {".dockerconfigjson": b64("null")}, []),
        (
            "kubernetes.io/service-account-token",
            {},
            ["metadata.annotations[kubernetes.io/service-account.name]"],
        ),
    ],
)
def test_a_secret_has_what_its_type_needs(kind: str, data: dict[str, str], found: list[str]) -> None:
    assert [field for field, _ in refusals(SECRETS, {"type": kind, "data": data})] == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("{", "unexpected end of JSON input"),
        ("", "unexpected end of JSON input"),
        ("x", "invalid character 'x' looking for beginning of value"),
    ],
)
def test_a_secret_of_a_registry_is_json_and_its_contents_are_in_no_error(text: str, why: str) -> None:
    body = {"type": "kubernetes.io/dockercfg", "data": {".dockercfg": b64(text)}}
    words = f'Invalid value: "<secret contents redacted>": {why}'
    assert refusals(SECRETS, body) == [("data[.dockercfg]", words)]


def test_string_data_of_a_secret_becomes_data() -> None:
    obj = created(SECRETS, {"data": {"a": b64("1"), "c": b64("2")}, "stringData": {"b": "x", "c": "y"}})
    assert "stringData" not in obj
    assert list(obj["data"].items()) == [("a", b64("1")), ("b", b64("x")), ("c", b64("y"))]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"type": "other"}, [("type", 'Invalid value: "other": field is immutable')]),
        ({"immutable": None}, [("immutable", IMMUTABLE)]),
        ({"data": {"a": b64("2")}}, [("data", IMMUTABLE)]),
        ({"metadata": {"labels": {"a": "b"}}}, []),
    ],
)
def test_type_and_data_of_an_immutable_secret_stay(change: Body, found: list[Any]) -> None:
    body = {"type": "example.com/any", "data": {"a": b64("1")}, "immutable": True}
    assert refused_change(SECRETS, body, {**body, **change}) == found


def test_an_immutable_config_map_stays_as_it_is() -> None:
    body = {"data": {"a": "1"}, "binaryData": {"b": "AAE="}, "immutable": True}
    assert refused_change(CONFIG_MAPS, body, {**body, "binaryData": {}}) == [("binaryData", IMMUTABLE)]
    assert refused_change(CONFIG_MAPS, {**body, "immutable": False}, {"data": {"z": "1"}}) == []


@pytest.mark.parametrize(
    ("certificate", "key", "warning"),
    [
        ("", "", "tls: failed to find any PEM data in certificate input"),
        (
            "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n",
            "",
            SWITCHED,
        ),
        (
            "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
            "tls: found a certificate rather than a key in the PEM for the private key",
        ),
    ],
)
def test_a_certificate_without_its_key_is_warned_about(certificate: str, key: str, warning: str) -> None:
    body = {"type": "kubernetes.io/tls", "data": {"tls.crt": b64(certificate), "tls.key": b64(key)}}
    assert SECRETS.strategy_for("").warnings_on_create(created(SECRETS, body)) == [warning]


def test_limiting_the_secrets_that_pods_mount_is_warned_about_once() -> None:
    body = {"metadata": {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}}
    account, strategy = created(ACCOUNTS, body), ACCOUNTS.strategy_for("")
    assert len(strategy.warnings_on_create(account)) == 1
    assert strategy.warnings_on_update(account, account) == []
    older = resource_of("1.31", "", "v1", "serviceaccounts")
    assert older.strategy_for("").warnings_on_create(account) == []
