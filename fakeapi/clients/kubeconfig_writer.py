"""Writes kubeconfig files for fakeapi servers."""

import base64
import json
from pathlib import Path

from fakeapi.atomic_file import atomic_file
from fakeapi.registry.identity.users import ANYBODY, User

_TEMPLATE = """\
apiVersion: v1
kind: Config
clusters:
- name: fakeapi
  cluster:
    server: {server}{authority}
users:
- name: fakeapi
  user: {user}
contexts:
- name: fakeapi
  context:
    cluster: fakeapi
    user: fakeapi
    namespace: default
current-context: fakeapi
preferences: {{}}
"""


def render(url: str, *, ca: bytes | None = None, token: str | None = None, user: User | None = None) -> str:
    """Returns a kubeconfig in YAML with one context.

    - `url`: the URL of the server.
    - `ca`: the CA certificates in PEM that verify the server; None for the system's CA certificates.
    - `token`: the bearer token. With `ca` but without a token, the kubeconfig contains the token ANYBODY.
    - `user`: the user of the token. For a URL of plain HTTP, the kubeconfig also impersonates this user,
      because kubectl and client-go send no token over plain HTTP.

    For a URL of plain HTTP, the kubeconfig contains `insecure-skip-tls-verify: true`. Without this field, the
    JavaScript client refuses the server; kubectl, client-go and the Python clients ignore the field.
    """
    authority = ""
    if not url.startswith("https:"):
        authority = "\n    insecure-skip-tls-verify: true"
    elif ca is not None:
        authority = "\n    certificate-authority-data: " + base64.b64encode(ca).decode("ascii")
    fields: dict[str, object] = {}
    if token is not None or ca is not None:
        fields["token"] = token or ANYBODY
    if user is not None and not url.startswith("https:"):
        fields |= {"as": user.name, "as-groups": [*user.groups]}
    # Every JSON text is also valid YAML.
    return _TEMPLATE.format(server=json.dumps(url), authority=authority, user=json.dumps(fields))


def write(path: Path, text: str) -> None:
    """Writes the kubeconfig `text` atomically. Only the owner can read the file.

    Raises OSError if the file cannot be written.
    """
    with atomic_file(path) as file:
        file.write(text.encode())
