"""kube-scheduler and kube-controller-manager replace some of fakeapi's controllers."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fakeapi.machinery.json_types import Object
from tests.interop import go_programs
from tests.interop.awaiting import await_objects
from tests.interop.go_driver import about, build_driver, start_driver
from tests.interop.plugin import Report
from tests.interop.processes import Program, Served
from tests.interop.story import Story, devices_of, gates
from tests.interop.toolchain import of_releases

SCHEDULER, MANAGER = "kube-scheduler", "kube-controller-manager"
RELEASES = of_releases(["1.31", "1.33", "1.37"])
FOLDER = Path(__file__).parent
TEAM = "/namespaces/team"
_CONFLICT = "the object has been modified; please apply your changes"
_TERMINATING = r"unable to create new content in namespace team because it is being terminated"
_WRITERS = "resource_quota_controller|replica_set|stateful_set|stateful_set_control"
EXPECTED = (
    # 1.37: at each start, about a metrics file that no option names
    r"options\.go.*The manifest file is empty, ignoring",
    # another controller wrote first; the component retries
    rf"(resource_quota_controller|replica_set|disruption|controller)\.go.*{_CONFLICT}",
    # a workload is deleted with its namespace, after its pods: its controller tries to create new pods
    rf"(stateful_set|daemon_controller)\.go.*{_TERMINATING}",
    # the namespace controller deleted an object that another controller was about to delete or write
    r"garbagecollector\.go.*error syncing item.* \\\"\S+\\\" not found",
    rf"(controller|{_WRITERS})\.go.*Precondition failed: UID in precondition: \S+, UID in object meta: ",
    rf"(daemon_controller|{_WRITERS})\.go.*(team.*not found|not found.*team)",
    r"stateful_set_status_updater\.go.*getting updated StatefulSet.* from lister",
    # the StatefulSet controller does not wait until its cache has a pod that it created
    r"stateful_set\.go.*pods \\\"\S+\\\" already exists",
    # 1.37: other controllers wait for their cache, and log this
    r"(daemon_controller|replica_set|stateful_set)\.go.*is not as new as written version",
)
"""Patterns for error log lines that the components also write with a real API server.

Each pattern starts with the names of Go source files. A test run of five minutes produced these lines.
"""

LEASES = ("--leader-elect-lease-duration", "60s", "--leader-elect-renew-deadline", "40s")
"""Options that make leader election leases four times as long as by default.

A component exits if it cannot renew its lease in time, for example on a busy machine.
"""

_ERROR = re.compile(r"^[EF]\d{4} ", re.MULTILINE)


class Cluster:
    """A running server and a DRA driver.

    Components of Kubernetes replace some of the server's controllers.
    """

    def __init__(self, served: Served, components: dict[str, Program], driver: Program) -> None:
        self.served, self.driver = served, driver
        self.story = Story(served)
        self._components = components

    def check_logs(self) -> None:
        """Raises AssertionError if a component's log has an error line that does not match EXPECTED."""
        found = self._errors()
        assert not found, f"{len(found)} unexpected lines:\n" + "\n".join(dict.fromkeys(found))

    def _errors(self) -> list[str]:
        values: list[str] = []
        for name, program in self._components.items():
            assert program.running, f"{name} has ended:\n{program.tail()}"
            lines = program.log.read_text(encoding="utf-8", errors="replace").splitlines()
            values += [f"{name}: {line}" for line in lines if _is_unexpected(line)]
        return values


def _is_unexpected(line: str) -> bool:
    return bool(_ERROR.match(line)) and not any(re.search(each, line) for each in EXPECTED)


Start = Callable[..., Cluster]


@pytest.fixture
def start(release: str, short_folder: Path) -> Iterator[Start]:
    """Yields a function that starts a server with the given fakeapi controllers and Kubernetes components."""
    with ExitStack() as running:

        def started(controllers: str, *components: str) -> Cluster:
            programs = {name: build(name, release) for name in components}
            driver = build_driver(release)
            served = Served(short_folder, release, "--controllers", controllers, *gates(release))
            running.enter_context(served)
            logs = {
                name: running.enter_context(
                    Program(command(name, program, served), served.folder / f"{name}.log")
                )
                for name, program in programs.items()
            }
            return Cluster(served, logs, running.enter_context(start_driver(driver, served)))

        yield started


def build(name: str, release: str) -> Path:
    source = (FOLDER / name / "main.go").read_text(encoding="utf-8")
    return go_programs.build(f"{name}-{release}", go_programs.with_kubernetes(release), {"main.go": source})


def command(name: str, program: Path, served: Served) -> list[str | Path]:
    given: list[str | Path] = [program, "--kubeconfig", served.kubeconfig, "--secure-port", "0", "--v", "2"]
    given += LEASES
    if name == MANAGER:
        given += ["--flex-volume-plugin-dir", served.folder / "flex"]
    return [*given, *gates(served.release)]


