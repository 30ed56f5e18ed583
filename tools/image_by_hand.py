"""Runs the steps of the Dockerfile without a container engine: `sudo python tools/image_by_hand.py`.

Each stage gets a new root folder, in which /usr and Python of this machine are mounted. The script runs the
instructions COPY and RUN in this folder. Then it starts the server as the image's user, with the environment
of docker-compose.yml, and waits until the pod of manifests/ is Running. The script needs root and `unshare`.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
PORT = 18001
WAIT_SECONDS = 120.0
SHARED = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/dev", "/proc")
USER_ID = 1000
USERS = {"passwd": "root:x:0:0::/root:/bin/sh\n", "group": "root:x:0:\n", "shadow": "root:*:19000::::::\n"}
"""The files of users in a new root folder: only root exists, as in the base image."""


class Stage:
    """A stage of the Dockerfile: a root folder, and the variables that ENV has set."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = "/"
        python = str(Path(sys.base_prefix) / "bin")
        self.environment = {
            "PATH": f"{python}:/usr/sbin:/usr/bin:/sbin:/bin",
            **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))},
        }
        shutil.copytree("/etc", root / "etc", symlinks=True, ignore_dangling_symlinks=True)
        for name, text in USERS.items():
            (root / "etc" / name).write_text(text, encoding="utf-8")
        for name in ("tmp", "opt", "home"):
            (root / name).mkdir()
            (root / name).chmod(0o1777)

    def command(self, script: str, *, user: int = 0) -> list[str]:
        """Returns a command that runs a shell script in the root folder, with the shared folders mounted."""
        shared = [path for path in (*SHARED, sys.base_prefix) if Path(path).exists()]
        mounts = []
        for path in shared:
            target = f"{self.root}{path}"
            mounts.append(f"mkdir -p {target} && mount --rbind {path} {target}")
        inner = f"cd {self.folder} && {script}"
        chroot = ["chroot", f"--userspec={user}:{user}", str(self.root), "sh", "-c", inner]
        return ["unshare", "--mount", "sh", "-ec", "; ".join([*mounts, f"exec {shlex.join(chroot)}"])]

    def run(self, script: str) -> None:
        subprocess.run(self.command(script), env=self.environment, check=True)

    def copy(self, sources: list[Path], target: str) -> None:
        """Copies files and folders like COPY: into the folder `target`, or to the new path `target`.

        `target` is a folder if it ends with a slash, or if there are several sources.
        """
        place = self.root / os.path.normpath(f"{self.folder}/{target}").lstrip("/")
        many = target.endswith("/") or target == "./" or len(sources) > 1
        for source in sources:
            into = place / source.name if many else place
            into.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, into, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy2(source, into)


def instructions() -> list[tuple[str, str]]:
    """Returns the instructions of the Dockerfile with their arguments, without comments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def build(directory: Path) -> tuple[Stage, list[str]]:
    """Runs the instructions; returns the last stage, and the command of the image."""
    stages: dict[str, Stage] = {}
    command: dict[str, list[str]] = {}
    stage = None
    for name, arguments in instructions():
        words = shlex.split(arguments) if name not in ("RUN", "HEALTHCHECK") else []
        if name == "FROM":
            folder = directory / f"stage-{len(stages)}"
            folder.mkdir()
            stage = stages[words[-1]] = Stage(folder)
            continue
        if stage is None:
            continue  # this ARG comes before the first stage
        print(f"{name} {arguments}", flush=True)
        if name == "WORKDIR":
            stage.folder = arguments
            (stage.root / arguments.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            origin = ROOT
            if words[0].startswith("--from="):
                origin = stages[words.pop(0).removeprefix("--from=")].root
            stage.copy([origin / word.lstrip("/") for word in words[:-1]], words[-1])
        elif name == "RUN":
            stage.run(arguments)
        elif name == "ENV":
            values = dict(word.split("=", 1) for word in words)
            path = stage.environment["PATH"]
            stage.environment |= {key: value.replace("$PATH", path) for key, value in values.items()}
        elif name in ("ENTRYPOINT", "CMD"):
            command[name] = json.loads(arguments)
    assert stage is not None
    return stage, command["ENTRYPOINT"] + command["CMD"]


def serve(stage: Stage, command: list[str]) -> None:
    """Starts the image's command as its user; exits with an error if the pod of manifests/ does not run."""
    stage.copy([ROOT / "manifests" / "samples.yaml"], "/manifests/")
    environment = stage.environment | {
        "FAKEAPI_HOST": "127.0.0.1",
        "FAKEAPI_PORT": str(PORT),
        "FAKEAPI_KUBECONFIG": "/kubeconfig/config",
        "FAKEAPI_INSTALL": "/manifests/",
        "FAKEAPI_CONTROLLERS": "all",
        "FAKEAPI_DRIVER": "gpu.example.com=8",
        "FAKEAPI_NODES": "node-1,node-2",
    }
    pod = f"http://127.0.0.1:{PORT}/api/v1/namespaces/samples/pods/training"
    script = f"exec {shlex.join(command)}"
    with subprocess.Popen(stage.command(script, user=USER_ID), env=environment) as process:
        try:
            until = time.monotonic() + WAIT_SECONDS
            while phase(pod) != "Running":
                if process.poll() is not None or time.monotonic() > until:
                    sys.exit("the pod does not run")
                time.sleep(0.2)
        finally:
            process.terminate()
    print("The pod of manifests/samples.yaml is Running.")


def phase(pod: str) -> str:
    """Returns the phase of a pod; "" while the server does not answer."""
    try:
        with urlopen(pod) as response:
            return str(json.load(response)["status"]["phase"])
    except (URLError, ConnectionError):
        return ""


def main() -> None:
    if os.geteuid() != 0:
        sys.exit("this script mounts folders and needs root")
    with tempfile.TemporaryDirectory() as folder:
        serve(*build(Path(folder)))


if __name__ == "__main__":
    main()
