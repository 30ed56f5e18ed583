"""The command `fakeapi envtest`: prints a folder for the variable KUBEBUILDER_ASSETS."""

from importlib.util import find_spec
from pathlib import Path

import click

from fakeapi.envtest import assets
from fakeapi.envtest.flag_table import releases
from fakeapi.machinery.cel.library import MODULE
from fakeapi.releases import served

_NO_CEL = (
    "Note: the extra cel is not installed, so the server does not check the CEL rules of "
    "CustomResourceDefinitions and policies: install 'fakeapi-k8s[cel]'."
)


@click.command(context_settings={"show_default": True})
@click.option(
    "--release",
    metavar="RELEASE",
    envvar="FAKEAPI_RELEASE",
    help="Write the programs of this Kubernetes release, such as 1.34.  [default: the newest]",
)
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    envvar="FAKEAPI_ENVTEST_DIR",
    type=click.Path(path_type=Path),
    help="Keep the folders in this store.  [default: ~/.local/share/fakeapi/envtest]",
)
@click.option("--list", "lists", is_flag=True, help="List the folders in the store, and write nothing.")
@click.option("--clean", is_flag=True, help="Remove the folders in the store.")
@click.argument("version", required=False)
def envtest(
    *, release: str | None, directory: Path | None, lists: bool, clean: bool, version: str | None
) -> None:
    """Print a folder with etcd, kube-apiserver and kubectl, for suites of controller-runtime's envtest.

    export KUBEBUILDER_ASSETS=$(fakeapi envtest --release 1.34)

    The suite then starts a fakeapi server instead of the real programs. The folder is written once. Suites
    can share it at the same time. VERSION sets the release like --release, as in `setup-envtest use 1.34`.
    """
    store = directory or assets.default_store()
    if lists and clean:
        raise click.UsageError("Set --list or --clean, not both.")
    try:
        if lists or clean:
            for item in assets.clean(store) if clean else assets.listed(store):
                click.echo(f"{'removed ' if clean else ''}{item.version}  {item.folder}")
            return
        folder = assets.prepare(store, _version(version or release))
        if find_spec(MODULE) is None:
            click.echo(_NO_CEL, err=True)
        click.echo(folder)
    except assets.AssetsError as error:
        raise click.ClickException(str(error)) from error


def _version(text: str | None) -> str:
    """Returns the Kubernetes version to serve, such as "1.34.2", without a leading "v".

    `text`: a release, such as 1.34, v1.34, 1.34.x or 1.34.2; only major and minor version count. None means
    the newest release. Raises UsageError for a release that fakeapi does not have.
    """
    known = releases()
    release = known[-1] if text is None else ".".join(text.removeprefix("v").split(".")[:2])
    if release not in known:
        raise click.UsageError(f"fakeapi has no release {text}; it has {', '.join(known)}.")
    return served(release).primary.version.removeprefix("v")
