"""ServerFiles: the files that a running server writes for its clients."""

import shutil
import tempfile
from pathlib import Path

from fakeapi.clients import kubeconfig_writer
from fakeapi.registry.identity.users import User
from fakeapi.serving.start_error import StartError
from fakeapi.settings import Settings


class ServerFiles:
    """Writes the kubeconfig and the CA certificate of a server.

    `ca`: the CA certificate in PEM; None without TLS. All files except the kubeconfig of the option
    `kubeconfig` are in a temporary directory. The first file creates the directory, and `remove` deletes it.
    """

    def __init__(self, settings: Settings, ca: bytes | None) -> None:
        self._settings = settings
        self._ca = ca
        self._directory: Path | None = None

    @property
    def ca_file(self) -> Path | None:
        """The path of a temporary file with the CA certificate in PEM; None without TLS."""
        if self._ca is None:
            return None
        path = self._temporary() / "ca.pem"
        if not path.exists():
            path.write_bytes(self._ca)
        return path

    def kubeconfig(self, url: str, port: int) -> Path:
        """Returns the path of a kubeconfig for the server at this URL and port.

        Without the option `kubeconfig`, writes a temporary file. Raises StartError if the file cannot be
        written.
        """
        if self._settings.kubeconfig is not None:
            return Path(self._settings.kubeconfig)
        path = self._temporary() / f"kubeconfig-{port}"
        if not path.exists():
            self._write_kubeconfig(path, url)
        return path

    def kubeconfig_of_user(self, url: str, user: User, token: str) -> Path:
        """Writes a temporary kubeconfig for a user with a bearer token; returns its path.

        Raises StartError if the file cannot be written.
        """
        directory = self._temporary() / "users"
        directory.mkdir(exist_ok=True)
        path = directory / f"kubeconfig-{len([*directory.iterdir()]) + 1}"
        self._write(path, kubeconfig_writer.render(url, ca=self._ca, token=token, user=user))
        return path

    def announce(self, url: str) -> None:
        """Writes the kubeconfig if the option `kubeconfig` sets its path.

        Raises StartError if the file cannot be written.
        """
        if self._settings.kubeconfig is not None:
            self._write_kubeconfig(Path(self._settings.kubeconfig), url)

    def remove(self) -> None:
        """Removes the temporary directory with its files."""
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
        self._directory = None

    def _write_kubeconfig(self, path: Path, url: str) -> None:
        advertised = self._settings.advertise_url or url
        self._write(path, kubeconfig_writer.render(advertised, ca=self._ca, token=self._settings.token))

    def _write(self, path: Path, text: str) -> None:
        try:
            kubeconfig_writer.write(path, text)
        except OSError as error:
            raise StartError(f"cannot write the kubeconfig {path}: {error.strerror}") from error

    def _temporary(self) -> Path:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="fakeapi-"))
        return self._directory
