"""Derives the name of a client program from the User-Agent and the user of its requests."""

_ANONYMOUS = frozenset({"", "system:anonymous"})


def actor(agent: str, user: str = "") -> str:
    """Returns the name of a client: program, component and user.

    The component is the part that client-go adds to the end of the User-Agent. The name leaves out the
    component and the user if they are unknown. For example, the User-Agent
    "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edcffc/leader-election" of the user
    system:kube-scheduler gives "kube-scheduler/leader-election (system:kube-scheduler)".
    """
    program = agent.partition("/")[0].strip() or "unknown"
    _, separator, build = agent.rpartition(" kubernetes/")
    component = build.partition("/")[2] if separator else ""
    if component:
        program = f"{program}/{component}"
    return program if user in _ANONYMOUS else f"{program} ({user})"
