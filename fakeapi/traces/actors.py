"""Derives the name of a client from a request; all requests of one program give the same name."""

_ANONYMOUS = frozenset({"", "system:anonymous"})


def actor(agent: str, user: str = "") -> str:
    """Returns the program's name, with its component if client-go added one, and its user if known.

    Example: "kube-scheduler/leader-election (system:kube-scheduler)" for the User-Agent
    "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edcffc/leader-election".
    """
    program = agent.partition("/")[0].strip() or "unknown"
    _, separator, build = agent.rpartition(" kubernetes/")
    component = build.partition("/")[2] if separator else ""
    if component:
        program = f"{program}/{component}"
    return program if user in _ANONYMOUS else f"{program} ({user})"
