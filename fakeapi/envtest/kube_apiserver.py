"""The command `kube-apiserver` of an envtest folder: runs fakeapi with kube-apiserver's command line."""

import sys
from typing import NoReturn

from fakeapi.envtest.flag_table import flags_of
from fakeapi.envtest.flags import Flag, FlagError, Values, read
from fakeapi.envtest.parent import end_with_parent
from fakeapi.envtest.treatments import TREATMENTS, Effect


def main(release: str) -> None:
    """Runs a server of a release until SIGTERM or SIGINT. Exits with 1 for an error, like kube-apiserver."""
    flags = flags_of(release)
    try:
        values = read(sys.argv[1:], flags)
        if values.flag("help", default=False):
            print(help_text(release))
        elif values.text("version", "false") != "false":
            print(f"Kubernetes {_version(release)}")
        else:
            check(values)
            _serve(release, values)
    except FlagError as error:
        _fail(str(error))


def _fail(message: str) -> NoReturn:
    print(f"Error: {message}", file=sys.stderr)
    raise SystemExit(1)


def _version(release: str) -> str:
    from fakeapi.releases import served  # noqa: PLC0415 - loaded only for --version

    return served(release).primary.version


def help_text(release: str) -> str:
    """Returns the text that `kube-apiserver --help` prints.

    Test suites search this text for lines that begin with a flag.
    """
    flags = flags_of(release)
    lines = [
        f"The kube-apiserver of fakeapi, which answers as that of Kubernetes {release}.",
        "",
        "Usage:",
        "  kube-apiserver [flags]",
    ]
    for effect in Effect:
        lines += ["", f"Flags, {effect.value}:", ""]
        for flag in flags:
            if TREATMENTS[flag.name].effect is effect:
                lines += _described(flag)
    return "\n".join(lines)


def _described(flag: Flag) -> list[str]:
    """Returns the lines of a flag's help text. The first line begins with the flag, as envtest expects."""
    kind = "" if flag.type == "bool" else f" {flag.type}"
    short = f"  (-{flag.shorthand})" if flag.shorthand else ""
    reason = TREATMENTS[flag.name].reason
    return [f"      --{flag.name}{kind}{short}", *([f"            {reason}"] if reason else [])]


def check(values: Values) -> None:
    """Checks the flags of a command line. Prints the names of flags without effect to stderr.

    Raises FlagError for an unsupported flag, unless its value is "" or its accepted default.
    """
    ignored = []
    for name in values.given:
        treatment = TREATMENTS[name]
        if treatment.effect is Effect.REFUSED and values.text(name) not in ("", treatment.default):
            raise FlagError(f"--{name} is not supported: {treatment.reason}")
        if treatment.effect is Effect.NONE:
            ignored.append(f"--{name}")
    if ignored:
        print(f"These flags have no effect in fakeapi: {' '.join(ignored)}", file=sys.stderr, flush=True)


def _serve(release: str, values: Values) -> None:
    from fakeapi import FakeAPI, StartError  # noqa: PLC0415 - not for --help
    from fakeapi.envtest.etcd_state import EtcdError, find_state  # noqa: PLC0415 - not for --help
    from fakeapi.envtest.server_options import options_of  # noqa: PLC0415 - not for --help
    from fakeapi.serving.interpreter import tune_interpreter  # noqa: PLC0415 - not for --help

    servers = values.items("etcd-servers")
    if not servers:
        raise FlagError("--etcd-servers must be specified")

    def ready(running: FakeAPI) -> None:
        tune_interpreter()
        print(f"Serving Kubernetes {release} at {running.url}", file=sys.stderr, flush=True)

    end_with_parent()
    try:
        state = find_state(servers, values.text("etcd-prefix", "/registry"))
        options = options_of(values)
        server = FakeAPI(
            release=release,
            database=state.database,
            durability="full" if state.fsync else "normal",
            **options,
        )
        server.run(ready)
    except (EtcdError, StartError, OSError, ValueError) as error:
        _fail(str(error))
