"""Stores the prepared claims of a node in a checkpoint file, which the kubelet reads after a restart.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/state`, but uses a different file format.
"""

import logging
from pathlib import Path

import msgspec

from fakeapi.atomic_file import write_atomically
from fakeapi.controllers.kubelet.prepared import Prepared, PreparedClaim
from fakeapi.inputfile import read_regular

log = logging.getLogger("fakeapi.controllers")

FILE = "dra_manager_state"

FILE_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of the checkpoint file in bytes. A larger file is ignored with a warning."""


def load(directory: Path) -> Prepared:
    """Reads the prepared claims of a node from its checkpoint file.

    Returns an empty Prepared if the file is missing or unreadable.
    """
    path = directory / FILE
    prepared = Prepared()
    try:
        for entry in msgspec.json.decode(read_regular(path, FILE_BYTES_MAX), type=list[PreparedClaim]):
            prepared.add(entry)
    except FileNotFoundError:
        pass
    except (OSError, msgspec.MsgspecError, RecursionError) as problem:
        log.warning(
            "the kubelet forgets prepared claims, because their file is unusable: %s: %s", path, problem
        )
    return prepared


def save(directory: Path, prepared: Prepared) -> None:
    """Replaces the checkpoint file of a node atomically. Raises OSError if the file cannot be written."""
    write_atomically(directory / FILE, msgspec.json.encode(list(prepared)))
