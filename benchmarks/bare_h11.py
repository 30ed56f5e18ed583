"""Serves the app of bare.py with hypercorn and h11, which fakeapi used before its HTTP parser in C.

python benchmarks/bare_h11.py SIZE     prints its port and serves until SIGTERM
"""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from hypercorn.asyncio import serve
from hypercorn.config import Config

from benchmarks.bare import Bare
from fakeapi.serving.listener import open_socket


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await answer(scope, receive, send)
        return
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


async def main() -> None:
    socket = open_socket("127.0.0.1", 0)
    print(socket.getsockname()[1], flush=True)
    config = Config()
    config.bind = [f"fd://{socket.detach()}"]
    config.accesslog = config.errorlog = None
    config.keep_alive_max_requests, config.keep_alive_timeout = 1_000_000, 3_600
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await serve(app, config, shutdown_trigger=ended.wait)


if __name__ == "__main__":
    answer = Bare(int(sys.argv[1]))
    asyncio.run(main())
