"""Messages about pods that violate a Pod Security level."""

from collections.abc import Iterator, Sequence

from fakeapi.machinery.json_types import Object


def quoted(names: Sequence[str]) -> str:
    """`"a", "b"`."""
    return ", ".join(f'"{name}"' for name in names)


def several(one: str, more: str, count: int) -> str:
    return one if count == 1 else more


def named(what: str, names: Sequence[str]) -> str:
    """`containers "a", "b"`."""
    return f"{several(what, f'{what}s', len(names))} {quoted(names)}"


def setters(of_pod: bool, names: Sequence[str]) -> str:  # noqa: FBT001 - whether the pod itself is one
    """`pod and container "a"`, of those that set something."""
    found = ["pod"] if of_pod else []
    if names:
        found.append(named("container", names))
    return " and ".join(found)


def containers_of(spec: Object) -> Iterator[Object]:
    for name in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(name) or ()
