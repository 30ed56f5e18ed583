"""Reads the log of a container with the options of `kubectl logs`.

Follows ReadLogs in k8s.io/cri-client `pkg/logs`: `tail` counts lines before `since` drops old lines.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog, LogLine
from fakeapi.machinery.golang import times
from fakeapi.registry.node_connections import LogOptions

_NANOSECONDS = 10**9


async def read_log(log: ContainerLog, options: LogOptions) -> AsyncGenerator[Sequence[bytes], None]:
    """Yields the lines of a log.

    With `follow`, ends when the container exits or the size limit is reached.
    """
    left = options.limit
    async for line in _lines(log, options):
        data = _format(line, options)[:left]
        yield [data]
        if left is not None:
            left -= len(data)
            if left == 0:
                return


async def _lines(log: ContainerLog, options: LogOptions) -> AsyncIterator[LogLine]:
    """Yields the lines selected by `tail` and `since`. Ignores the limit on the size of the output."""
    position = log.end
    kept = log.complete_lines if options.follow else log.lines
    lines = [line for line in kept if _is_wanted(line, options)]
    if options.tail is not None:
        lines = lines[max(len(lines) - options.tail, 0) :]
    for line in lines:
        if options.since is None or line.time >= options.since:
            yield line
    if options.follow:
        async for line in log.follow(position):
            if _is_wanted(line, options):
                yield line


def _is_wanted(line: LogLine, options: LogOptions) -> bool:
    return options.stream == "All" or line.stream == options.stream.lower()


def _format(line: LogLine, options: LogOptions) -> bytes:
    if not options.timestamps:
        return line.data
    nanoseconds = round(line.time * _NANOSECONDS) % _NANOSECONDS
    return f"{times.now_text(line.time)[:-1]}.{nanoseconds:09d}Z ".encode() + line.data
