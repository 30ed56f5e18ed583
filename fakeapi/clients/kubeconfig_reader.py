"""Reads the server, certificates and credentials from a kubeconfig, like client-go."""

import base64
import json
import os
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from fakeapi.clients.target import Target, TargetError, checked_url, is_https, read_file, tls_context
from fakeapi.machinery.documents import DocumentError, document_of

TOKEN_FILE_SECONDS = 60.0
"""Seconds after which a token file is read again, because Kubernetes renews service account tokens in it."""

EXEC_SECONDS = 60.0
"""Maximum number of seconds that a credential plugin may run; a longer run raises TargetError."""

_EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")


def target_of_kubeconfig(path: Path, context: str | None = None) -> Target:
    """Returns the Target for the cluster and user of a context in a kubeconfig.

    `context`: the name of the context; None for the current context. If the user has a credential plugin
    (`exec`), this function may run it.

    Raises TargetError if a file is unreadable or invalid, if the context is incomplete or has a field that
    fakeapi does not support, or if the plugin fails.
    """
    config = _load(path)
    name = context or _text(config, "current-context")
    if not name:
        raise TargetError(f"{path} has no current-context; name a context")
    chosen = _named(path, config, "contexts", name, "context")
    cluster = _named(path, config, "clusters", _text(chosen, "cluster"), "cluster")
    user_name = _text(chosen, "user")
    user = _named(path, config, "users", user_name, "user") if user_name else {}
    if cluster.get("proxy-url"):
        raise TargetError(f"{path}: proxy-url is not supported: use a cluster without it")
    url = checked_url(_text(cluster, "server"))
    execution = _Exec(path, user["exec"], url) if isinstance(user.get("exec"), dict) else None
    tls = None
    if is_https(url):
        tls = tls_context(
            _data(path, cluster, "certificate-authority"),
            insecure=cluster.get("insecure-skip-tls-verify") is True,
        )
        certificate, key = _data(path, user, "client-certificate"), _data(path, user, "client-key")
        if execution is not None and certificate is None:
            execution()
            certificate, key = execution.certificate, execution.key
        if certificate is not None:
            _load_certificate(tls, certificate, key, path)
    return Target(
        url, tls, execution or _authorization(path, user), _text(cluster, "tls-server-name") or None
    )


def _authorization(path: Path, user: dict[str, Any]) -> "Callable[[], str | None]":
    if user.get("auth-provider"):
        raise TargetError(f"{path}: auth-provider was removed from Kubernetes in 1.26, and is not supported")
    token_file = _text(user, "tokenFile")
    if token_file:
        return _TokenFile(path.parent / token_file)
    header: str | None = None
    if _text(user, "token"):
        header = f"Bearer {_text(user, 'token')}"
    elif _text(user, "username"):
        pair = f"{_text(user, 'username')}:{_text(user, 'password')}"
        header = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
    return lambda: header


