"""The page docs/limits.md agrees with the limits in the code."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
BOUND = re.compile(
    r"_?(?:[A-Z0-9_]+_(?:MAX|LIMIT|KEPT|IN_A_TURN)|MAX_[A-Z0-9_]+"
    r"|(?:[A-Z0-9_]+_)?(?:BUDGET|ATTEMPTS|SECONDS|BYTES))\Z"
)
OF_KUBERNETES = ("fakeapi.kinds.", "fakeapi.registry.declared.")
"""Packages of field validation. Their limits are Kubernetes' own and need no row in docs/limits.md."""

NO_BOUNDS = {
    "the range or the digits of a type": {
        "fakeapi.machinery.cel.literals._INT_MAX",
        "fakeapi.machinery.cel.literals._UINT_MAX",
        "fakeapi.machinery.cel.runtime.values.UINT_MAX",
        "fakeapi.machinery.golang.asn1._INTEGER_BYTES_MAX",
        "fakeapi.machinery.golang.asn1._LENGTH_MAX",
        "fakeapi.machinery.golang.duration._DIGITS_MAX",
        "fakeapi.machinery.golang.numbers.UINT64_MAX",
        "fakeapi.machinery.golang.regexp.syntax._RUNE_MAX",
        "fakeapi.machinery.meta.quantity.MAX_BINARY",
        "fakeapi.machinery.meta.quantity._FRACTION_DIGITS_MAX",
        "fakeapi.machinery.schema.protobuf_wire._VARINT_BYTES_MAX",
        "fakeapi.machinery.structural.definition_walk._CARDINALITY_MAX",
        "fakeapi.machinery.structural.formats._INT_MAX",
        "fakeapi.machinery.structural.numbers._FLOAT32_MAX",
        "fakeapi.machinery.structural.numbers._WHOLE_MAX",
        "fakeapi.admission.plugins.limit_ranger._MILLI_MAX",
        "fakeapi.registry.custom.strategies.INT32_MAX",
        "fakeapi.registry.requests.sent_amounts._BINARY_DIGITS_MAX",
        "fakeapi.registry.requests.sent_amounts._DIGITS_MAX",
        "fakeapi.registry.model.columns.DURATION_SECONDS_MAX",
        "fakeapi.registry.verbs.listing._REVISION_MAX",
    },
    "a rule of Kubernetes, compared with it": {
        "fakeapi.controllers.allocation.requests.RESULTS_MAX",
        "fakeapi.controllers.group_claims.RETRY_SECONDS",
        "fakeapi.controllers.cronjob.controller.DELTA_SECONDS",
        "fakeapi.controllers.cronjob.schedule.YEARS_MAX",
        "fakeapi.controllers.disruption.controller.STALE_SECONDS",
        "fakeapi.controllers.disruption.status.DELETION_SECONDS",
        "fakeapi.controllers.deployment.replica_sets.HISTORY_CHARACTERS_MAX",
        "fakeapi.controllers.deployment.rollout.NAME_MAX",
        "fakeapi.controllers.endpoints.slices.ENDPOINTS_MAX",
        "fakeapi.controllers.endpoints.subsets.ADDRESSES_MAX",
        "fakeapi.controllers.job.backoff_delay.DELAY_SECONDS",
        "fakeapi.controllers.job.backoff_delay.DELAY_SECONDS_MAX",
        "fakeapi.controllers.job.indexes._NAME_MAX",
        "fakeapi.controllers.job.tracking.UNCOUNTED_MAX",
        "fakeapi.controllers.event_series.NOTE_LENGTH_MAX",
        "fakeapi.controllers.kubelet.processes.handlers.OUTPUT_BYTES_MAX",
        "fakeapi.controllers.kubelet.processes.process_container.LOG_MESSAGE_BYTES_MAX",
        "fakeapi.controllers.kubelet.processes.process_container.LOG_MESSAGE_LINES_MAX",
        "fakeapi.controllers.kubelet.processes.process_container.TERMINATION_MESSAGE_BYTES_MAX",
        "fakeapi.controllers.claim_generator.GENERATED_NAME_MAX",
        "fakeapi.controllers.scheduler.classic_drivers.POTENTIAL_NODES_MAX",
        "fakeapi.http.audit_events.AGENT_BYTES_MAX",
        "fakeapi.http.negotiation._INSERTION_SORTED_MAX",
        "fakeapi.http.query.FIELD_MANAGER_LENGTH_MAX",
        "fakeapi.machinery.cel.calls._FORMAT_PATTERN_MAX",
        "fakeapi.machinery.cel.calls._LISTED_MAX",
        "fakeapi.machinery.cel.rules.declared.REQUEST_MAX",
        "fakeapi.machinery.cel.rules.declared._NAME_MAX",
        "fakeapi.machinery.cel.rules.definition._NAMED_MAX",
        "fakeapi.machinery.golang.regexp.syntax._REPEAT_MAX",
        "fakeapi.machinery.meta.object_meta.MAX_SUBRESOURCE_NAME_LENGTH",
        "fakeapi.machinery.meta.object_meta.TOTAL_ANNOTATION_SIZE_LIMIT",
        "fakeapi.registry.model.service_network._PREFIX_MAX",
        "fakeapi.registry.verbs.creating.GENERATE_NAME_ATTEMPTS",
    },
    "the upper end of a scale": {
        "fakeapi.controllers.scheduler.dynamic_resources.CHOICES_MAX",
        "fakeapi.controllers.scheduler.scoring.SCORE_MAX",
    },
    "the length of a file's name": {
        "fakeapi.testing.failure_page._NAME_MAX",
        "fakeapi.testing.recordings._NAME_MAX",
    },
    "a period or a time of Kubernetes, compared with it": {
        "fakeapi.admission.plugins.default_toleration_seconds.SECONDS",
        "fakeapi.admission.plugins.service_account.TOKEN_SECONDS",
        "fakeapi.controllers.device_taint_eviction.RULE_STATUS_SECONDS",
        "fakeapi.controllers.kubelet.driver.CALL_SECONDS",
        "fakeapi.controllers.kubelet.health.STALE_SECONDS",
        "fakeapi.controllers.kubelet.grpc_driver.RETRY_SECONDS",
        "fakeapi.controllers.kubelet.health_watch.SYNC_SECONDS",
        "fakeapi.controllers.kubelet.lifecycle.backoff.REDUCED_INITIAL_SECONDS",
        "fakeapi.controllers.kubelet.lifecycle.backoff.REDUCED_MAX_SECONDS",
        "fakeapi.controllers.kubelet.lifecycle.backoff.INITIAL_SECONDS",
        "fakeapi.controllers.kubelet.lifecycle.backoff.MAX_SECONDS",
        "fakeapi.controllers.kubelet.lifecycle.starting.PULL_RETRY_SECONDS_MAX",
        "fakeapi.controllers.kubelet.lifecycle.starting.RETRY_SECONDS",
        "fakeapi.controllers.kubelet.node.HEARTBEAT_SECONDS",
        "fakeapi.controllers.kubelet.node.LEASE_SECONDS",
        "fakeapi.controllers.kubelet.pod_worker.RETRY_SECONDS",
        "fakeapi.controllers.kubelet.plugin_calls.REGISTER_SECONDS",
        "fakeapi.controllers.kubelet.processes.in_cluster.TOKEN_SECONDS",
        "fakeapi.controllers.leader_election.LEASE_SECONDS",
        "fakeapi.controllers.leader_election.RENEW_SECONDS",
        "fakeapi.controllers.leader_election.RETRY_SECONDS",
        "fakeapi.controllers.namespace.FINALIZERS_ESTIMATE_SECONDS",
        "fakeapi.controllers.namespace.POD_ESTIMATE_SECONDS",
        "fakeapi.controllers.resource_quota.RESYNC_SECONDS",
        "fakeapi.controllers.scheduler.binding_conditions.TIMEOUT_SECONDS",
        "fakeapi.http.discovery.openapi.service.YEAR_SECONDS",
        "fakeapi.http.watch.BOOKMARK_AFTER_INITIAL_EVENTS_SECONDS",
        "fakeapi.http.watch.BOOKMARK_BEFORE_END_SECONDS",
        "fakeapi.http.watch.BOOKMARK_SECONDS",
        "fakeapi.registry.identity.service_accounts.LEEWAY_SECONDS",
        "fakeapi.registry.requests.resource_version.TOO_LARGE_RETRY_SECONDS",
    },
    "a period after which something is tried, sent or printed again, or a time that an analysis assumes": {
        "fakeapi.cli.progress.PLAIN_SECONDS",
        "fakeapi.cli.progress.SHOWN_AFTER_SECONDS",
        "fakeapi.cli.progress.TERMINAL_SECONDS",
        "fakeapi.cli.progress.WAITING_AFTER_SECONDS",
        "fakeapi.control.handlers.events.KEEP_ALIVE_SECONDS",
        "fakeapi.control.handlers.events.SAMPLE_SECONDS",
        "fakeapi.controllers.informer.RETRY_SECONDS",
        "fakeapi.controllers.kubelet.registrations.POLL_SECONDS",
        "fakeapi.controllers.manager.CATCH_UP_SECONDS",
        "fakeapi.envtest.etcd_state._RETRY_SECONDS",
        "fakeapi.envtest.parent.CHECK_SECONDS",
        "fakeapi.installing.installer._POLL_SECONDS",
        "fakeapi.serving.garbage.FORCED_SECONDS",
        "fakeapi.serving.garbage.QUIET_SECONDS",
        "fakeapi.serving.response_bytes.LOOK_SECONDS",
        "fakeapi.followed_files.CHECK_SECONDS",
        "fakeapi.traces.analysis.causal_order.STALE_SECONDS",
        "fakeapi.traces.analysis.initial_state.INITIAL_SECONDS",
        "fakeapi.clients.kubeconfig_reader.TOKEN_FILE_SECONDS",
        "fakeapi.traces.replay.open_watch.LATER_PATIENCE_SECONDS",
        "fakeapi.traces.replay.open_watch.PATIENCE_SECONDS",
        "fakeapi.traces.replay.open_watch.QUIET_SECONDS",
        "fakeapi.testing.waiting.HEARTBEAT_SECONDS",
        "fakeapi.testing.watching.RETRY_SECONDS_MAX",
        "fakeapi_storage.postgresql.follower.POLL_SECONDS",
    },
    "the estimated or encoded size of a value": {
        "fakeapi.control.handlers.devices.CLAIM_BYTES",
        "fakeapi.control.handlers.devices.DETAILS_BYTES",
        "fakeapi.control.handlers.devices.DEVICE_BYTES",
        "fakeapi.control.handlers.requests.REQUEST_BYTES",
        "fakeapi.control.handlers.tables.ROW_BYTES",
        "fakeapi.http.protobuf._LENGTH_BYTES",
        "fakeapi.machinery.cel.rules.values._HASHED_BYTES",
        "fakeapi.machinery.cel.runtime.functions.lists._COMPARED_BYTES",
        "fakeapi.machinery.cel.runtime.functions.lists._NUMBER_BYTES",
        "fakeapi.machinery.cel.runtime.functions.strings._TEXT_BYTES",
        "fakeapi.machinery.cel.runtime.memory._DEBT_BYTES",
        "fakeapi.machinery.structural.defaulting._VALUE_BYTES",
        "fakeapi.registry.custom.kind._HASHED_BYTES",
        "fakeapi.testing.server_credentials._TOKEN_BYTES",
        "fakeapi_storage.sqlite.probe._SMALLEST_PAGE_BYTES",
    },
    "the size or the time from which work is done in pieces or in a thread: more is accepted": {
        "fakeapi.controllers.kubelet.nri.frames._PART_BYTES",
        "fakeapi.asgi.ROOM_FROM_BYTES",
        "fakeapi.auditing.log_file.BATCH_BYTES",
        "fakeapi.auditing.log_file.FLUSH_SECONDS",
        "fakeapi.controllers.allocation.effort.FREE_SECONDS",
        "fakeapi.http.rendering.RENDERED_BESIDE_BYTES",
        "fakeapi.http.response.JOINED_BYTES",
        "fakeapi.http.response.TURN_SECONDS",
        "fakeapi.http.transform.PIECE_BYTES",
        "fakeapi.registry.offloading.turns.TURN_SECONDS",
        "fakeapi.serving.connection.WRITE_BYTES",
        "fakeapi.serving.http1.JOINED_BYTES",
        "fakeapi.serving.http1_reader.REMEMBERED_BYTES",
        "fakeapi.serving.interpreter._SWITCH_SECONDS",
    },
    "how long a command, a client or a stopping server waits before it gives up with an error": {
        "fakeapi.cli.main.HEALTH_SECONDS",
        "fakeapi.controllers.kubelet.processes.launched.KILL_SECONDS",
        "fakeapi.controllers.kubelet.processes.launcher.network.CONNECT_SECONDS",
        "fakeapi.controllers.kubelet.processes.networks.ANSWER_SECONDS",
        "fakeapi.controllers.kubelet.processes.launched.START_SECONDS",
        "fakeapi.controllers.kubelet.processes.process_container.DRAIN_SECONDS",
        "fakeapi.controllers.kubelet.processes.session.DRAIN_SECONDS",
        "fakeapi.controllers.names.SETTLE_SECONDS",
        "fakeapi.controlplane.sharing.TAKEOVER_SECONDS",
        "fakeapi.envtest.etcd_state.WAIT_SECONDS",
        "fakeapi.envtest.etcd_state._REQUEST_SECONDS",
        "fakeapi.installing.installer.SERVED_SECONDS",
        "fakeapi.auditing.log_file.CLOSE_SECONDS",
        "fakeapi.serving.listener.TLS_CLOSE_SECONDS",
        "fakeapi.serving.runner.STOP_SECONDS",
        "fakeapi.clients.connections.TIMEOUT_SECONDS",
        "fakeapi.clients.control.SILENCE_SECONDS",
        "fakeapi.clients.http.ANSWER_SECONDS",
        "fakeapi.clients.http.CONNECT_SECONDS",
        "fakeapi.clients.kubeconfig_reader.EXEC_SECONDS",
        "fakeapi.traces.recording.proxy.CONNECT_SECONDS",
        "fakeapi.transfer.database.BUSY_SECONDS",
        "fakeapi_storage.postgresql.link.ANSWER_SECONDS",
        "fakeapi_storage.postgresql.link.CONNECT_SECONDS",
    },
    "the default of an option, which has its row under `fakeapi.serving.runner`": {
        "fakeapi.settings.GRACE_SECONDS",
    },
}
ROWS = ROW.findall((ROOT / "docs/limits.md").read_text())


