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
