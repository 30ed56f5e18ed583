"""Ends this process after its parent process has ended, even if the parent was killed.

A killed test binary cannot stop its kube-apiserver and etcd. Without this module, they would run forever, and
keep their ports and files.
"""

import os
import signal
import threading

CHECK_SECONDS = 0.5
"""Seconds between two checks of the parent process."""

DETACHED = "FAKEAPI_OUTLIVE_PARENT"
"""Environment variable. With any value, the process continues after its parent has ended, as with `nohup`."""

PARENT = "FAKEAPI_PARENT"
"""Environment variable with the process id of the parent, set by the shell script that starts Python.

The parent may end before Python can read its process id.
"""


def end_with_parent() -> None:
    """Sends SIGTERM to this process when its parent has ended. Does nothing if DETACHED is set."""
    if os.environ.get(DETACHED):
        return
    threading.Thread(
        target=_watch, args=(int(os.environ.pop(PARENT, None) or os.getppid()),), daemon=True, name="parent"
    ).start()


def _watch(parent: int) -> None:
    ended = threading.Event()
    while os.getppid() == parent:
        ended.wait(CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
