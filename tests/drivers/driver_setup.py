"""DriverSetup and Demo: how to install a released driver on a server, and what its demos must show."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fakeapi import FakeAPI
from tests.drivers import helm
from tests.drivers.released_driver import ReleasedDriver
from tests.drivers.running_demo import RunningDemo

NODE = "node"
START_SECONDS = 60
GONE_SECONDS = 60
DELETE_OPTIONS = {"gracePeriodSeconds": 1}
"""Options for deleting a pod. Some demos sleep in a shell that ignores SIGTERM."""


@dataclass(frozen=True)
class Demo:
    """A demo in the module of a driver.

    - `manifests`: paths and patterns of files in the module.
    - `check`: asserts what the documents of the driver promise while the demo runs.
    """

    manifests: tuple[str, ...]
    check: Callable[[RunningDemo], None]

    @property
    def name(self) -> str:
        """The path of the manifest in the module, without its suffix."""
        return str(Path(self.manifests[-1]).with_suffix(""))


@dataclass(frozen=True)
class DriverSetup:
    """The installation of a driver, and its demos.

    - `chart`: the directory of the chart in the module. A driver without a chart has `manifests`.
    - `values`: the values for the chart.
    - `variant`: the name of this installation, for a driver with several.
    - `namespace`: the namespace of the driver.
    - `options`: options of FakeAPI besides `run`.
    - `write_hardware`: writes the files that describe the hardware into the root directory of the node.
    - `network`: enters the network in which the server and the driver run.
    - `published`: whether the driver has published its devices.
    - `nightly`: whether only the nightly job runs the demos, because the build of the driver takes minutes.
    """

    driver: ReleasedDriver
    namespace: str
    published: Callable[[FakeAPI], bool]
    demos: tuple[Demo, ...]
    variant: str = ""
    chart: str = ""
    manifests: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    write_hardware: Callable[[Path], None] | None = None
    nightly: bool = True
    network: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def name(self) -> str:
        """The name of the driver, with the variant of the installation."""
        return f"{self.driver.name} ({self.variant})" if self.variant else self.driver.name

    @property
    def installation(self) -> str:
        """The tool that installs the driver, for the compatibility table."""
        return "helm install --wait" if self.chart else "its manifests"

    @contextmanager
    def installed(self, folder: Path) -> Iterator[FakeAPI]:
        """Starts a server, installs the driver, and waits until the driver has published its devices.

        `folder`: a directory with a short path.
        """
        image = self.driver.make_image(folder)
        if self.write_hardware is not None:
            self.write_hardware(folder / "k" / NODE / "host")
        options: dict[str, Any] = {
            "release": self.driver.release,
            "controllers": "all",
            "kubelet_directory": folder / "k",
            **self.options,
        }
        run = [f"{self.driver.image}={image}", *options.pop("run", ())]
        with self.network(), FakeAPI(run=run, **options) as api:
            if self.chart:
                chart = self.driver.source() / self.chart
                helm.install(chart, self.namespace, api.kubeconfig, self.values)
            else:
                api.install(*self._paths(self.manifests))
            api.eventually(lambda: self.published(api), within=START_SECONDS)
            yield api

    @contextmanager
    def applied(self, api: FakeAPI, demo: Demo) -> Iterator[RunningDemo]:
        """Applies the manifests of a demo and waits until its pods run; deletes all objects at the end.

        Then asserts that the driver has unprepared all claims, and has removed their CDI files.
        """
        node = api.node(NODE)
        cdi = node.directory / "cdi"
        before = names(cdi)
        objects = api.install(*self._paths(demo.manifests))
        yield RunningDemo.when_running(api, objects)
        for each in reversed(objects):
            api.delete(each, options=DELETE_OPTIONS if each["kind"] == "Pod" else None)
        for kind in ("Pod", "ResourceClaim"):
            for each in api.list(kind):
                if each["metadata"]["namespace"] != self.namespace:
                    metadata = each["metadata"]
                    api.wait_for(
                        kind,
                        metadata["name"],
                        namespace=metadata["namespace"],
                        gone=True,
                        within=GONE_SECONDS,
                    )
        assert list(node.prepared) == []
        assert names(cdi) == before

    def _paths(self, patterns: tuple[str, ...]) -> list[str]:
        return [str(self.driver.source() / pattern) for pattern in patterns]


def names(folder: Path) -> set[str]:
    """Returns the names of the files in a folder, which may be missing."""
    return {path.name for path in folder.glob("*")}
