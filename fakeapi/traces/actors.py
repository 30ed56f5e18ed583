"""Names the client of a request, the same for every request of one program."""

_ANONYMOUS = frozenset({"", "system:anonymous"})


def actor(agent: str, user: str = "") -> str:
    """The program's name, its component where client-go adds one, and its user where one is known.

    "kube-scheduler/leader-election (system:kube-scheduler)" for the User-Agent
    "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edcffc/leader-election".
    """
    program = agent.partition("/")[0].strip() or "unknown"
    _, found, build = agent.rpartition(" kubernetes/")
    component = build.partition("/")[2] if found else ""
    if component:
        program = f"{program}/{component}"
    return program if user in _ANONYMOUS else f"{program} ({user})"
