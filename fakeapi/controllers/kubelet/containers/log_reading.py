"""Reads the log of a container with the options of `kubectl logs`.

Follows ReadLogs in k8s.io/cri-client `pkg/logs`: `tail` counts lines before `since` drops old ones.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog, LogLine
from fakeapi.machinery.golang import times
from fakeapi.registry.node_connections import LogOptions

_NANOSECONDS = 10**9


async def read_log(log: ContainerLog, options: LogOptions) -> AsyncGenerator[Sequence[bytes], None]:
    """Yields the lines of a log. With `follow`, ends when the container exits or the limit is reached."""
    left = options.limit
    position = log.end
    lines = [line for line in log.lines if _is_wanted(line, options)]
    if options.tail is not None:
        lines = lines[len(lines) - options.tail :] if options.tail else []
    shown = [_format(line, options) for line in lines if options.since is None or line.time >= options.since]
    for part in _limited(shown, left):
        left = None if left is None else left - len(part)
        yield [part]
    if not options.follow:
        return
    async for line in log.follow(position):
        if _is_wanted(line, options):
            for part in _limited([_format(line, options)], left):
                left = None if left is None else left - len(part)
                yield [part]
        if left == 0:
            return


def _is_wanted(line: LogLine, options: LogOptions) -> bool:
    return options.stream == "All" or line.stream == options.stream.lower()


def _format(line: LogLine, options: LogOptions) -> bytes:
    if not options.timestamps:
        return line.data
    nanoseconds = round(line.time * _NANOSECONDS) % _NANOSECONDS
    return f"{times.now_text(line.time)[:-1]}.{nanoseconds:09d}Z ".encode() + line.data


def _limited(parts: Sequence[bytes], left: int | None) -> Iterator[bytes]:
    for part in parts:
        if left is None:
            yield part
        elif left > 0:
            yield part[:left]
            left -= len(part[:left])
