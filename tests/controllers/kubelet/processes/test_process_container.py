"""A process container has its command, environment, output and exit, and accepts exec and attach."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fakeapi.controllers.kubelet.containers.runtime import CommandError, ContainerExit, ContainerStartError
from fakeapi.controllers.kubelet.processes.launch_message import ProcessMount
from fakeapi.controllers.kubelet.processes.launcher import main as launcher
from tests.controllers.kubelet.processes.process_states import running
from tests.controllers.kubelet.processes.running import Client, Images, started
from tests.installation import ROOT


def test_the_command_of_the_image_runs_with_arguments_and_environment(images: Images) -> None:
    images.script("driver", 'echo "$@" "$COLOR" "$(pwd)"; echo problem >&2; exit 3')

    async def story() -> None:
        plan = images.plan(["driver", "a", "b c"], env={"COLOR": "red"}, working_dir="/usr")
        async with started(plan) as ran:
            assert await ran.exit() == ContainerExit(3)
            log = ran.container.log
            assert sorted((line.stream, line.data) for line in log.lines) == [
                ("stderr", b"problem\n"),
                ("stdout", b"a b c red /usr\n"),
            ]

    asyncio.run(story())


@pytest.mark.parametrize("command", ["/usr/bin/driver", "driver"])
def test_a_program_is_found_in_the_directories_of_the_image(images: Images, command: str) -> None:
    images.script("usr/bin/driver", "echo ran")

    async def story() -> None:
        async with started(images.plan([command])) as ran:
            assert await ran.lines() == ["ran"]

    asyncio.run(story())


def test_files_of_an_image_are_added_behind_a_link_of_this_machine(isolated_images: Images) -> None:
    isolated_images.script("bin/driver", "ls /usr/bin/driver /bin/driver")  # /bin is a link to /usr/bin
    listed = ["/bin/driver", "/usr/bin/driver"] if Path("/bin").is_symlink() else ["/bin/driver"]

    async def story() -> None:
        async with started(isolated_images.plan(["/bin/driver"])) as ran:
            lines = [line for line in await ran.lines() if line.startswith("/")]
            assert sorted(lines) == listed

    asyncio.run(story())


def test_a_truncated_hostname_does_not_end_with_a_dash(images: Images) -> None:
    plan = images.plan(["program"], spec={"hostname": "a" * 62 + "-b"})
    assert plan.container()["hostname"] == "a" * 62


def test_a_container_in_the_network_of_its_node_has_the_hostname_of_the_node(isolated_images: Images) -> None:
    isolated_images.script("driver", 'echo "$(uname -n) $HOSTNAME"')

    async def story() -> None:
        async with started(isolated_images.plan(["driver"], spec={"hostNetwork": True})) as ran:
            assert await ran.lines() == ["node node"]

    asyncio.run(story())


def test_arguments_that_begin_with_a_program_of_the_image_are_the_whole_command(images: Images) -> None:
    program = images.script("driver", 'echo "$@"')

    async def story() -> None:
        for image in (images.image, program):
            for args in (("/driver", "--v=4"), ("--v=4",)):
                async with started(images.plan([], args=args, image=image)) as ran:
                    assert await ran.lines() == ["--v=4"]

    asyncio.run(story())


def test_an_image_that_is_one_program_needs_no_command(images: Images) -> None:
    program = images.script("driver", "echo ran")

    async def story() -> None:
        async with started(images.plan([], image=program)) as ran:
            assert await ran.lines() == ["ran"]
        async with started(images.plan(["/opt/other-name"], image=program)) as ran:
            assert await ran.lines() == ["ran"]

    asyncio.run(story())


def test_a_missing_program_is_reported_as_a_container_runtime_does(images: Images) -> None:
    async def story() -> None:
        with pytest.raises(
            ContainerStartError, match=r'exec: "nothing-here": executable file not found in \$PATH'
        ):
            async with started(images.plan(["nothing-here"])):
                pass
        with pytest.raises(ContainerStartError, match=r"no command specified: .* has 0 programs"):
            async with started(images.plan([])):
                pass

    asyncio.run(story())


def test_sigterm_reaches_the_program_and_sigkill_ends_it(images: Images) -> None:
    images.script("driver", "trap 'echo asked; sleep 1000 & wait' TERM; echo ready; sleep 1000 & wait")

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            assert await ran.line() == "ready"
            await ran.container.stop(signal.SIGTERM)
            async for line in ran.container.log.follow(1):
                assert line.data == b"asked\n"
                break
            await ran.container.stop(signal.SIGKILL)
            assert await ran.exit() == ContainerExit(137, signal=9)

    asyncio.run(story())


def test_the_processes_that_a_program_leaves_behind_end_with_it(images: Images) -> None:
    marker = images.folder / "pids"
    marker.mkdir()
    leave = "setsid sh -c 'exec sleep 98765' & setsid setsid sleep 98765 & sleep 0.2; exit 0"
    images.script("driver", leave)

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            await ran.exit()
        assert running("98765") == []

    asyncio.run(story())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the processes are not in this event loop
            await asyncio.sleep(0.01)


def test_exec_runs_a_command_beside_the_program(images: Images) -> None:
    images.script("driver", "echo ready; sleep 1000")

    async def story() -> None:
        async with started(images.plan(["driver"], env={"COLOR": "red"})) as ran:
            await ran.line()
            client = Client(stdin=[b"one\n", b"two\n"], has_stdin=True)
            code = await ran.container.exec(["sh", "-c", "cat; echo $COLOR; echo no >&2; exit 4"], client)
            assert (code, client.output) == (4, {"stdout": b"one\ntwo\nred\n", "stderr": b"no\n"})
            with pytest.raises(CommandError, match="executable file not found"):
                await ran.container.exec(["nothing-here"], Client())

    asyncio.run(story())


def test_exec_with_a_terminal_has_its_size(images: Images) -> None:
    images.script("driver", "echo ready; sleep 1000")

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            await ran.line()
            client = Client(tty=True, has_stdin=True)
            size = "for i in 1 2 3 4 5 6 7 8 9; do stty size; sleep 0.05; done; test -t 0 && echo terminal"
            assert await ran.container.exec(["sh", "-c", size], client) == 0
            assert b"43 132" in client.output["stdout"]
            assert b"terminal" in client.output["stdout"]

    asyncio.run(story())


def test_a_terminal_in_a_container_needs_no_file_of_python() -> None:
    used = "fcntl", "termios"
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
        f"import {launcher.__name__}; print(*(name for name in {used} if name in sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == [*used]


def test_a_command_ends_when_the_client_leaves(images: Images) -> None:
    images.script("driver", "echo ready; sleep 1000")

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            await ran.line()
            session = asyncio.ensure_future(ran.container.exec(["sleep", "98764"], Client()))
            await until(lambda: bool(running("98764")))
            session.cancel()
            await asyncio.wait([session])
            await until(lambda: not running("98764"))

    asyncio.run(story())


def test_attach_follows_the_output_and_feeds_the_input(images: Images) -> None:
    images.script("driver", "read line; echo got $line")

    async def story() -> None:
        async with started(images.plan(["driver"], container={"stdin": True, "stdinOnce": True})) as ran:
            client = Client(stdin=[b"hello\n"], has_stdin=True)
            await ran.container.attach(client)
            assert client.output == {"stdout": b"got hello\n"}

    asyncio.run(story())


def test_the_termination_message_is_read_from_its_file(isolated_images: Images) -> None:
    isolated_images.script("driver", "echo out of luck > /dev/termination-log; exit 1")

    async def story() -> None:
        message = isolated_images.folder / "container" / "termination-log"
        mount = ProcessMount(message, "/dev/termination-log")
        plan = isolated_images.plan(["driver"], mounts=[mount])
        message.write_bytes(b"")
        async with started(plan) as ran:
            assert (await ran.exit()).message == "out of luck\n"

    asyncio.run(story())


def test_probes_run_commands_and_connect_to_ports(images: Images) -> None:
    images.script("driver", "echo ready; sleep 1000")

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            await ran.line()
            good = await ran.container.probe("liveness", {"exec": {"command": ["true"]}})
            bad = await ran.container.probe(
                "liveness", {"exec": {"command": ["sh", "-c", "echo no; exit 1"]}}
            )
            assert (good.is_success, bad.is_success, bad.output) == (True, False, "no\n")
            with_port = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
            port = with_port.sockets[0].getsockname()[1]
            assert (await ran.container.probe("readiness", {"tcpSocket": {"port": port}})).is_success
            with_port.close()
            await with_port.wait_closed()
            refused = await ran.container.probe("readiness", {"tcpSocket": {"port": port}})
            assert not refused.is_success

    asyncio.run(story())


def test_an_open_pipe_of_the_server_is_not_inherited(images: Images) -> None:
    images.script("driver", "ls -l /proc/self/fd | grep -c pipe || true")
    ours = os.pipe()

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            assert await ran.lines() == ["2"]  # the pipes for stdout and stderr

    try:
        asyncio.run(story())
    finally:
        for descriptor in ours:
            os.close(descriptor)
