"""Translates the flags of kube-apiserver into the options of FakeAPI."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from fakeapi.authentication.settings import FrontProxySettings
from fakeapi.envtest.certificates import serving_certificate
from fakeapi.envtest.flags import FlagError, Values
from fakeapi.inputfile import KEY_FILE_BYTES_MAX, read_regular
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.registry.identity.token_settings import ISSUER, TokenSettings
from fakeapi.settings import (
    SERVICE_CLUSTER_IP_RANGE,
    SERVICE_NODE_PORT_RANGE,
    options,
    read_option,
)
from fakeapi.traces.recording import recording_file

_DEFAULT_PORT: Final = "6443"

_FROM_ENVIRONMENT: Final = (
    "controllers",
    "nodes",
    "kubelet_directory",
    "latency",
    "faults",
    "install",
    "webhook_services",
    "seed",
    "frozen_at",
    "history",
    "journal",
    "record",
    "redact",
)
"""Options of `fakeapi serve` without a kube-apiserver flag. Their environment variables set them."""

_MODES: Final = ("AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "ABAC", "Webhook")


def options_of(values: Values, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Returns the options of FakeAPI for a command line of kube-apiserver, except `release` and `database`.

    Creates the serving certificate if no flag names a certificate and the directory of `--cert-dir` has none.

    - `values`: the flags of the command line.
    - `environment`: the environment variables. They set options without a flag.

    Raises FlagError for an invalid flag, OSError for a file that cannot be read or written, and ValueError
    for a file or variable with invalid contents.
    """
    host = values.text("bind-address", "127.0.0.1")
    certificate, key = serving_certificate(
        values.text("tls-cert-file"), values.text("tls-private-key-file"), values.text("cert-dir"), host
    )
    named = {
        "host": host,
        "port": _port(values.text("secure-port", _DEFAULT_PORT)),
        "tls_cert": certificate,
        "tls_key": key,
        "client_ca": values.text("client-ca-file") or None,
        "audit_log": values.text("audit-log-path") or None,
        "audit_policy": values.text("audit-policy-file") or None,
        "token_users": values.text("token-auth-file") or None,
        "proxy_client_cert": values.text("proxy-client-cert-file") or None,
        "proxy_client_key": values.text("proxy-client-key-file") or None,
        "front_proxy": _front_proxy(values),
        "service_account_tokens": _tokens(values),
        "feature_gates": ",".join(values.texts("feature-gates")) or None,
        "runtime_config": ",".join(values.texts("runtime-config")),
        "service_cluster_ip_range": values.text("service-cluster-ip-range", SERVICE_CLUSTER_IP_RANGE),
        "service_node_port_range": values.text("service-node-port-range", SERVICE_NODE_PORT_RANGE),
    }
    return {**_from_environment(environment), **named, **_plugins(values), **_authorization(values)}


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Returns the options that environment variables set.

    A suite starts many servers with the same variables, so a new recording gets an unused name, such as
    "s-2.jsonl".
    """
    values = {
        setting.name: read_option(setting.name, environment[option.environment])
        for setting, option in options()
        if setting.name in _FROM_ENVIRONMENT and environment.get(option.environment)
    }
    if values.get("record"):
        values["record"] = recording_file.unused(Path(values["record"]))
    return values


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise FlagError(
            f"--secure-port {port} must be between 1 and 65535, inclusive. It cannot be turned off with 0"
        )
    return port


def _plugins(values: Values) -> dict[str, Any]:
    """Returns the options for admission plugins. As in kube-apiserver, ServiceAccount is enabled by default.

    Raises OSError or ValueError for an unusable file of `--admission-control-config-file`.
    """
    enabled = values.items("enable-admission-plugins")
    disabled = values.items("disable-admission-plugins")
    if "ServiceAccount" not in (*enabled, *disabled):
        enabled = [*enabled, "ServiceAccount"]
    if values.text("admission-control-config-file"):
        _check_plugin_configuration(Path(values.text("admission-control-config-file")))
    return {
        "enable_admission_plugins": ",".join(dict.fromkeys(enabled)),
        "disable_admission_plugins": ",".join(dict.fromkeys(disabled)),
    }


def _check_plugin_configuration(file: Path) -> None:
    """Raises ValueError if a file configures an admission plugin, because fakeapi does not support this."""
    from fakeapi.machinery.golang.yaml_text import load  # noqa: PLC0415 - rarely used

    configuration = load(read_regular(file, KEY_FILE_BYTES_MAX))
    plugins = configuration.get("plugins") if isinstance(configuration, dict) else None
    if plugins:
        raise ValueError(
            f"{file} configures admission plugins; the plugins of fakeapi have their default configuration"
        )


def _authorization(values: Values) -> dict[str, Any]:
    modes = values.items("authorization-mode") or ["AlwaysAllow"]
    for mode in modes:
        if mode not in _MODES:
            raise FlagError(f'authorization-mode "{mode}" is not a valid mode')
        if modes.count(mode) > 1:
            raise FlagError(f"authorization-mode {_go_list(modes)} has mode specified more than once")
        if mode in ("ABAC", "Webhook"):
            known = "it has AlwaysAllow, AlwaysDeny, Node and RBAC"
            raise FlagError(f"--authorization-mode: fakeapi has no mode {mode}; {known}")
    anonymous = values.flag("anonymous-auth", default=True) and "AlwaysAllow" not in modes
    named: dict[str, Any] = {"anonymous": "user" if anonymous else "rejected"}
    if "AlwaysAllow" in modes:
        return {**named, "authorization": "always-allow"}
    if "RBAC" in modes:
        return {**named, "authorization": "rbac", "node_authorization": "Node" in modes}
    return {**named, "authorization": "node" if "Node" in modes else "always-deny"}


def _go_list(texts: Iterable[str]) -> str:
    quoted = " ".join(f'"{text}"' for text in texts)
    return f"[{quoted}]"


def _front_proxy(values: Values) -> FrontProxySettings | None:
    file = values.text("requestheader-client-ca-file")
    if not file:
        return None
    lists = {
        name: tuple(values.items(f"requestheader-{flag}"))
        for name, flag in (
            ("allowed_names", "allowed-names"),
            ("user_headers", "username-headers"),
            ("uid_headers", "uid-headers"),
            ("group_headers", "group-headers"),
            ("extra_prefixes", "extra-headers-prefix"),
        )
    }
    return FrontProxySettings(Path(file), **lists)


def _tokens(values: Values) -> TokenSettings | None:
    """Returns the keys and the issuer of service account tokens; None if no flag sets them.

    Raises OSError if a key file cannot be read.
    """
    issuers = tuple(values.texts("service-account-issuer"))
    signing = values.text("service-account-signing-key-file")
    keys = values.texts("service-account-key-file")
    if not issuers and not signing and not keys:
        return None
    return TokenSettings(
        issuers=issuers or (ISSUER,),
        audiences=tuple(values.items("api-audiences")),
        signing_key=_signing_key(Path(signing)) if signing else "",
        public_keys=tuple(read_regular(Path(key), KEY_FILE_BYTES_MAX) for key in keys),
    )


_PRIVATE_KEY = lazy_pattern(r"-----BEGIN (RSA |EC )?PRIVATE KEY-----")


def _signing_key(file: Path) -> str:
    """Returns the text of a private key in PEM.

    Raises OSError if the file cannot be read, and ValueError if it has no unencrypted key. Does not parse the
    key, because parsing loads OpenSSL. Most servers never need OpenSSL.
    """
    text = read_regular(file, KEY_FILE_BYTES_MAX).decode("ascii", "replace")
    if _PRIVATE_KEY.search(text) is None or "ENCRYPTED" in text:
        raise ValueError(
            f"failed to parse service-account-issuer-key-file: {file} has no unencrypted private key"
        )
    return text
