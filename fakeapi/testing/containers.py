"""Containers: the simulated containers of a server, for tests that set and inspect their behaviour."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fakeapi.controllers.kubelet.containers.behaviour import Behaviour
    from fakeapi.controllers.kubelet.containers.runtime import DeviceNode, Mount
    from fakeapi.controllers.kubelet.lifecycle.state import Run
    from fakeapi.testing.running import RunningServer


@dataclass(frozen=True, slots=True)
class ContainerView:
    """A run of a container, with its resolved configuration.

    - `attempt`: 0 for the first run of the container.
    - `exit_code`: None while the container runs.
    - `command` and `args`: with expanded `$(NAME)` references.
    - `env`: all environment variables, including variables from CDI devices.
    - `cdi_devices`: the names of the CDI devices, such as "vendor.com/gpu=gpu-0".
    - `devices` and `mounts`: the device nodes and the mounts, including entries from CDI devices.
    - `log`: the output so far.
    """

    name: str
    image: str
    attempt: int
    exit_code: int | None
    command: tuple[str, ...]
    args: tuple[str, ...]
    env: dict[str, str]
    cdi_devices: tuple[str, ...]
    devices: "tuple[DeviceNode, ...]"
    mounts: "tuple[Mount, ...]"
    log: str


class Containers:
    """The simulated containers of a running server."""

    def __init__(self, server: "RunningServer") -> None:
        self._server = server
        self._behaviours = server.kubelet.runtimes.simulated.behaviours

    def __iter__(self) -> "Iterator[Behaviour]":
        """Yields the behaviours, oldest first."""
        return iter(self._behaviours)

    def behave(self, source: "str | Path | Behaviour | Iterable[Any] | None" = None, **fields: Any) -> None:
        """Adds behaviours. At the next start of a container, a later behaviour overrides earlier behaviours,
        field by field.

            api.containers.behave(image="crash:*", exit_code=1, after="5s")
            api.containers.behave("behaviours.yaml")

        `source`: a YAML file, a Behaviour, or a collection of files and Behaviours. `fields`: the fields of
        one Behaviour. Raises BehaviourError, a ValueError, for an invalid behaviour. After an error, no
        behaviour is added.
        """
        from fakeapi.controllers.kubelet.containers.behaviour_reading import (  # noqa: PLC0415 - loaded when used
            read_behaviours,
        )

        sources = [*([] if source is None else read_behaviours(source)), *([fields] if fields else [])]
        self._behaviours.add(read_behaviours(sources))

    def clear(self) -> None:
        """Removes all behaviours. Running containers keep their behaviours until their next start."""
        self._behaviours.clear()

    def get(self, namespace: str, pod: str, name: str = "") -> ContainerView:
        """Returns the current run of a container, or its last run.

        `name`: the name of the container; "" for the only container of a pod. Raises LookupError if the
        container never ran.
        """

        async def read() -> ContainerView:
            return _view(self._server.kubelet.current_run(namespace, pod, name))

        return self._server.call(read)

    def write(self, namespace: str, pod: str, name: str = "", *, text: str, stream: str = "stdout") -> None:
        """Adds output to the log of a container, for `kubectl logs`. Does nothing if the container has ended.

        `name`: the name of the container; "" for the only container of a pod. Raises LookupError if the
        container never ran.
        """

        async def write() -> None:
            run = self._server.kubelet.current_run(namespace, pod, name)
            if run.container is not None and run.is_running:
                run.container.log.write(text.encode(), stream)

        self._server.call(write)


def _view(run: "Run") -> ContainerView:
    details, config = run.details, run.details.config
    lines = [] if run.container is None else run.container.log.lines
    return ContainerView(
        details.name,
        details.image,
        details.attempt,
        None if run.exit is None else run.exit.exit_code,
        config.command,
        config.args,
        dict(config.env),
        config.cdi_devices,
        config.devices,
        config.mounts,
        b"".join(line.data for line in lines).decode(errors="replace"),
    )
