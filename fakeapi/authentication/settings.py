"""FrontProxySettings: the proxies that a server trusts to authenticate users, and their headers."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FrontProxySettings:
    """The proxies that a server trusts to authenticate users, and the headers with the users.

    The fields are kube-apiserver's options `--requestheader-*`.

    - `client_ca`: the file with the CAs of the proxies' client certificates, in PEM.
    - `allowed_names`: the common names that the proxies may have; an empty tuple allows all names.
    - `user_headers`, `uid_headers`: the first of these headers that is not empty contains the user name or
      uid.
    - `group_headers`: each value of these headers is a group.
    - `extra_prefixes`: the prefixes of headers with `extra` values; the rest of the header's name is the key.
    """

    client_ca: Path
    allowed_names: tuple[str, ...] = ()
    user_headers: tuple[str, ...] = ()
    uid_headers: tuple[str, ...] = ()
    group_headers: tuple[str, ...] = ()
    extra_prefixes: tuple[str, ...] = ()
