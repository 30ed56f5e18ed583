"""Determines the host names of a server, and issues the certificate for them."""

import socket
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fakeapi.machinery.hosts import ACCEPTED_HOSTS, HostRules, is_any_address
from fakeapi.serving.start_error import StartError
from fakeapi.settings import Settings

if TYPE_CHECKING:
    from fakeapi.serving.certificates import Certificates


def accepted_hosts(settings: Settings) -> HostRules:
    """Returns the rules for the headers Host and Origin. Raises ValueError for an invalid pattern.

    The rules accept the hosts of the option `accept_hosts`, or loopback hosts without the option. The rules
    also accept the hosts of the options `host` and `advertise_url`, except unspecified addresses in `host`.
    """
    rules = HostRules.parse(settings.accept_hosts or ACCEPTED_HOSTS)
    if not is_any_address(settings.host):
        rules = rules.also(settings.host)
    if settings.advertise_url is not None and (name := urlsplit(settings.advertise_url).hostname):
        rules = rules.also(name)
    return rules


def check_advertised(settings: Settings) -> None:
    """Raises ValueError if the option `advertise_url` is not the URL of a server with these settings.

    The message contains the URL that was probably meant.
    """
    url = settings.advertise_url
    if url is None:
        return
    scheme, separator, rest = url.partition("://")
    right = f"{'https' if settings.uses_tls else 'http'}://{rest if separator else url}"
    if scheme not in {"http", "https"} or not separator:
        raise ValueError(f"advertise_url: {url!r} does not begin with http:// or https://; write {right}")
    if settings.uses_tls and scheme == "http":
        raise ValueError(f"advertise_url: {url} is not HTTPS, but the server is; write {right}")
    if not urlsplit(url).hostname:
        raise ValueError(f"advertise_url: {url} has no host; write {scheme}://HOST:PORT")


def issue_certificates(settings: Settings) -> "Certificates":
    """Issues a certificate for the names of a server, signed by a CA. Raises StartError if that fails.

    The option `tls_directory` names the directory of the CA. Without the option, creates a new CA.
    """
    from fakeapi.serving import certificates  # noqa: PLC0415 - imports cryptography, which only TLS needs

    names = ["127.0.0.1", "::1", "localhost", "fakeapi", socket.gethostname()]
    if not is_any_address(settings.host):
        names.append(settings.host)
    if settings.advertise_url is not None:
        names.append(urlsplit(settings.advertise_url).hostname or "localhost")
    directory = None if settings.tls_directory is None else Path(settings.tls_directory)
    try:
        return certificates.issue(names, directory)
    except (OSError, ValueError) as error:
        raise StartError(f"cannot create certificates: {error}") from error
