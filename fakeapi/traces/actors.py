"""Derives the name of a client program from the User-Agent and the user of its requests."""

_ANONYMOUS = frozenset({"", "system:anonymous"})


def actor(agent: str, user: str = "") -> str:
    """Returns the name of a client program. All requests of the program have the same name.

    The name contains the component that client-go adds to the User-Agent, and the user if it is known. For
    the User-Agent "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edcffc/leader-election", an example is
    "kube-scheduler/leader-election (system:kube-scheduler)".
    """
    program = agent.partition("/")[0].strip() or "unknown"
    _, separator, build = agent.rpartition(" kubernetes/")
    component = build.partition("/")[2] if separator else ""
    if component:
        program = f"{program}/{component}"
    return program if user in _ANONYMOUS else f"{program} ({user})"
