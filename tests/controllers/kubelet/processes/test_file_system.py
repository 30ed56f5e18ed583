"""A process container sees its own files, its volumes and its devices, and nothing else."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fakeapi.controllers.kubelet.containers.runtime import ContainerStartError, DeviceNode
from fakeapi.controllers.kubelet.processes.launch_message import ProcessMount
from fakeapi.controllers.kubelet.processes.node_paths import host_path
from tests.controllers.kubelet.processes.running import Images, started


def test_the_directory_of_the_node_is_where_drivers_have_it_in_their_code(isolated_images: Images) -> None:
    plugins = isolated_images.folder / "node" / "plugins"
    plugins.mkdir(parents=True)
    isolated_images.script("driver", "echo made > /var/lib/kubelet/plugins/file; ls /var/lib/kubelet")
    mount = ProcessMount(plugins, "/var/lib/kubelet/plugins")

    async def story() -> None:
        async with started(isolated_images.plan(["driver"], mounts=[mount])) as ran:
            assert await ran.lines() == ["plugins"]

    asyncio.run(story())
    assert (plugins / "file").read_text(encoding="utf-8") == "made\n"


def test_without_namespaces_the_paths_of_mounts_are_replaced(tmp_path: Path) -> None:
    images = Images(tmp_path, "none")
    plugins = tmp_path / "node" / "plugins"
    plugins.mkdir(parents=True)
    images.script("driver", 'echo "$@" $DIRECTORY; echo made > $DIRECTORY/file')
    mount = ProcessMount(plugins, "/var/lib/kubelet/plugins/")
    command = [
        "driver",
        "--dir=/var/lib/kubelet/plugins",
        "/var/lib/kubelet/plugins/a:/b",
        "/var/lib/kubelet/plugins2",
    ]

    async def story() -> None:
        env = {"DIRECTORY": "/var/lib/kubelet/plugins"}
        async with started(images.plan(command, mounts=[mount], env=env)) as ran:
            expected = f"--dir={plugins} {plugins}/a:/b /var/lib/kubelet/plugins2 {plugins}"
            assert await ran.lines() == [expected]

    asyncio.run(story())


def test_a_container_sees_the_sys_of_its_node(isolated_images: Images) -> None:
    online = isolated_images.folder / "host" / "sys" / "devices" / "system" / "cpu" / "online"
    online.parent.mkdir(parents=True)
    online.write_text("0-63\n", encoding="ascii")
    isolated_images.script(
        "driver", "cat /sys/devices/system/cpu/online; touch /sys/a 2> /dev/null || ls /sys"
    )

    async def story() -> None:
        async with started(isolated_images.plan(["driver"])) as ran:
            assert await ran.lines() == ["0-63", "devices"]

    asyncio.run(story())


def test_a_missing_directory_of_devices_is_created_for_the_node_as_a_container_runtime_does(
    tmp_path: Path,
) -> None:
    assert host_path(tmp_path, "/dev/infiniband").path == tmp_path / "host" / "dev" / "infiniband"
    assert (tmp_path / "host" / "dev" / "infiniband").is_dir()
    with pytest.raises(ContainerStartError, match="/sys/infiniband is not there"):
        host_path(tmp_path, "/sys/infiniband")


def test_files_that_a_container_writes_do_not_reach_this_machine(isolated_images: Images) -> None:
    paths = ["/etc/of-a-container", "/usr/bin/of-a-container", "/of-a-container", "/tmp/of-a-container"]
    isolated_images.script("driver", f"touch {' '.join(paths)} && rm /etc/hostname; echo $?")

    async def story() -> None:
        async with started(isolated_images.plan(["driver"])) as ran:
            assert await ran.lines() == ["0"]

    before = Path("/etc/hostname").exists()
    asyncio.run(story())
    assert not any(Path(path).exists() for path in paths)
    assert Path("/etc/hostname").exists() == before


def test_a_read_only_mount_cannot_be_written(isolated_images: Images) -> None:
    volume = isolated_images.folder / "volume"
    volume.mkdir()
    isolated_images.script("driver", "touch /data/file 2> /dev/null || echo refused")
    mount = ProcessMount(volume, "/data", read_only=True)

    async def story() -> None:
        async with started(isolated_images.plan(["driver"], mounts=[mount])) as ran:
            assert await ran.lines() == ["refused"]

    asyncio.run(story())


def test_a_sub_path_cannot_leave_its_volume(isolated_images: Images) -> None:
    volume = isolated_images.folder / "volume"
    volume.mkdir()
    (volume / "link").symlink_to("/etc")
    (volume / "inner").mkdir()
    (volume / "inner" / "file").write_text("mine\n", encoding="utf-8")
    isolated_images.script("driver", "cat /data/file")

    async def story() -> None:
        for sub_path, problem in (("link", "contains a symbolic link"), ("../x", "leaves the volume")):
            mount = ProcessMount(volume, "/data", sub_path)
            with pytest.raises(ContainerStartError, match=problem):
                async with started(isolated_images.plan(["driver"], mounts=[mount])):
                    pass
        async with started(
            isolated_images.plan(["driver"], mounts=[ProcessMount(volume, "/data", "inner")])
        ) as ran:
            assert await ran.lines() == ["mine"]

    asyncio.run(story())


def test_an_image_with_etc_passwd_is_the_whole_file_system(isolated_images: Images) -> None:
    image = isolated_images.image
    listed = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=False).stdout
    for path in ["/bin/sh", *(word for word in listed.split() if word.startswith("/"))]:
        copy = image / path[1:]
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (image / "etc").mkdir()
    (image / "etc" / "passwd").write_text("root:x:0:0::/:/bin/sh\n", encoding="utf-8")

    async def story() -> None:
        async with started(isolated_images.plan(["/bin/sh", "-c", "echo /[!l]*"])) as ran:
            assert await ran.lines() == ["/bin /dev /etc /proc /run /sys /tmp"]

    asyncio.run(story())


def test_links_and_special_files_of_an_image_reach_nothing_else(isolated_images: Images) -> None:
    isolated_images.script("driver", "cat /secret-link; ls /pipe 2> /dev/null || echo no pipe")
    (isolated_images.image / "secret-link").symlink_to("/of-the-container")
    os.mkfifo(isolated_images.image / "pipe")

    async def story() -> None:
        plan = isolated_images.plan(["sh", "-c", "echo inside > /of-the-container; /driver"])
        async with started(plan) as ran:
            assert await ran.lines() == ["inside", "no pipe"]

    asyncio.run(story())


def test_a_device_node_is_there_and_other_devices_are_not(isolated_images: Images) -> None:
    isolated_images.script("driver", "echo written > /dev/gpu0; test -e /dev/kmsg && echo leaked; echo end")

    async def story() -> None:
        device = DeviceNode("/dev/gpu0", "/dev/null")
        async with started(isolated_images.plan(["driver"], devices=[device])) as ran:
            assert await ran.lines() == ["end"]
        missing = DeviceNode("/dev/gpu0", "/dev/not-there")
        with pytest.raises(ContainerStartError, match='failed to stat CDI host device "/dev/not-there"'):
            async with started(isolated_images.plan(["driver"], devices=[missing])):
                pass

    asyncio.run(story())


def test_a_mount_in_dev_of_a_privileged_container_does_not_change_this_machine(
    isolated_images: Images,
) -> None:
    volume = isolated_images.folder / "volume"
    volume.mkdir()
    isolated_images.script("driver", "test -c /dev/zero && ls -d /dev/of-a-container /dev/gpu-of-a-container")
    mount, device = (
        ProcessMount(volume, "/dev/of-a-container"),
        DeviceNode("/dev/gpu-of-a-container", "/dev/null"),
    )
    privileged = {"securityContext": {"privileged": True}}

    async def story() -> None:
        plan = isolated_images.plan(["driver"], mounts=[mount], devices=[device], container=privileged)
        async with started(plan) as ran:
            assert await ran.lines() == ["/dev/gpu-of-a-container", "/dev/of-a-container"]

    asyncio.run(story())
    assert not any(Path("/dev", name).exists() for name in ("of-a-container", "gpu-of-a-container"))


def test_a_container_sees_only_its_own_processes(isolated_images: Images) -> None:
    isolated_images.script("driver", "echo $$; ls /proc | grep -c '^[0-9]'")

    async def story() -> None:
        async with started(isolated_images.plan(["driver"])) as ran:
            first, count = await ran.lines()
            assert first == "1"
            assert int(count) < 5

    asyncio.run(story())


@pytest.mark.usefixtures("isolates")
def test_the_user_and_the_capabilities_are_those_of_the_security_context(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("this system does not isolate processes in this way")
    images = Images(tmp_path, "root")
    images.script("driver", "id -u; id -g; grep CapBnd /proc/self/status; grep NoNewPrivs /proc/self/status")

    async def story(container: dict[str, object]) -> list[str]:
        async with started(images.plan(["driver"], container={"securityContext": container})) as ran:
            return [line.split()[-1] for line in await ran.lines()]

    assert asyncio.run(story({"runAsUser": 1234, "runAsGroup": 77}))[:2] == ["1234", "77"]
    default = asyncio.run(story({}))
    assert default == ["0", "0", "00000000a80425fb", "1"]  # the capabilities of containerd
    none = asyncio.run(story({"capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]}}))
    assert none[2] == "0000000000001000"
