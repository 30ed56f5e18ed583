"""Finds the command of a container: from the pod, or the only program of the image."""

from pathlib import Path

from fakeapi.controllers.kubelet.containers.runtime import ContainerConfig, ContainerStartError


def argv_of(config: ContainerConfig, image: Path, *, in_own_root: bool) -> list[str]:
    """Returns the command of a container with its arguments.

    Without a command in the pod, the first argument can be the absolute path of a program in the image. Then
    the arguments are the entire command, as with an image that has a default command (CMD) and no entrypoint.
    Otherwise the entrypoint is the image's only program.

    `in_own_root`: whether the container sees the files of the image at the top of its file system. Raises
    ContainerStartError if neither the pod nor the image defines a command.
    """
    if not config.command and _has_program(image, config.args):
        return [*config.args]
    command = config.command or (_entrypoint(image, in_own_root=in_own_root),)
    return [*command, *config.args]


def _has_program(image: Path, args: tuple[str, ...]) -> bool:
    """Whether the first argument is the absolute path of a program in the image."""
    if not args or not args[0].startswith("/"):
        return False
    if image.is_file():
        return args[0] == f"/{image.name}"
    return (image / args[0].lstrip("/")).is_file()


def _entrypoint(image: Path, *, in_own_root: bool) -> str:
    if image.is_file():
        return path_inside(image, in_own_root=in_own_root)
    programs = [path for path in sorted(image.iterdir()) if path.is_file() and path.stat().st_mode & 0o111]
    if len(programs) == 1:
        return path_inside(programs[0], in_own_root=in_own_root)
    problem = f"the container has no command, and {image} has {len(programs)} programs"
    raise ContainerStartError("CreateContainerError", f"no command specified: {problem}")


def path_inside(program: Path, *, in_own_root: bool) -> str:
    """Returns the path at which a container sees a program from the top of its image."""
    return f"/{program.name}" if in_own_root else str(program)
