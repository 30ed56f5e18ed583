"""Builds the file system of a container in a new mount namespace.

The base is this machine's file system, or the image's directory if this directory is an entire root file
system. The base's directories are the read-only lower layers of overlays. Writes go to a tmpfs that ends with
the container.
"""

import os
import stat
from pathlib import Path
from typing import Any

from fakeapi.controllers.kubelet.processes.launcher import system
from fakeapi.controllers.kubelet.processes.launcher.binding import PATH, bind
from fakeapi.controllers.kubelet.processes.launcher.devices import mount_devices

_OWN = ("proc", "sys", "dev", "tmp", "run")
"""Directories of the root that each container gets for itself."""
_NAME_FILES = ("resolv.conf", "hosts")


def build(spec: dict[str, Any]) -> None:
    """Makes the container's file system the root of this process.

    The process must be in a new mount namespace. Raises OSError if a mount fails, and ValueError if the image
    has too many files.
    """
    os.umask(0o022)
    system.mount("none", "/", flags=system.MS_REC | system.MS_PRIVATE)
    volumes = [(each, _open_inside(each["source"], each["sub_path"])) for each in spec["mounts"]]
    devices = [(each["path"], os.open(each["host_path"], PATH)) for each in spec["devices"]]
    names = {name: _content(f"/etc/{name}") for name in _NAME_FILES}
    image = os.open(spec["image"], PATH) if spec["image"] else None
    root = _base(spec)
    _kernel_file_systems(root, spec)
    if image is not None:
        _add_image(root, spec, image)
    os.chdir(root)
    system.pivot_root(".", ".")
    _write_names(names)
    for target, descriptor in devices:
        bind(descriptor, target, is_directory=False)
    for each, descriptor in sorted(volumes, key=lambda volume: volume[0]["target"].count("/")):
        is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        bind(descriptor, each["target"], is_directory=is_directory, read_only=each["read_only"])
    system.unmount(".")
    os.chdir("/")
    if spec["read_only_root"]:
        system.make_read_only("/", recursive=False)


def _base(spec: dict[str, Any]) -> str:
    """Mounts a tmpfs with an overlay for each directory of the base; returns the path of the new root.

    The kernel would reject a single overlay in a user namespace, because the base contains other mounts.
    """
    stage: str = spec["stage"]
    options = f"size={spec['writable_bytes']},mode=0755"
    system.mount("tmpfs", stage, "tmpfs", system.MS_NOSUID | system.MS_NODEV, options)
    root = f"{stage}/root"
    Path(root).mkdir(mode=0o755)
    system.mount(root, root, flags=system.MS_BIND)
    with os.scandir(spec["base"]) as entries:
        for entry in entries:
            place = f"{root}/{entry.name}"
            if entry.is_symlink():
                Path(place).symlink_to(Path(entry.path).readlink())
            elif entry.is_dir() and entry.name not in _OWN:
                _add_directory(spec, entry.path, place)
    return root


def _add_directory(spec: dict[str, Any], path: str, place: str) -> None:
    """Mounts an overlay of a directory of the base. If the kernel refuses, mounts the directory read-only."""
    layers = f"{spec['stage']}/layers-{Path(place).name}"
    mode = stat.S_IMODE(os.stat(path).st_mode) & 0o755  # noqa: PTH116 - follows the bytes of the path
    for directory in (place, layers, f"{layers}/upper", f"{layers}/work"):
        Path(directory).mkdir(mode=mode)
    opened = [os.open(each, PATH | os.O_DIRECTORY) for each in (path, f"{layers}/upper", f"{layers}/work")]
    options = "lowerdir={},upperdir={},workdir={}".format(*(f"/proc/self/fd/{each}" for each in opened))
    if spec["isolation"] == "user":
        options += ",userxattr"
    try:
        system.mount("overlay", place, "overlay", 0, options)
    except OSError:
        system.mount(path, place, flags=system.MS_BIND | system.MS_REC)
        system.make_read_only(place)
    for each in opened:
        os.close(each)


