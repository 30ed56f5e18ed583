"""Who asked, as a name that is the same for every request of one client."""

_NOBODY = frozenset({"", "system:anonymous"})


def actor(agent: str, user: str = "") -> str:
    """The client's program, with its component where client-go adds one, and its user where one is known.

    "kube-scheduler/leader-election (system:kube-scheduler)" of the User-Agent
    "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edcffc/leader-election".
    """
    program = agent.partition("/")[0].strip() or "unknown"
    _, found, build = agent.rpartition(" kubernetes/")
    component = build.partition("/")[2] if found else ""
    if component:
        program = f"{program}/{component}"
    return program if user in _NOBODY else f"{program} ({user})"
