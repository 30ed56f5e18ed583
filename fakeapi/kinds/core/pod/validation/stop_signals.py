"""Validates the stop signals of containers.

Follows `validateStopSignal` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import forbidden, not_supported

_NAMED = """ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT
STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX"""
_REAL_TIME = [f"SIGRTMIN+{number}" for number in range(1, 16)] + [
    f"SIGRTMAX-{number}" for number in range(1, 15)
]
_OF_LINUX = tuple(sorted([*(f"SIG{name}" for name in _NAMED.split()), *_REAL_TIME]))
_SIGNALS = {"linux": _OF_LINUX, "windows": ("SIGKILL", "SIGTERM")}


def stop_signal_errors(signal: str, path: str, os: str | None, checks: PodChecks) -> Errors:
    """Validates the stop signal of a container.

    `os`: the name of the pod's OS; None if the pod does not set an OS.
    """
    if os is None:
        yield forbidden(path, "may not be set for containers with empty `spec.os.name`")
        return
    known = _SIGNALS.get(os)
    if known is not None and signal not in known:
        yield not_supported(path, printed_plain(signal, checks.wording), known)
