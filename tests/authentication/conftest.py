"""Fixtures that issue client certificates and run servers that accept them."""

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trustme

from fakeapi.testing.server import FakeAPI
from tests.authentication.client import TLSClient


class Authority:
    """A CA that issues client certificates. `file`: its certificate in PEM."""

    def __init__(self, directory: Path, name: str = "clients") -> None:
        self._directory = directory
        self._name = name
        self._issued = 0
        self._ca = trustme.CA(organization_name=name)
        self.file = directory / f"{name}.pem"
        self._ca.cert_pem.write_to_path(self.file)

    def certificate(self, common_name: str | None, organization: str | None = None, **more: Any) -> Path:
        """Issues a client certificate; returns the path of a file with the certificate and its key.

        - `common_name` and `organization`: the user name and the group in the subject; None for none.
        - `more`: further arguments of `trustme.CA.issue_cert`.
        """
        hosts = () if common_name else ("client.example.com",)
        issued = self._ca.issue_cert(*hosts, common_name=common_name, organization_name=organization, **more)
        self._issued += 1
        path = self._directory / f"{self._name}-{self._issued}.pem"
        issued.private_key_and_cert_chain_pem.write_to_path(path)
        return path


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def connect() -> Callable[..., TLSClient]:
    """Returns a function that creates a client of a server, with a client certificate or without one."""

    def connect(api: FakeAPI, certificate: Path | None = None) -> TLSClient:
        assert api.ca_file is not None
        context = ssl.create_default_context(cafile=str(api.ca_file))
        context.check_hostname = False
        if certificate is not None:
            context.load_cert_chain(certificate)
        return TLSClient(api.port, context)

    return connect
