"""Serves one constant body with fakeapi's HTTP server. `make bench` uses this server as the baseline.

python benchmarks/bare.py SIZE     prints its port and serves until SIGTERM
"""

import sys
from typing import Any

from fakeapi.serving.runner import Runner


class Bare:
    """A minimal ASGI app: reads the request body and sends a constant response body.

    The benchmarks compare fakeapi with this app, to show the cost of everything except the HTTP server.
    """

    def __init__(self, size: int) -> None:
        self._body = b"x" * size
        self._headers = [(b"content-type", b"application/json"), (b"content-length", str(size).encode())]

    async def startup(self) -> None: ...
    async def shutdown(self) -> None: ...
    async def reset(self) -> None: ...
    def end_watches(self) -> None: ...

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body})


def main() -> None:
    runner = Runner(Bare(int(sys.argv[1])))
    print(runner.port, flush=True)
    runner.run()


if __name__ == "__main__":
    main()
