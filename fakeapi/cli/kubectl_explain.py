"""The kubectl plugin `kubectl dra-explain`: runs `fakeapi explain` for the cluster of the
user's kubeconfig.
"""

import os
import sys
from pathlib import Path

from fakeapi.cli.explain import explain

NAME = "kubectl dra-explain"


def main() -> None:
    """Runs `fakeapi explain` with kubectl's kubeconfig. Does not add the kubeconfig if an option selects a
    server.
    """
    arguments = sys.argv[1:]
    if not any(one.split("=")[0] in {"--kubeconfig", "--server", "--help"} for one in arguments):
        arguments = [*arguments, "--kubeconfig", str(kubeconfig())]
    explain.main(arguments, prog_name=NAME)


def kubeconfig() -> Path:
    """Returns the first file in $KUBECONFIG, or ~/.kube/config."""
    first = os.environ.get("KUBECONFIG", "").split(os.pathsep)[0]
    return Path(first) if first else Path.home() / ".kube" / "config"
