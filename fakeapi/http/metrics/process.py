"""Reads the metrics of the server's process, like github.com/prometheus/client_golang.

Only Linux has all of these metrics.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from fakeapi.http.metrics.text import Family

_PROC = Path("/proc/self")
_START_FIELD = 19
"""The index of the start time in /proc/self/stat, after the name of the command."""


def process_families() -> Iterator[Family]:
    """Yields the metrics of this process. On a system without /proc, yields only the CPU time."""
    used = time.process_time()
    text = "Seconds of CPU time that the process has used."
    yield Family("process_cpu_seconds_total", "counter", text, {(): used})
    try:
        pages = int((_PROC / "statm").read_text("ascii").split()[1])
        started = (_PROC / "stat").read_text("utf-8").rpartition(")")[2].split()[_START_FIELD]
        booted = _boot_time()
        descriptors = len(os.listdir(_PROC / "fd"))  # noqa: PTH208 - counts, and needs no paths
    except (OSError, ValueError, IndexError):
        return
    memory = pages * os.sysconf("SC_PAGE_SIZE")
    yield _gauge("process_resident_memory_bytes", "Bytes of memory that the process has resident.", memory)
    began = booted + int(started) / os.sysconf("SC_CLK_TCK")
    yield _gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", began)
    yield _gauge("process_open_fds", "How many file descriptors the process has open.", descriptors)


def _boot_time() -> float:
    """Returns the boot time of the machine, in seconds since the epoch.

    Raises ValueError if the kernel does not report the boot time.
    """
    for line in Path("/proc/stat").read_text("ascii").splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    raise ValueError("/proc/stat has no btime")


def _gauge(name: str, text: str, value: float) -> Family:
    return Family(name, "gauge", text, {(): value})
