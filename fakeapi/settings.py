"""The options of a server, each with its type, default, environment variable and help text.

`fakeapi serve`, `FakeAPI`, the pytest marker, pytest's ini file and the environment read their options from
this module, so it imports only the standard library and a module that suggests names.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from math import inf
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    TypeVar,
    cast,
    get_args,
    get_origin,
)

from fakeapi.machinery.suggestions import did_you_mean

if TYPE_CHECKING:
    from fakeapi.authentication.settings import FrontProxySettings
    from fakeapi.clock.clocks import ClockAndNames
    from fakeapi.devices.nodes import Nodes
    from fakeapi.devices.reading import Drivers
    from fakeapi.registry.identity.token_settings import TokenSettings

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

DEFAULT_PORT = 8001
"""Default port of `fakeapi serve`; `FakeAPI` uses a free port."""

HISTORY_MAX = 10_000
"""Default number of changes to keep. At older resourceVersions, lists and watches get 410 Expired."""

GRACE_SECONDS = 0.3
"""Default time, in seconds, that a stopping server waits for unfinished requests."""

LATENCY_SECONDS_MAX = 60.0
"""The longest latency, in seconds, that a server can add to each request."""

SERVICE_CLUSTER_IP_RANGE = "10.0.0.0/24"
"""Default range of cluster IPs, the same as in kube-apiserver."""

SERVICE_NODE_PORT_RANGE = "30000-32767"
"""Default range of node ports, the same as in kube-apiserver. The second number is included."""

_ENVIRONMENT = "FAKEAPI_"


@dataclass(frozen=True, slots=True)
class Option:
    """The metadata of an option. The type and the default of the option are in its field of Settings.

    - `flag`: the flag of `fakeapi serve`; empty if the command does not have the option.
    - `also`: other names of the flag.
    - `unset`: a description of the default for help texts, if the value does not explain itself.
    - `bounds`: the lowest and the highest allowed number; None means unlimited.
    - `is_duration`: whether the option's text can have a unit (10ms). Without a unit, it is in seconds.
    - `is_shared`: whether one server with this option can serve several tests, one after the other. Other
      options need something outside the server, such as a file.
    - `command_line_default`: the default of `fakeapi serve`, if it differs from the default of Settings.
    """

    help: str
    flag: str = ""
    also: tuple[str, ...] = ()
    metavar: str = ""
    unset: str = ""
    bounds: tuple[float, float | None] | None = None
    is_file: bool = False
    is_duration: bool = False
    is_shared: bool = True
    command_line_default: Any = None

    @property
    def environment(self) -> str:
        """The name of the option's environment variable for `fakeapi serve`, such as FAKEAPI_DB for --db."""
        return _ENVIRONMENT + self.flag.removeprefix("--").replace("-", "_").upper()