def claim_story(cluster: Cluster) -> None:
    """Runs and deletes a pod with a claim; asserts that the DRA driver prepares and unprepares the claim."""
    story = cluster.story
    story.create_pod()
    [claim] = story.await_running()
    assert devices_of(claim) == ["gpu-0"]
    assert about(cluster.driver, "prepared") == claim["metadata"]["name"]
    story.delete_pod()
    story.await_gone()
    assert about(cluster.driver, "unprepared") == claim["metadata"]["name"]


def workload_story(cluster: Cluster) -> None:
    """Runs and deletes a Deployment, a StatefulSet, a DaemonSet and a Job; asserts that they progress."""
    served, api = cluster.served, cluster.served.api
    api.create_namespace("team")
    api.create_all((FOLDER / "workloads.yaml").read_text(encoding="utf-8"), namespace="team")

    def await_status(path: str, **wanted: int) -> None:
        def reached(found: list[Object]) -> bool:
            return [
                all(each["status"].get(name) == number for name, number in wanted.items())
                and each["status"].get("observedGeneration") == each["metadata"]["generation"]
                for each in found
            ] == [True]

        await_objects(served.url, path, reached)

    deployments = f"/apis/apps/v1{TEAM}/deployments"
    await_status(deployments, availableReplicas=3, updatedReplicas=3, replicas=3)
    await_status(f"/apis/apps/v1{TEAM}/statefulsets", availableReplicas=2)
    await_status(f"/apis/apps/v1{TEAM}/daemonsets", numberAvailable=1)
    [pod] = api.list("Pod", namespace="team", label_selector="job-name=once")
    name = pod["metadata"]["name"]
    api.patch("Pod", name, {"status": {"phase": "Succeeded"}}, namespace="team", subresource="status")
    await_objects(
        served.url,
        f"/apis/batch/v1{TEAM}/jobs",
        lambda jobs: [each["status"].get("succeeded") for each in jobs] == [1],
    )
    slices = f"/apis/discovery.k8s.io/v1{TEAM}/endpointslices"
    await_objects(served.url, slices, lambda found: sum(len(each["endpoints"] or ()) for each in found) == 3)
    image = [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "j"}]
    api.patch("Deployment", "web", image, type="json", namespace="team")
    await_status(deployments, availableReplicas=3, updatedReplicas=3, replicas=3)
    api.delete("Deployment", "web", namespace="team", options={"propagationPolicy": "Foreground"})
    await_objects(served.url, deployments, lambda found: not found)
    api.delete("Namespace", "team")
    await_objects(
        served.url,
        "/api/v1/namespaces",
        lambda found: "team" not in {each["metadata"]["name"] for each in found},
    )


@pytest.mark.parametrize("release", RELEASES)
def test_kube_scheduler_schedules_pods_with_claims(release: str, start: Start, report: Report) -> None:
    report(
        kind="component",
        name=SCHEDULER,
        version=go_programs.kubernetes_version(release),
        release=release,
        did="in place of `scheduler`: allocated a claim and bound its pod, which ran and went",
    )
    cluster = start("namespace,garbagecollector,resourceclaim,kubelet", SCHEDULER)
    cluster.story.begin()
    cluster.story.await_slices(2)
    claim_story(cluster)
    cluster.check_logs()


@pytest.mark.parametrize("release", RELEASES)
def test_kube_controller_manager_runs_workloads(release: str, start: Start, report: Report) -> None:
    report(
        kind="component",
        name=MANAGER,
        version=go_programs.kubernetes_version(release),
        release=release,
        did="beside `scheduler` and `kubelet` alone: made and removed claims of templates; ran Deployment, "
        "StatefulSet, DaemonSet and Job; emptied a namespace",
    )
    cluster = start("scheduler,kubelet", MANAGER)
    cluster.story.begin()
    cluster.story.await_slices(2)
    claim_story(cluster)
    workload_story(cluster)
    cluster.check_logs()


@pytest.mark.parametrize("release", RELEASES)
def test_both_components_log_no_unexpected_error(
    release: str, start: Start, report: Report, request: pytest.FixtureRequest
) -> None:
    seconds = request.config.getoption("component_seconds")
    report(
        kind="component",
        name=f"{SCHEDULER} and {MANAGER}",
        version=go_programs.kubernetes_version(release),
        release=release,
        did=f"beside `kubelet` alone: the same stories again and again for {seconds:.0f} s, without an "
        "unexpected error in their logs",
    )
    cluster = start("kubelet", SCHEDULER, MANAGER)
    cluster.story.begin()
    cluster.story.await_slices(2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        claim_story(cluster)
        workload_story(cluster)
    cluster.check_logs()
