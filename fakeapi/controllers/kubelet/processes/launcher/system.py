"""System calls of Linux that the standard library does not have in Python 3.11."""

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x1, 0x2, 0x4, 0x8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
CAPABILITIES = 64
"""Number of capabilities to try. The kernel rejects unknown numbers."""

_MOUNT_SETATTR = 442
"""Number of the system call mount_setattr, on all architectures."""
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217, "armv7l": 218}
_AT_RECURSIVE, _AT_FDCWD = 0x8000, -100
_MOUNT_ATTR_RDONLY = 0x1

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Moves this process into new namespaces. Raises OSError if the kernel refuses."""
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int) -> None:
    """Moves this process into the namespace of a file descriptor. Raises OSError if the kernel refuses."""
    _check(_libc.setns(descriptor, 0), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mounts a file system. Raises OSError if the kernel refuses; the message names the target."""
    result = _libc.mount(
        os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), os.fsencode(data)
    )
    _check(result, f"mount {kind or source} at {target}")


def unmount(target: str) -> None:
    """Detaches a mount, also while it is busy. Raises OSError if the kernel refuses."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")


def pivot_root(new_root: str, put_old: str) -> None:
    """Makes the mount `new_root` the root of the mount namespace. Moves the old root to `put_old`.

    Raises OSError if the kernel refuses.
    """
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"pivot_root is not known on {os.uname().machine}")
    _check(_libc.syscall(number, os.fsencode(new_root), os.fsencode(put_old)), "pivot_root")


def make_read_only(target: str, *, recursive: bool = True) -> None:
    """Makes a mount read-only, and with `recursive` also the mounts below it.

    Raises OSError if the kernel refuses. Kernels before 5.12 always refuse.
    """
    attributes = _MountAttributes(attr_set=_MOUNT_ATTR_RDONLY)
    result = _libc.syscall(
        ctypes.c_long(_MOUNT_SETATTR), ctypes.c_int(_AT_FDCWD), os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE if recursive else 0), ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )  # fmt: skip
    _check(result, f"read-only mount at {target}")


def prctl(option: int, argument: int) -> None:
    """Calls prctl. Raises OSError if the kernel refuses."""
    unsigned = ctypes.c_ulong
    _check(_libc.prctl(option, unsigned(argument), unsigned(0), unsigned(0), unsigned(0)), "prctl")
