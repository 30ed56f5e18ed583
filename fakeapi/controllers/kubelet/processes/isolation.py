"""Tests how far this machine can isolate the processes of containers."""

import subprocess
import tempfile
from typing import Literal

from fakeapi.controllers.kubelet.processes.launched import LaunchedProcess, LaunchError

Isolation = Literal["root", "user", "none"]
"""The isolation of the processes of containers.

- `root`: in new namespaces, created by root.
- `user`: in new namespaces inside a user namespace. Only the current user exists there.
- `none`: no isolation. Paths in the command and in the environment are replaced.
"""


async def available_isolation(*, is_root: bool) -> tuple[Isolation, str]:
    """Returns the best isolation on this machine, and the reason why a better isolation failed, or ""."""
    kind: Isolation = "root" if is_root else "user"
    with tempfile.TemporaryDirectory(prefix="fakeapi-probe-") as stage:
        message = {"kind": "probe", "isolation": kind, "stage": stage}
        try:
            process = await LaunchedProcess.launch(message, (subprocess.DEVNULL,) * 3)
        except LaunchError as error:
            return "none", str(error)
        code, _ = await process.wait()
    return (kind, "") if code == 0 else ("none", f"the attempt ended with exit code {code}")
