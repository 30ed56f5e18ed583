"""A process container cannot exceed its limits on processes, files and output."""

import asyncio
import platform
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerStartError
from fakeapi.controllers.kubelet.processes import launch_message, launched, output, process_runtime
from fakeapi.controllers.kubelet.processes.isolation import Isolation
from fakeapi.controllers.kubelet.processes.launched import LaunchError
from fakeapi.controllers.kubelet.processes.networks import PodNetwork
from fakeapi.controllers.kubelet.processes.process_runtime import ProcessRuntime
from fakeapi.run_images import IMAGES_MAX, RunImage, RunImageError, RunImages
from tests.controllers.kubelet.processes.running import Images, started


def test_no_more_than_the_named_number_of_images_run(tmp_path: Path) -> None:
    images = RunImages(f"image-{number}={tmp_path}" for number in range(IMAGES_MAX))
    with pytest.raises(RunImageError, match="more than 1000 images"):
        images.add(RunImage.of("one-more", tmp_path))
    images.add(RunImage.of("image-7", tmp_path))
    assert images.find("image-999") == tmp_path


def make_runtime(image: Path) -> ProcessRuntime:
    cluster = SimpleNamespace(
        run_images=RunImages([f"i={image}"]),
        settings=SimpleNamespace(kubelet_directory=None, run_network="pod"),
        service_urls=SimpleNamespace(),
    )
    context: Any = SimpleNamespace(
        api=lambda _: None, cluster=cluster, informer=lambda _: None, served=lambda *_: None
    )
    return ProcessRuntime(context)


def test_no_more_than_the_named_number_of_containers_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_runtime, "PROCESSES_MAX", 0)
    run = SimpleNamespace(image="i:v1", container={})
    runtime = make_runtime(tmp_path)
    assert runtime.takes(cast("ContainerRun", run))
    with pytest.raises(ContainerStartError, match="0 containers already run as processes"):
        asyncio.run(runtime.start(cast("ContainerRun", run), lambda _: None))


def test_a_container_without_a_network_namespace_does_not_count_as_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def isolation(*, is_root: bool) -> tuple[Isolation, str]:
        return "user", ""

    async def refused(*_: object) -> PodNetwork:
        raise LaunchError("unshare: Operation not permitted")

    monkeypatch.setattr(process_runtime, "PROCESSES_MAX", 1)
    monkeypatch.setattr(process_runtime, "available_isolation", isolation)
    monkeypatch.setattr(PodNetwork, "start", refused)
    run = SimpleNamespace(image="i:v1", container={}, pod={"spec": {}}, pod_ip="", key=("uid", "c"))

    async def story() -> None:
        runtime = make_runtime(tmp_path)
        for _ in range(2):
            with pytest.raises(ContainerStartError, match="network namespace: unshare"):
                await runtime.start(cast("ContainerRun", run), lambda _: None)

    asyncio.run(story())


def test_the_processes_of_a_container_are_bounded(
    isolated_images: Images, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = tuple(int(part) for part in platform.release().split(".")[:2])
    if isolated_images.isolation == "root" and release < (6, 14):
        pytest.skip("other systems have other allocators")
    monkeypatch.setattr(launch_message, "PROCESSES_MAX", 400)
    before = Path("/proc/sys/kernel/pid_max").read_text(encoding="ascii")
    isolated_images.script("driver", "for i in $(seq 500); do sleep 100 & done; echo all started")

    async def story() -> None:
        async with started(isolated_images.plan(["driver"])) as ran:
            lines = await ran.lines()
            assert any("fork" in line.lower() for line in lines), lines
            assert "all started" not in lines

    asyncio.run(story())
    assert Path("/proc/sys/kernel/pid_max").read_text(encoding="ascii") == before


def test_a_container_cannot_fill_the_memory_with_files(
    isolated_images: Images, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_message, "WRITABLE_BYTES", 1 << 20)
    fill = (
        "for d in /var /tmp /run /; do head -c 3000000 /dev/zero > $d/fill || echo full; rm -f $d/fill; done"
    )
    isolated_images.script("driver", fill)

    async def story() -> None:
        async with started(isolated_images.plan(["driver"])) as ran:
            assert (await ran.lines()).count("full") == 4

    asyncio.run(story())


def test_an_image_with_too_many_files_is_refused(
    isolated_images: Images, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_message, "IMAGE_MOUNTS_MAX", 2)
    for name in ("a", "b", "c"):
        isolated_images.script(name, "true")

    async def story() -> None:
        with pytest.raises(ContainerStartError, match="the image has more than 2 files and directories"):
            async with started(isolated_images.plan(["a"])):
                pass

    asyncio.run(story())


def test_a_configuration_that_is_too_long_is_refused(images: Images, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched, "MESSAGE_BYTES_MAX", 10_000)

    async def story() -> None:
        with pytest.raises(ContainerStartError, match="longer than 10000 bytes"):
            async with started(images.plan(["true"], env={"LONG": "x" * 10_000})):
                pass

    asyncio.run(story())


def test_a_container_with_much_output_waits(images: Images, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "OUTPUT_BURST_BYTES", 100_000)
    monkeypatch.setattr(output, "OUTPUT_BYTES_PER_SECOND", 1_000)
    images.script("driver", "echo ready; exec yes")

    async def story() -> None:
        async with started(images.plan(["driver"])) as ran:
            await ran.line()
            await asyncio.sleep(0.2)
            received = sum(len(line.data) for line in ran.container.log.lines)
            assert 60_000 < received < 200_000

    asyncio.run(story())