def _kernel_file_systems(root: str, spec: dict[str, Any]) -> None:
    """Mounts /proc, /dev, the node's or this machine's /sys, and empty directories at /tmp and /run."""
    for name in _OWN:
        Path(root, name).mkdir(exist_ok=True)
    try:
        flags = system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC
        system.mount("proc", f"{root}/proc", "proc", flags)
    except OSError:  # in a container, the kernel may refuse a new /proc
        system.mount("/proc", f"{root}/proc", flags=system.MS_BIND | system.MS_REC)
    system.mount(spec["sys"], f"{root}/sys", flags=system.MS_BIND | system.MS_REC)
    if not spec["privileged"]:
        system.make_read_only(f"{root}/sys")
    for name in ("tmp", "run"):
        mode = "1777" if name == "tmp" else "0755"
        system.mount(
            "tmpfs",
            f"{root}/{name}",
            "tmpfs",
            system.MS_NOSUID | system.MS_NODEV,
            f"size={spec['writable_bytes']},mode={mode}",
        )
    mount_devices(f"{root}/dev", spec)


def _add_image(root: str, spec: dict[str, Any], descriptor: int) -> None:
    """Mounts the files of an image over the base. A single file appears as `/NAME`.

    Raises ValueError if the image has too many files and directories.
    """
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        most: int = spec["image_mounts"]
        left = [most]
        try:
            _merge(f"/proc/self/fd/{descriptor}", root, root, left)
        except IndexError:
            raise ValueError(f"the image has more than {most} files and directories") from None
    else:
        bind(descriptor, f"{root}/{Path(spec['image']).name}", is_directory=False)


def _merge(source: str, target: str, root: str, left: list[int]) -> None:
    """Mounts the entries of a directory over another directory. Merges directories that exist in both.

    Ignores special files. `left`: a list with one number, the remaining mounts. Raises IndexError if more
    mounts are needed, and ValueError for a link to a place outside of `root`.
    """
    with os.scandir(source) as entries:
        for entry in entries:
            place = f"{target}/{entry.name}"
            if entry.is_symlink():
                if not os.path.lexists(place):
                    Path(place).symlink_to(Path(source, entry.name).readlink())
                continue
            is_directory = entry.is_dir(follow_symlinks=False)
            if is_directory and Path(place).is_dir() and not Path(place).is_symlink():
                _merge(entry.path, place, root, left)
            elif is_directory and Path(place).is_symlink():
                _merge(entry.path, _followed(place, root), root, left)
            elif is_directory or entry.is_file(follow_symlinks=False):
                left[0] -= 1
                if left[0] < 0:
                    raise IndexError
                if Path(place).is_symlink():  # a link could point out of the new root
                    Path(place).unlink()
                bind(os.open(entry.path, PATH | os.O_NOFOLLOW), place, is_directory=is_directory)


def _followed(link: str, root: str) -> str:
    """Returns the target directory of a link such as /bin → usr/bin.

    Raises ValueError if the target is outside of `root`.
    """
    target = os.path.realpath(link)
    if not target.startswith(f"{os.path.realpath(root)}/"):
        raise ValueError(f"the image cannot have files behind the link {link.removeprefix(root)}")
    return target


def _open_inside(source: str, sub_path: str) -> int:
    """Opens a source of a mount; returns its file descriptor.

    Creates missing directories of `sub_path`, as the kubelet does. Rejects symbolic links in `sub_path`,
    because a container can create them. Raises ValueError if `sub_path` leaves the volume, and OSError for
    other problems.
    """
    descriptor = os.open(source, PATH)
    for name in Path(sub_path).parts:
        if name == "..":
            raise ValueError(f"subPath {sub_path} leaves the volume")
        try:
            inner = os.open(name, PATH | os.O_NOFOLLOW, dir_fd=descriptor)
        except FileNotFoundError:
            os.mkdir(name, 0o755, dir_fd=descriptor)
            inner = os.open(name, PATH | os.O_NOFOLLOW, dir_fd=descriptor)
        if stat.S_ISLNK(os.fstat(inner).st_mode):
            raise ValueError(f"subPath {sub_path} contains a symbolic link")
        os.close(descriptor)
        descriptor = inner
    return descriptor


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _write_names(names: dict[str, bytes]) -> None:
    """Writes this machine's /etc/resolv.conf and /etc/hosts into the new root if they are missing there.

    On this machine, these files may be links into /run, and the new root has an empty /run.
    """
    for name, content in names.items():
        if content and not Path("/etc", name).is_file():
            Path("/etc", name).unlink(missing_ok=True)
            Path("/etc").mkdir(exist_ok=True)
            Path("/etc", name).write_bytes(content)