def test_every_line_of_the_tables_is_a_row() -> None:
    lines = [line for line in (ROOT / "docs/limits.md").read_text().splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) > 20


@pytest.mark.parametrize(("name", "value"), [row[:2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_bound_has_the_value_that_the_page_gives(name: str, value: str) -> None:
    module, _, constant = name.rpartition(".")
    number = re.match(r"(?:at most )?(\d[\d,.]*)", value)
    assert number is not None, "a row's value begins with a number, or with `at most` and a number"
    assert float(number[1].replace(",", "")) == getattr(importlib.import_module(module), constant)


WITHOUT_TEST = {
    "none: the kernel enforces the limit",
    "none: `functools.lru_cache` enforces the limit",
}
"""Allowed reasons why a row of docs/limits.md names no test; for example, the kernel has its own tests."""


@pytest.mark.parametrize(
    "shown",
    [row[3] for row in ROWS if row[3] not in WITHOUT_TEST],
    ids=[row[0] for row in ROWS if row[3] not in WITHOUT_TEST],
)
def test_a_bound_is_shown_by_a_test_that_exists(shown: str) -> None:
    assert shown.startswith("`"), "name a test; WITHOUT_TEST lists the other reasons"
    path, _, function = shown.strip("`").partition("::")
    assert re.search(rf"^(async )?def {function}\(", (ROOT / path).read_text(), re.MULTILINE)


def bounds() -> Iterator[str]:
    """Yields the full names of module-level numbers in fakeapi whose names look like limits."""
    for root in (ROOT / "fakeapi", ROOT / "storage" / "fakeapi_storage"):
        for path in sorted(root.rglob("*.py")):
            module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
            if module.startswith(OF_KUBERNETES):
                continue
            for node in ast.parse(path.read_bytes()).body:
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                names = (target.id for target in targets if isinstance(target, ast.Name))
                yield from (
                    f"{module}.{name}" for name in names if BOUND.match(name) and is_number(module, name)
                )


def is_number(module: str, name: str) -> bool:
    return isinstance(getattr(importlib.import_module(module), name), int | float)


def test_every_bound_has_a_row_or_a_reason_to_have_none() -> None:
    constants = {*bounds()}
    excused = {name for names in NO_BOUNDS.values() for name in names}
    assert excused <= constants, "NO_BOUNDS names constants that no longer exist"
    assert constants - excused == {row[0] for row in ROWS} & constants