class _TokenFile:
    """A bearer token in a file. A call returns the header Authorization.

    A call raises TargetError if the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._header = ""
        self._read_at = float("-inf")

    def __call__(self) -> str:
        if time.monotonic() - self._read_at > TOKEN_FILE_SECONDS:
            self._header = "Bearer " + read_file(self._path).decode("utf-8", "replace").strip()
            self._read_at = time.monotonic()
        return self._header


class _Exec:
    """A credential plugin (`exec`) of a kubeconfig. A call returns the header Authorization.

    A call returns None if the plugin gives no token. A call runs the plugin if its last credential has
    expired, and raises TargetError if the plugin fails. Follows k8s.io/client-go
    `plugin/pkg/client/auth/exec`.
    """

    def __init__(self, path: Path, spec: dict[str, Any], url: str) -> None:
        self._path = path
        self._spec = spec
        self._url = url
        self._header: str | None = None
        self._until = float("-inf")
        self.certificate: bytes | None = None
        self.key: bytes | None = None
        if spec.get("apiVersion") not in _EXEC_VERSIONS:
            raise TargetError(f"{path}: exec plugins of {spec.get('apiVersion')!r} are not supported")

    @property
    def stale(self) -> bool:
        return time.time() >= self._until

    def __call__(self) -> str | None:
        if self.stale:
            self._ask()
        return self._header

    def _ask(self) -> None:
        status = self._run().get("status")
        if not isinstance(status, dict):
            raise TargetError(f"{self._path}: the credential plugin printed no ExecCredential with a status")
        token = _text(status, "token")
        self._header = f"Bearer {token}" if token else None
        self.certificate = _text(status, "clientCertificateData").encode() or None
        self.key = _text(status, "clientKeyData").encode() or None
        until = _text(status, "expirationTimestamp")
        try:
            self._until = datetime.fromisoformat(until).timestamp() if until else float("inf")
        except ValueError as error:
            raise TargetError(
                f"{self._path}: the credential plugin's expirationTimestamp is not a time: {until!r}"
            ) from error

    def _run(self) -> dict[str, Any]:
        spec = self._spec
        command = [_text(spec, "command"), *map(str, spec.get("args") or ())]
        if "/" in command[0]:
            command[0] = str(self._path.parent / command[0])
        environment = dict(os.environ)
        variables = spec.get("env") or ()
        environment.update({str(variable["name"]): str(variable["value"]) for variable in variables})
        environment["KUBERNETES_EXEC_INFO"] = json.dumps(
            {
                "kind": "ExecCredential",
                "apiVersion": spec["apiVersion"],
                "spec": {"interactive": False, "cluster": {"server": self._url}},
            }
        )
        try:
            done = subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                timeout=EXEC_SECONDS,
                check=True,
            )
            answer = json.loads(done.stdout)
        except (OSError, ValueError, RecursionError, subprocess.SubprocessError) as error:
            # The message omits the error's text, because it can contain arguments or output of the command.
            raise TargetError(
                f"{self._path}: the credential plugin {command[0]} failed: {type(error).__name__}"
            ) from error
        return answer if isinstance(answer, dict) else {}


def _load_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes | None, path: Path) -> None:
    """Loads a client certificate and its key, both in PEM, into a TLS context.

    Python's module `ssl` loads certificates and keys only from files, so the function writes a temporary
    file. `path`: the kubeconfig, for error messages. Raises TargetError if the certificate or the key is
    invalid.
    """
    handle, name = tempfile.mkstemp(prefix="fakeapi-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(certificate + b"\n" + (key or b""))
        context.load_cert_chain(name)
    except (ssl.SSLError, OSError) as error:
        raise TargetError(f"{path}: the client certificate or its key is invalid") from error
    finally:
        Path(name).unlink()


def _load(path: Path) -> dict[str, Any]:
    try:
        config = document_of(read_file(path).decode("utf-8-sig"))
    except DocumentError as error:
        raise TargetError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise TargetError(f"{path}: not UTF-8") from error
    if not isinstance(config, dict):
        raise TargetError(f"{path} is not a kubeconfig")
    return config


def _named(path: Path, config: dict[str, Any], field: str, name: str, inner: str) -> dict[str, Any]:
    entries = config.get(field)
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("name") == name:
            value = entry.get(inner)
            return value if isinstance(value, dict) else {}
    raise TargetError(f"{path} has no {inner} named {name!r}")


def _data(path: Path, holder: dict[str, Any], field: str) -> bytes | None:
    """Returns a certificate or key from a cluster or user of a kubeconfig; None if no field is set.

    Reads the base64 data in `<field>-data`. If this field is not set, reads the file that `<field>` names,
    relative to the kubeconfig. Raises TargetError if the data is not base64, or the file cannot be read.
    """
    encoded, file = _text(holder, f"{field}-data"), _text(holder, field)
    if encoded:
        try:
            return base64.b64decode(encoded, validate=True)
        except ValueError as error:
            raise TargetError(f"{path}: {field}-data is not base64") from error
    return read_file(path.parent / file) if file else None


def _text(holder: dict[str, Any], field: str) -> str:
    value = holder.get(field)
    return value if isinstance(value, str) else ""
