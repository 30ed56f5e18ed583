"""The options of a server, each with its type, default, environment variable and help text.

`fakeapi serve`, `FakeAPI`, the pytest marker, pytest's ini file and the environment read their options from
this module, so it imports only the standard library and a module that suggests names.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
)

from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.option import Option, check_option, flag_of, option_field, seconds_of_duration

if TYPE_CHECKING:
    from fakeapi.authentication.settings import FrontProxySettings
    from fakeapi.clock.clocks import ClockAndNames
    from fakeapi.devices.nodes import Nodes
    from fakeapi.devices.reading import Drivers
    from fakeapi.registry.identity.token_settings import TokenSettings

DEFAULT_PORT = 8001
"""Default port of `fakeapi serve`; `FakeAPI` uses a free port."""

HISTORY_MAX = 10_000
"""Default number of changes to keep. At older resourceVersions, lists and watches get 410 Expired."""

GRACE_SECONDS = 0.3
"""Default time, in seconds, that a stopping server waits for unfinished requests."""

LATENCY_SECONDS_MAX = 60.0
"""Maximum latency, in seconds, that a server can add to each request."""

SERVICE_CLUSTER_IP_RANGE = "10.0.0.0/24"
"""Default range of cluster IPs, the same as in kube-apiserver."""

SERVICE_NODE_PORT_RANGE = "30000-32767"
"""Default range of node ports, the same as in kube-apiserver. The second number is included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of a server. Raises ValueError for a value of a wrong type or out of bounds."""

    release: str | None = option_field(
        None,
        "Serve this Kubernetes release; `fakeapi releases` lists them.",
        "--release",
        metavar="RELEASE",
        unset="each API version as in the newest release that has it",
    )
    feature_gates: Mapping[str, bool] | str | None = option_field(
        None,
        "Switch feature gates on or off, as kube-apiserver does. The server logs gates without effect.",
        "--feature-gates",
        metavar="NAME=BOOL,…",
        unset="the defaults of the release",
    )
    runtime_config: str = option_field(
        "",
        "Switch API versions on or off as kube-apiserver does: resource.k8s.io/v1beta1=false,api/alpha=true.",
        "--runtime-config",
        metavar="GROUP/VERSION=BOOL,…",
        unset="the versions that the release has on, and every version of resource.k8s.io",
    )
    enable_admission_plugins: str = option_field(
        "",
        "Enable these admission plugins too, as kube-apiserver does: ServiceAccount,AlwaysPullImages.",
        "--enable-admission-plugins",
        metavar="NAME,…",
        unset="the default plugins of kube-apiserver, except ServiceAccount",
    )
    disable_admission_plugins: str = option_field(
        "",
        "Disable these admission plugins, as kube-apiserver does.",
        "--disable-admission-plugins",
        metavar="NAME,…",
        unset="none",
    )
    database: str | Path | None = option_field(
        None,
        "Store the objects in this SQLite file, or in a database (postgresql://…) that several servers can "
        "share.",
        "--db",
        metavar="FILE|URL",
        unset="in memory",
        is_shared=False,
    )
    durability: Literal["normal", "full"] = option_field(
        "normal",
        "Let acknowledged writes survive a crash of the process (normal), or also a power failure (full).",
        "--durability",
    )
    history: int = option_field(
        HISTORY_MAX,
        "Keep this many changes; lists and watches at an older resourceVersion get 410 Expired.",
        "--history",
        bounds=(1, None),
    )
    host: str = option_field("127.0.0.1", "Listen on this address.", "--host", is_shared=False)
    port: int = option_field(
        0,
        "Listen on this port; 0 chooses a free port.",
        "--port",
        bounds=(0, 65535),
        command_line_default=DEFAULT_PORT,
        is_shared=False,
    )
    tls: bool = option_field(
        False,
        "Serve HTTPS with a certificate of the server's own CA. With --db FILE, the CA is stored beside the "
        "file.",
        "--tls",
    )
    tls_cert: str | Path | None = option_field(
        None,
        "Serve HTTPS with the certificate in this file (PEM, with intermediate certificates). The server "
        "reads the file again after it changes.",
        "--tls-cert",
        metavar="FILE",
        unset="a certificate of the server's own CA, with --tls",
        is_file=True,
        is_shared=False,
    )
    tls_key: str | Path | None = option_field(
        None,
        "The private key of --tls-cert.",
        "--tls-key",
        metavar="FILE",
        unset="none",
        is_file=True,
        is_shared=False,
    )
    client_ca: str | Path | None = option_field(
        None,
        "With HTTPS, authenticate users by client certificates of the CAs in this file (PEM): the common "
        "name is the user, and the organizations are the groups. All other clients need a token.",
        "--client-ca",
        metavar="FILE",
        unset="no client certificates",
        is_file=True,
        is_shared=False,
    )
    proxy_client_cert: str | Path | None = option_field(
        None,
        "The client certificate (PEM) that the server presents to the servers behind APIServices.",
        "--proxy-client-cert",
        metavar="FILE",
        unset="none",
        is_file=True,
        is_shared=False,
    )
    proxy_client_key: str | Path | None = option_field(
        None,
        "The private key of --proxy-client-cert.",
        "--proxy-client-key",
        metavar="FILE",
        unset="none",
        is_file=True,
        is_shared=False,
    )
    front_proxy: "FrontProxySettings | None" = option_field(
        None,
        "With HTTPS, take users from the headers of requests of these authenticating proxies.",
        unset="none",
        is_shared=False,
    )
    tls_directory: str | Path | None = option_field(
        None,
        "With --tls, store the CA in this directory (ca.pem, ca-key.pem). Several servers can share the "
        "directory.",
        "--tls-directory",
        metavar="DIR",
        unset="a new CA at each start, or one beside the file of --db",
        is_shared=False,
    )
    token: str | None = option_field(
        None,
        "Require this bearer token from clients; kubectl and client-go send a token only with --tls.",
        "--token",
        metavar="TOKEN",
        unset="every client may send requests",
    )
    token_file: str | Path | None = option_field(
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
    token_users: str | Path | None = option_field(
        None,
        "Authenticate the users in this file, like `token_file` with several users. Any mode of the file is "
        "allowed.",
        unset="none",
        is_file=True,
        is_shared=False,
    )
    anonymous: Literal["default", "user", "rejected"] = option_field(
        "default",
        "Treat requests without credentials as requests of system:anonymous (user), or reject them "
        "(rejected). By default, they are requests of an administrator; a server that requires credentials "
        "accepts only health checks without them.",
    )
    service_account_tokens: "TokenSettings | None" = option_field(
        None,
        "Sign service account tokens with this key, as this issuer, and accept tokens of these keys.",
        unset="a key of the server, and the issuer https://kubernetes.default.svc",
        is_shared=False,
    )
    authorization: Literal["always-allow", "always-deny", "node", "rbac"] = option_field(
        "always-allow",
        "Allow all requests (always-allow), what roles and bindings allow and kubelets need (rbac), only "
        "what kubelets need (node), or no requests (always-deny). Administrators may do everything.",
        "--authorization",
    )
    node_authorization: bool = option_field(
        True,
        "With the authorization rbac, also allow what kubelets need, like kube-apiserver's mode Node.",
    )
    service_cluster_ip_range: str = option_field(
        SERVICE_CLUSTER_IP_RANGE,
        "Allocate cluster IPs of Services from this range.",
    )
    service_node_port_range: str = option_field(
        SERVICE_NODE_PORT_RANGE,
        "Allocate node ports of Services from this range; the second number is included.",
    )
    accept_hosts: str | None = option_field(
        None,
        "Without a token, accept only Host and Origin headers that match, as kubectl proxy does.",
        "--accept-hosts",
        metavar="REGEX,…",
        unset="loopback, the host of --host, and the host of --advertise-url",
    )
    kubeconfig: str | Path | None = option_field(
        None,
        "Write the kubeconfig to this file; the file stays when the server stops.",
        "--kubeconfig",
        metavar="FILE",
        unset="a temporary file",
        is_file=True,
        is_shared=False,
    )
    advertise_url: str | None = option_field(
        None,
        "Write this URL into the kubeconfig, for clients that reach the server by another URL.",
        "--advertise-url",
        metavar="URL",
        unset="host and port",
    )
    grace: float = option_field(
        GRACE_SECONDS,
        "Wait this many seconds for running requests when stopping.",
        "--grace",
        bounds=(0, 3600),
    )
    latency: float = option_field(
        0.0,
        "Delay every request by this time, such as 10ms, so that tests see the race conditions of a slower "
        "server. A number without a unit is in seconds. A frozen clock switches the delay off.",
        "--latency",
        metavar="DURATION",
        unset="none",
        is_duration=True,
        bounds=(0, LATENCY_SECONDS_MAX),
    )
    record: str | Path | None = option_field(
        None,
        "Record the traffic to this file (.jsonl, .jsonl.gz or .jsonl.zst). The server writes the file when "
        "it stops. From Python, an existing file is replaced.",
        "--record",
        metavar="FILE",
        unset="nothing is recorded",
        is_file=True,
        is_shared=False,
    )
    redact: Iterable[str] = option_field(
        (),
        "Leave this field, such as spec.controller, out of the recording; repeat for more. Credentials are "
        "never recorded.",
        "--redact",
        metavar="FIELD",
    )
    audit_log: str | Path | None = option_field(
        None,
        "Append an audit event for each request to this file, by the policy of --audit-policy; - is the "
        "standard output.",
        "--audit-log",
        metavar="FILE",
        unset="no audit log",
        is_file=True,
        is_shared=False,
    )
    audit_policy: str | Path | None = option_field(
        None,
        "The audit policy of --audit-log, as in kube-apiserver's --audit-policy-file.",
        "--audit-policy",
        metavar="FILE",
        unset="no request is logged",
        is_file=True,
        is_shared=False,
    )
    controllers: Iterable[str] | str = option_field(
        "",
        "Run these controllers beside the server, such as namespace, garbagecollector, scheduler, kubelet, "
        "resourceclaim, deployment and job. all runs every controller, and all,-NAME leaves one out. "
        "docs/controllers.md has the names.",
        "--controllers",
        metavar="NAME,…",
        unset="none",
    )
    install: "Iterable[Any] | str | Path" = option_field(
        (),
        "Install the manifests of this file, directory or pattern at each start; repeat for more. Existing "
        "objects without differences stay unchanged.",
        "--install",
        metavar="PATH",
    )
    webhook_services: Iterable[str] = option_field(
        (),
        "Call the webhooks and the API of this service at this URL; repeat for more. Patterns such as "
        "*/*-webhook are allowed. Services have no addresses here: calls to other services reach only "
        "processes of --run, or fail with a refused connection.",
        "--webhook-service",
        metavar="NAMESPACE/NAME[:PORT]=URL",
    )
    journal: Literal["on", "bodies", "off"] = option_field(
        "on",
        "Keep the last requests. on: with request bodies and the responses of refused requests. bodies: with "
        "all bodies. off: keep no requests.",
        "--journal",
    )
    faults: "Iterable[Any] | str | Path" = option_field(
        (),
        "Arm the faults in this file at each start; repeat for more.",
        "--faults",
        metavar="FILE",
    )
    strict_faults: bool = option_field(
        False,
        "Fail if a fault never fired before the server stops or the test ends.",
    )
    control: bool = option_field(
        True,
        "Serve the control API and the live page below /_fakeapi.",
        "--control",
    )
    drivers: "Drivers" = option_field(
        (),
        "Simulate DRA drivers in the controller kubelet: NAME=COUNT for COUNT devices on each node, NAME for "
        "one device, a preset such as nvidia-gpu, or a YAML file; repeat for more. Without --controllers, "
        "all controllers run.",
        "--driver",
        also=("--devices",),
        metavar="NAME=COUNT|PRESET|FILE",
    )
    nodes: "Nodes" = option_field(
        "node",
        "Create these nodes with the controller kubelet: a,b or gpu-{1..500}, with capacity, labels and "
        "taints as in a,cpu=64,label=zone=z1; a semicolon begins other nodes. Or read Node manifests from a "
        "file.",
        "--nodes",
        metavar="NAME,…[,cpu=N][,label=KEY=VALUE]…[;…]|FILE",
    )
    containers: "Iterable[Any] | str | Path" = option_field(
        (),
        "Read the behaviour of simulated containers, such as exit codes and failing probes, from this YAML "
        "file; repeat for more.",
        "--containers",
        metavar="FILE",
    )
    run: Iterable[str] = option_field(
        (),
        "Run the containers of this image as local processes, with the files in this directory, or with this "
        "program; repeat for more. The processes run as your user: name only programs that you trust.",
        "--run",
        metavar="IMAGE=DIR",
        is_shared=False,
    )
    run_network: Literal["host", "pod"] = option_field(
        "host",
        "Let processes of --run use the network of this machine (host), or give each pod a network of its "
        "own, with a loopback interface on which the server listens too (pod).",
        "--run-network",
    )
    nri: bool = option_field(
        False,
        "Create the socket of the container runtime on each node, DIR/NODE/host/run/nri/nri.sock, for "
        "drivers that register as NRI plugins. The server calls no plugin for a container.",
        "--nri",
        is_shared=False,
    )
    kubelet_directory: str | Path | None = option_field(
        None,
        "Put the directories of nodes here; DRA drivers use DIR/NODE/plugins_registry and DIR/NODE/plugins.",
        "--kubelet-directory",
        metavar="DIR",
        unset="a temporary directory",
        is_shared=False,
    )
    seed: int | None = option_field(
        None,
        "Draw uids, generated names and all other random values from this seed, so that runs are repeatable.",
        "--seed",
        metavar="N",
        unset="a different seed at each start",
        bounds=(0, None),
    )
    frozen_at: str | None = option_field(
        None,
        "Freeze the clock at this time, such as 2026-01-31T12:00:00Z, until you move it.",
        "--frozen-at",
        metavar="TIME",
        unset="the clock of the machine",
    )
    clock: "ClockAndNames | None" = option_field(
        None,
        "Take time, uids and generated names from this object, instead of `seed` and `frozen_at`.",
        unset="the machine's clock and random names",
        is_shared=False,
    )

    @property
    def uses_tls(self) -> bool:
        """Whether the server serves HTTPS."""
        return self.tls or self.tls_cert is not None

    def __post_init__(self) -> None:
        for setting, option in options():
            value = getattr(self, setting.name)
            if value is not setting.default:
                check_option(setting, option, value)


def options() -> Iterator[tuple[Field[Any], Option]]:
    """Yields every field of Settings with its Option, in order."""
    for setting in fields(Settings):
        yield setting, setting.metadata["option"]


def problem_of(names: Mapping[str, Any]) -> str:
    """Returns an error message for the first name that is not an option of a server; "" if all are
    options.
    """
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
    readers: dict[type, Callable[[str], Any]] = {bool: flag_of, int: int, float: float, tuple: str.split}
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


def is_shareable(chosen: Mapping[str, Any]) -> bool:
    """Whether several tests can use a server with these options one after the other."""
    return all(option.is_shared for setting, option in options() if setting.name in chosen)
