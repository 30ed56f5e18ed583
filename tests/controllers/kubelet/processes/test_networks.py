"""A pod with its own network has its own ports, and can connect to the server and accept connections."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.processes.networks import PodNetwork
from tests.controllers.kubelet.processes import client_program
from tests.controllers.kubelet.processes.programs import PYTHON, await_true, output, pod, script, write
from tests.controllers.kubelet.processes.running import Images, started

_PROGRAM = (
    "from socketserver import TCPServer; from http.server import SimpleHTTPRequestHandler as Handler; "
    "TCPServer((str(), 8080), Handler).serve_forever()"
)
SERVE = f"exec {PYTHON} -c '{_PROGRAM}'"
"""A shell script that serves HTTP on port 8080. Unlike `python -m http.server`, it sends no DNS requests."""


def test_containers_of_two_networks_listen_on_the_same_port(isolated_images: Images) -> None:
    images = isolated_images
    images.script("driver", SERVE)

    async def story() -> None:
        networks = [await PodNetwork.start(images.isolation, "10.1.0.9") for _ in range(2)]
        try:
            for number, network in enumerate(networks):
                directory = images.folder / f"container-{number}"
                directory.mkdir()
                plan = replace(images.plan(["driver"]), network=network, directory=directory)
                async with started(plan) as ran:
                    probe = {"httpGet": {"port": 8080}}
                    async with asyncio.timeout(20):
                        while not (await ran.container.probe("readiness", probe)).is_success:  # noqa: ASYNC110
                            await asyncio.sleep(0.05)
                    _, writer = await asyncio.open_connection("127.0.0.1", network.local_port(8080))
                    writer.close()
                    refused = await ran.container.probe("readiness", {"tcpSocket": {"port": 8081}})
                    assert not refused.is_success
                    command = [
                        "python3",
                        "-c",
                        "import socket; socket.create_connection(('127.0.0.1', 8080))",
                    ]
                    command[0] = PYTHON
                    assert (await ran.container.probe("liveness", {"exec": {"command": command}})).is_success
        finally:
            await asyncio.gather(*(network.close() for network in networks))

    asyncio.run(story())


def test_pods_with_the_same_port_are_ready_side_by_side(tmp_path: Path) -> None:
    script(tmp_path, SERVE)
    container = {"readinessProbe": {"httpGet": {"port": 8080}, "periodSeconds": 1}}
    with FakeAPI(run=[f"*/driver={tmp_path}"], run_network="pod") as api:
        for name in ("a", "b"):
            api.create(pod(name, container=container))

        def ready() -> bool:
            pods: list[Any] = api.request("GET", "/api/v1/namespaces/default/pods")["items"]
            statuses = [each for item in pods for each in item["status"].get("containerStatuses", ())]
            return [each["ready"] for each in statuses] == [True, True]

        await_true(ready)


def test_a_program_in_a_network_of_its_own_reaches_the_server(tmp_path: Path) -> None:
    shutil.copy(client_program.__file__, tmp_path / "client.py")
    script(tmp_path, write(f"{PYTHON} /client.py"))
    with FakeAPI(run=[f"*/driver={tmp_path}"], run_network="pod") as api:
        api.create(pod())
        assert output(api) == "system:serviceaccount:default:default\n"