def _option(default: Any, help: str, flag: str = "", **more: Any) -> Any:  # noqa: A002 - the name in click
    return field(default=default, metadata={"option": Option(help, flag, **more)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of a server. Raises ValueError for a value that has a wrong type or is out of bounds."""

    release: str | None = _option(
        None,
        "Serve this Kubernetes release; `fakeapi releases` lists them.",
        "--release",
        metavar="RELEASE",
        unset="each API version as in the newest release that has it",
    )
    feature_gates: Mapping[str, bool] | str | None = _option(
        None,
        "Switch feature gates on or off, as kube-apiserver does. The server logs gates without effect.",
        "--feature-gates",
        metavar="NAME=BOOL,…",
        unset="as the release has them",
    )
    runtime_config: str = _option(
        "",
        "Switch API versions on or off as kube-apiserver does: resource.k8s.io/v1beta1=false,api/alpha=true.",
        "--runtime-config",
        metavar="GROUP/VERSION=BOOL,…",
        unset="the versions that the release has on, and every version of resource.k8s.io",
    )
    enable_admission_plugins: str = _option(
        "",
        "Enable these admission plugins too, as kube-apiserver does: ServiceAccount,AlwaysPullImages.",
        "--enable-admission-plugins",
        metavar="NAME,…",
        unset="the default plugins of kube-apiserver, except ServiceAccount",
    )
    disable_admission_plugins: str = _option(
        "",
        "Disable these admission plugins, as kube-apiserver does.",
        "--disable-admission-plugins",
        metavar="NAME,…",
        unset="none",
    )
    database: str | Path | None = _option(
        None,
        "Store the objects in this SQLite file, or in a database (postgresql://…) that several servers can "
        "share.",
        "--db",
        metavar="FILE|URL",
        unset="in memory",
        is_shared=False,
    )
    durability: Literal["normal", "full"] = _option(
        "normal",
        "Let acknowledged writes survive a crash of the process (normal), or also a power failure (full).",
        "--durability",
    )
    history: int = _option(
        HISTORY_MAX,
        "Keep this many changes; lists and watches at an older resourceVersion get 410 Expired.",
        "--history",
        bounds=(1, None),
    )
    host: str = _option("127.0.0.1", "Listen on this address.", "--host", is_shared=False)
    port: int = _option(
        0,
        "Listen on this port; 0 chooses a free port.",
        "--port",
        bounds=(0, 65535),
        command_line_default=DEFAULT_PORT,
        is_shared=False,
    )
    tls: bool = _option(
        False,
        "Serve HTTPS with a certificate of the server's own CA. With --db FILE, the CA is stored beside the "
        "file.",
        "--tls",
    )
    tls_cert: str | Path | None = _option(
        None,
        "Serve HTTPS with the certificate in this file (PEM, with intermediate certificates). The server "
        "reads the file again after it changes.",
        "--tls-cert",
        metavar="FILE",
        unset="a certificate of the server's own CA, with --tls",
        is_file=True,
        is_shared=False,
    )
    tls_key: str | Path | None = _option(
        None,
        "The private key of --tls-cert.",
        "--tls-key",
        metavar="FILE",
        unset="none",
        is_file=True,
        is_shared=False,
    )
    client_ca: str | Path | None = _option(
        None,
        "With HTTPS, authenticate users by client certificates of the CAs in this file (PEM): the common "
        "name is the user, and the organizations are the groups. All other clients need a token.",
        "--client-ca",
        metavar="FILE",
        unset="no client certificates",
        is_file=True,
        is_shared=False,
    )
    front_proxy: "FrontProxySettings | None" = _option(
        None,
        "With HTTPS, take users from the headers of requests of these authenticating proxies.",
        unset="none",
        is_shared=False,
    )
    tls_directory: str | Path | None = _option(
        None,
        "With --tls, store the CA in this directory (ca.pem, ca-key.pem). Several servers can share the "
        "directory.",
        "--tls-directory",
        metavar="DIR",
        unset="a new CA at each start, or one beside the file of --db",
        is_shared=False,
    )
    token: str | None = _option(
        None,
        "Require this bearer token from clients; kubectl and client-go send a token only with --tls.",
        "--token",
        metavar="TOKEN",
        unset="every client may send requests",
    )
    token_file: str | Path | None = _option(
        None,
        "Require the bearer token in this file; process lists show the value of --token to everybody. Or "
        'authenticate several users: each line is token,user,uid,"group1,group2", as in kube-apiserver\'s '
        "--token-auth-file. Other users of the machine must not be able to read the file.",
        "--token-file",
        metavar="FILE",
        unset="no file",
        is_file=True,
        is_shared=False,
    )
    token_users: str | Path | None = _option(
        None,
        "Authenticate the users in this file, like `token_file` with several users. Any mode of the file is "
        "allowed.",
        unset="none",
        is_file=True,
        is_shared=False,
    )
    anonymous: Literal["default", "user", "rejected"] = _option(
        "default",
        "Treat requests without credentials as requests of system:anonymous (user), or reject them "
        "(rejected). By default, they are requests of an administrator; a server that requires credentials "
        "accepts only health checks without them.",
    )
    service_account_tokens: "TokenSettings | None" = _option(
        None,
        "Sign service account tokens with this key, as this issuer, and accept tokens of these keys.",
        unset="a key of the server, and the issuer https://kubernetes.default.svc",
        is_shared=False,
    )
    authorization: Literal["always-allow", "always-deny", "node", "rbac"] = _option(
        "always-allow",
        "Allow all requests (always-allow); only those that roles and bindings allow, and those that "
        "kubelets need (rbac); only the latter (node); or none (always-deny). Administrators may do "
        "everything.",
        "--authorization",
    )
    node_authorization: bool = _option(
        True,
        "With the authorization rbac, also allow what kubelets need, like kube-apiserver's mode Node.",
    )
    service_cluster_ip_range: str = _option(
        SERVICE_CLUSTER_IP_RANGE,
        "Allocate cluster IPs of Services from this range.",
    )
    service_node_port_range: str = _option(
        SERVICE_NODE_PORT_RANGE,
        "Allocate node ports of Services from this range; the second number is included.",
    )
    accept_hosts: str | None = _option(
        None,
        "Without a token, accept only Host and Origin headers that match, as kubectl proxy does.",
        "--accept-hosts",
        metavar="REGEX,…",
        unset="loopback, the host of --host, and the host of --advertise-url",
    )
    kubeconfig: str | Path | None = _option(
        None,
        "Write the kubeconfig to this file; the file stays when the server stops.",
        "--kubeconfig",
        metavar="FILE",
        unset="a temporary file",
        is_file=True,
        is_shared=False,
    )
    advertise_url: str | None = _option(
        None,
        "Write this URL into the kubeconfig, for clients that reach the server by another URL.",
        "--advertise-url",
        metavar="URL",
        unset="host and port",
    )
    grace: float = _option(
        GRACE_SECONDS,
        "Wait this many seconds for running requests when stopping.",
        "--grace",
        bounds=(0, 3600),
    )
    latency: float = _option(
        0.0,
        "Delay every request by this time, so that tests see the race conditions of a slower server. A "
        "frozen clock switches the delay off.",
        "--latency",
        metavar="DURATION",
        unset="none",
        is_duration=True,
        bounds=(0, LATENCY_SECONDS_MAX),
    )
    record: str | Path | None = _option(
        None,
        "Record the traffic to this file (.jsonl, .jsonl.gz or .jsonl.zst). The server writes the file when "
        "it stops.",
        "--record",
        metavar="FILE",
        unset="nothing is recorded",
        is_file=True,
        is_shared=False,
    )
    redact: Iterable[str] = _option(
        (),
        "Leave this field, such as spec.controller, out of the recording; repeat for more. Credentials are "
        "never recorded.",
        "--redact",
        metavar="FIELD",
    )
    audit_log: str | Path | None = _option(
        None,
        "Append an audit event for each request to this file, as the policy of --audit-policy says; - is the "
        "standard output.",
        "--audit-log",
        metavar="FILE",
        unset="no audit log",
        is_file=True,
        is_shared=False,
    )
    audit_policy: str | Path | None = _option(
        None,
        "The audit policy of --audit-log, as in kube-apiserver's --audit-policy-file.",
        "--audit-policy",
        metavar="FILE",
        unset="no request is logged",
        is_file=True,
        is_shared=False,
    )
    controllers: Iterable[str] | str = _option(
        "",
        "Run these controllers beside the server, such as namespace, garbagecollector, scheduler, kubelet, "
        "resourceclaim, deployment and job. all runs every controller, and all,-NAME leaves one out. "
        "docs/controllers.md has the names.",
        "--controllers",
        metavar="NAME,…",
        unset="none",
    )
    install: "Iterable[Any] | str | Path" = _option(
        (),
        "Install the manifests of this file, directory or pattern at each start; repeat for more. Existing "
        "objects without differences stay unchanged.",
        "--install",
        metavar="PATH",
    )
    webhook_services: Iterable[str] = _option(
        (),
        "Call the webhooks of this service at this URL; repeat for more. Patterns such as */*-webhook are "
        "allowed. Services have no addresses here: calls to other services reach only processes of --run, "
        "or fail with a refused connection.",
        "--webhook-service",
        metavar="NAMESPACE/NAME[:PORT]=URL",
    )
    journal: Literal["on", "bodies", "off"] = _option(
        "on",
        "Keep the last requests with their bodies: with the responses of refused requests (on), with all "
        "responses (bodies), or keep no requests (off).",
        "--journal",
    )
    faults: "Iterable[Any] | str | Path" = _option(
        (),
        "Arm the faults in this file at each start; repeat for more.",
        "--faults",
        metavar="FILE",
    )
    strict_faults: bool = _option(
        False,
        "Fail if a fault never fired before the server stops or the test ends.",
    )
    control: bool = _option(
        True,
        "Serve the control API and the live page below /_fakeapi.",
        "--control",
    )
    drivers: "Drivers" = _option(
        (),
        "Simulate DRA drivers in the controller kubelet: NAME=COUNT for COUNT devices on each node, a preset "
        "such as nvidia-gpu, or a YAML file; repeat for more. Without --controllers, all controllers run.",
        "--driver",
        also=("--devices",),
        metavar="NAME=COUNT|PRESET|FILE",
    )
    nodes: "Nodes" = _option(
        "node",
        "Create these nodes with the controller kubelet: a,b or gpu-{1..500}, with capacity, labels and "
        "taints as in a,cpu=64,label=zone=z1; a semicolon begins other nodes. Or read Node manifests from a "
        "file.",
        "--nodes",
        metavar="NAME,…[,cpu=N][,label=KEY=VALUE]…[;…]|FILE",
    )
    containers: "Iterable[Any] | str | Path" = _option(
        (),
        "Let simulated containers behave as this YAML file says, such as exit codes and probes that fail; "
        "repeat for more.",
        "--containers",
        metavar="FILE",
    )
    run: Iterable[str] = _option(
        (),
        "Run the containers of this image as local processes, with the files in this directory, or with this "
        "program; repeat for more. The processes run as your user: name only programs that you trust.",
        "--run",
        metavar="IMAGE=DIR",
        is_shared=False,
    )
    run_network: Literal["host", "pod"] = _option(
        "host",
        "Let processes of --run use the network of this machine (host), or give each pod a network of its "
        "own, with a loopback interface on which the server listens too (pod).",
        "--run-network",
    )
    kubelet_directory: str | Path | None = _option(
        None,
        "Put the directories of nodes here; DRA drivers use DIR/NODE/plugins_registry and DIR/NODE/plugins.",
        "--kubelet-directory",
        metavar="DIR",
        unset="a temporary directory",
        is_shared=False,
    )
    seed: int | None = _option(
        None,
        "Draw uids, generated names and all other random values from this seed, so that runs are repeatable.",
        "--seed",
        metavar="N",
        unset="a different seed at each start",
        bounds=(0, None),
    )
    frozen_at: str | None = _option(
        None,
        "Freeze the clock at this time, such as 2026-01-31T12:00:00Z, until you move it.",
        "--frozen-at",
        metavar="TIME",
        unset="the clock of the machine",
    )
    clock: "ClockAndNames | None" = _option(
        None,
        "Take time, uids and generated names from this object, instead of `seed` and `frozen_at`.",
        unset="the machine's clock and random names",
        is_shared=False,
    )

    def __post_init__(self) -> None:
        for setting, option in options():
            _check(setting, option, getattr(self, setting.name))


def options() -> Iterator[tuple[Field[Any], Option]]:
    """Yields every field of Settings with its Option, in order."""
    for setting in fields(Settings):
        yield setting, setting.metadata["option"]


def _check(of: Field[Any], option: Option, value: Any) -> None:
    """Raises ValueError if a value has the wrong type for its option or is out of the option's bounds."""
    if isinstance(of.type, str) or (of.name == "feature_gates" and value is not None):
        return  # the code that uses the option checks it
    if get_origin(of.type) is Literal:
        if value not in get_args(of.type):
            raise ValueError(f"{of.name}: {value!r} is not one of {', '.join(get_args(of.type))}")
        return
    members = get_args(of.type) if isinstance(of.type, UnionType) else (of.type,)
    kinds = [kind for member in members for kind in _KINDS.get(member, (get_origin(member) or member,))]
    wrong = not isinstance(value, tuple(kinds)) or (isinstance(value, bool) and bool not in kinds)
    if wrong:
        known = (get_origin(member) or member for member in members if member is not NoneType)
        names = [kind.__name__ for kind in known]
        raise ValueError(f"{of.name}: {value!r} is not of type {' or '.join(names)}")
    if option.bounds is not None and value is not None:
        low, high = option.bounds
        if not low <= value <= (inf if high is None else high):
            bounds = f"less than {low}" if high is None else f"not from {low} to {high}"
            raise ValueError(f"{of.name}: {value} is {bounds}")


_KINDS: dict[Any, Any] = {float: (int, float), Path: (PathLike,)}
"""Maps types of options to the Python types that they accept, if these are more: float also accepts int."""


def problem_of(names: Mapping[str, Any]) -> str:
    """Returns a message about the first name that is not an option of a server; "" if all are options."""
    known = [setting.name for setting in fields(Settings)]
    for name in sorted(names.keys() - set(known)):
        return f"FakeAPI has no option {name}{did_you_mean(name, known) or '; it has ' + ', '.join(known)}"
    return ""


def read_option(name: str, text: str) -> Any:
    """Converts the text of an option to its value. Raises ValueError for an unknown name or invalid text."""
    setting = next((candidate for candidate in fields(Settings) if candidate.name == name), None)
    if setting is None or name == "clock":
        hint = did_you_mean(name, [candidate.name for candidate in fields(Settings)])
        raise ValueError(f"no option {name!r} that can be set with text{hint}")
    readers: dict[type, Callable[[str], Any]] = {bool: _flag, int: int, float: float, tuple: str.split}
    kind = int if name == "seed" else type(setting.default)
    if setting.metadata["option"].is_duration:
        try:
            return seconds_of_duration(text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    try:
        return readers.get(kind, str)(text)
    except ValueError:
        raise ValueError(f"{name}: {text!r} is not a valid {kind.__name__}") from None


def seconds_of_duration(text: str) -> float:
    """Returns the seconds of a duration such as 10ms, 0.5s or 1m. A number without a unit is in seconds.

    Raises ValueError for any other text.
    """
    read = _DURATION.fullmatch(text)
    if read is None:
        raise ValueError(f"{text!r} is not a duration such as 10ms or 0.5s")
    return float(read[1]) * _SECONDS[read[2] or "s"]


_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


def _flag(text: str) -> bool:
    try:
        return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def is_shareable(given: Mapping[str, Any]) -> bool:
    """Whether a server with these options can serve several tests, one after the other."""
    return all(option.is_shared for setting, option in options() if setting.name in given)


def described() -> str:
    """Returns the options as text for a docstring: one line per option, with help text and default."""
    return "\n".join(
        f"    {setting.name}: {option.help} {_default(setting, option)}" for setting, option in options()
    )


def _default(each: Field[Any], option: Option) -> str:
    return f"Default: {option.unset or repr(each.default)}."


def _check_names(args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """Raises TypeError for options by position, and for names that are not options."""
    if args:
        raise TypeError(
            f"FakeAPI takes its options by name, such as FakeAPI(release='1.34'), not {args[0]!r:.80}"
        )
    if problem := problem_of(options):
        raise TypeError(problem)


def passes_options(
    make: Callable[P, Settings],
) -> Callable[[Callable[[T, Mapping[str, Any]], R]], Callable[Concatenate[T, P], R]]:
    """Returns a decorator for a method with a mapping of options, which callers then pass as keywords.

    `make`: as in `takes_settings`. The mapping has only the options that the caller has named. The method
    raises TypeError for options by position, and for names that are not options.
    """

    def decorate(method: Callable[[T, Mapping[str, Any]], R]) -> Callable[Concatenate[T, P], R]:
        @wraps(method)
        def call(self: T, *args: P.args, **kwargs: P.kwargs) -> R:
            _check_names(args, kwargs)
            return method(self, kwargs)

        return cast("Callable[Concatenate[T, P], R]", call)

    return decorate


def takes_settings(
    make: Callable[P, Settings],
) -> Callable[[Callable[[T, Settings], None]], Callable[Concatenate[T, P], None]]:
    """Returns a decorator for `__init__(self, settings)` that lets callers pass the options as keywords.

    `make`: creates the settings, such as the class Settings. Type checkers, `help` and editors show its
    signature for `__init__`.
    """

    def decorate(initialize: Callable[[T, Settings], None]) -> Callable[Concatenate[T, P], None]:
        @wraps(initialize)
        def init(self: T, *args: P.args, **kwargs: P.kwargs) -> None:
            _check_names(args, kwargs)
            initialize(self, make(*args, **kwargs))

        first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
        named = signature(make).parameters.values()
        vars(init)["__signature__"] = Signature([first, *named], return_annotation=None)
        return cast("Callable[Concatenate[T, P], None]", init)

    return decorate
