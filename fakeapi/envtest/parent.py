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


def end_with_parent(parent: int | None = None) -> None:
    """Sends SIGTERM to this process when its parent has ended. Does nothing if DETACHED is set.

    `parent`: the process id of the parent; None for the value of PARENT, or else the parent at this moment.
    """
    if os.environ.get(DETACHED):
        return
    started_by = int(os.environ.pop(PARENT, None) or parent or os.getppid())
    threading.Thread(target=_watch, args=(started_by,), daemon=True, name="parent").start()


def _watch(parent: int) -> None:
    ended = threading.Event()
    while os.getppid() == parent:
        ended.wait(CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
