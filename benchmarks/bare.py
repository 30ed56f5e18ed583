"""A minimal ASGI app on fakeapi's runner that always sends the same body: the baseline of `make bench`.

python benchmarks/bare.py SIZE     prints its port, serves until it is terminated
"""

import sys
from typing import Any

from fakeapi.serving.runner import Runner


class Bare:
    """Reads the request body and sends a constant body, the least work of a server on this stack."""

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
