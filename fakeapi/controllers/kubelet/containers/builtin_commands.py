"""Commands that every simulated container can run: env, printenv, echo, cat, hostname, true and false."""

from collections.abc import Callable, Sequence

from fakeapi.controllers.kubelet.containers.behaviour import ExecResult
from fakeapi.controllers.kubelet.containers.hostname import hostname
from fakeapi.controllers.kubelet.containers.runtime import CommandError, ContainerRun


def run_builtin(run: ContainerRun, command: Sequence[str], stdin: bytes) -> ExecResult:
    """Returns the result of a command.

    Raises CommandError for an unknown command, with the message about a missing program.
    """
    name = command[0].rpartition("/")[2] if command else ""
    builtin = _BUILTINS.get(name)
    if builtin is None:
        raise CommandError(
            f'exec: "{name}": executable file not found in $PATH: the container is simulated; '
            "behaviours define the results of commands"
        )
    return builtin(run, list(command[1:]), stdin)


def _env(run: ContainerRun, arguments: list[str], stdin: bytes) -> ExecResult:
    return ExecResult("".join(f"{name}={value}\n" for name, value in run.config.env.items()))


def _printenv(run: ContainerRun, arguments: list[str], stdin: bytes) -> ExecResult:
    if not arguments:
        return _env(run, arguments, stdin)
    known = [run.config.env[name] for name in arguments if name in run.config.env]
    return ExecResult("".join(f"{value}\n" for value in known), exit_code=int(len(known) < len(arguments)))


def _hostname(run: ContainerRun, arguments: list[str], stdin: bytes) -> ExecResult:
    return ExecResult(f"{hostname(run)}\n")


_BUILTINS: dict[str, Callable[[ContainerRun, list[str], bytes], ExecResult]] = {
    "env": _env,
    "printenv": _printenv,
    "echo": lambda run, arguments, stdin: ExecResult(" ".join(arguments) + "\n"),
    "cat": lambda run, arguments, stdin: ExecResult(stdin),
    "hostname": _hostname,
    "true": lambda run, arguments, stdin: ExecResult(),
    "false": lambda run, arguments, stdin: ExecResult(exit_code=1),
}
