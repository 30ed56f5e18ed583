"""Renders docs/fidelity.md from the recordings and the table of known differences."""

from collections.abc import Iterator
from pathlib import Path

from tests.conformance import known, world
from tests.conformance.recordings import RECORDINGS, WORLD_RECORDINGS, Recording

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"

_HEAD = """\
# Fidelity

Made by `make fidelity` from `fixtures/traces/conformance`, `tests/conformance/known.py` and
`tests/conformance/world_differences.json`; not to be edited.

The recordings contain the responses of Kubernetes' own API servers of 1.27 to 1.37 to some 170 scenarios each, 230 from
v1beta2 on. `make test` replays the requests against this server with the same release. It compares every status, header and
body, every watch event and every message. uids, times, resourceVersions and random suffixes may differ, but equal values
must stay equal.

A recording speaks v1alpha2 up to 1.30, v1alpha3 up to 1.33 and v1 from 1.34 on; `-v1beta1` and `-v1beta2` are such
that speak those. `-all-gates` are recordings with the gates for these kinds switched on that are off by default in the
release. `world-` are recordings of all other kinds: pods, nodes, workloads, services, roles, reviews, custom resources.
The other kinds of 1.37 are not recorded here. 1.37 is compared, too, with what Kubernetes 1.37.1's own
strategies say of some 1,400 generated objects, created and updated: 900 of resource.k8s.io in all versions,
with default gates and with all, and 500 of other kinds whose declared rules are enforced. The errors are equal,
except that an error which shows a whole struct prints an empty list like a missing list. 1.34 and 1.36 are compared in the same way.

| recording | scenarios | exchanges | as recorded | differing in words alone | differing |
|---|--:|--:|--:|--:|--:|
"""  # noqa: E501 - the lines of the page

_DIFFERENCES = """
## What differs, and why

| recordings | scenario | exchanges | what | reason |
|---|---|---|---|---|
"""

_WORLD = """
### Kinds around claims

The exchanges of each scenario that are answered otherwise; `w` is where only the words of a message differ. A scenario's
name says the kind: `kinds.pods_live` is the life of a pod, `kinds.pods_refused` what is refused of one. In
`neighbours.nodes` the first answer was changed after it was taken: it has the status that was sent next.

"""  # noqa: E501 - the lines of the page

_LIMITS = """
## What no recording shows

- Not served: `/metrics`, proxying, exec and attach.
- The recorded servers of 1.32 and 1.33 had no version built in, so they warned that v1alpha3 and v1beta1 are
  deprecated in releases still to come. Released servers do not; those warnings are not in the recordings.
- A server without a named release shows one and the same claim as 1.37 (v1, v1beta2, v1beta1) and as 1.33 (v1alpha3).
  Fields that 1.33 does not have are shown in v1alpha3 as they are stored, and are not taken there: an update through
  v1alpha3 of a spec or an allocation that has some is refused as a change of what is immutable.
- Declared rules (1.33 and newer) cover an error by hand where both have the same reason and field, and are about a change,
  or another field, if it is; upstream marks each by hand. A shard selector that is no CEL is refused in words of our own.
- Webhooks are called as kube-apiserver calls them, except that the server follows no redirects and uses no
  proxies. A service has no address: webhooks of services are called where `--webhook-service` says, and refuse connections
  otherwise. Annotations for the audit log are dropped, and the request's own
  deadline (`timeout`) does not end a call. The error of an expired certificate omits its times. A match condition that cannot
  be evaluated here counts as true, and a warning says so.
- Of the scenarios from v1beta2 on, a few change a namespace between what was recorded; those requests are replayed,
  and their answers are not compared.
- Everybody may do everything, as on a server that runs with AlwaysAllow, unless it is started with `--authorization rbac`;
  what that leaves out is in [users.md](users.md). A client without a token is `kubernetes-admin` of `system:masters`. Of an
  aggregated cluster role no controller fills in the rules.
- CBOR whose values do not fit their types is refused in the words of JSON; tags of times are dropped, not normalised.
- Types are not checked in the status of a ValidatingAdmissionPolicy, which is the work of a controller of
  kube-controller-manager; what policies audit goes
  nowhere. The server evaluates policies and their bindings in the order of their names. Without the extra `cel` they refuse and change
  nothing, and a warning says so.
  JSON patches are applied as by json-patch 4.12; 1.35 and newer have 4.13, which refuses a scalar in place of the whole
  document, and takes a test of a missing value against null.
- Rules of a custom object, or expressions of a policy, that cost all of their budget, which takes kube-apiserver a
  second, take some ten seconds here, beside the event loop: other clients are served meanwhile.
- While finalizers hold objects of a definition that is deleted, its condition stays InstanceDeletionInProgress; upstream
  says InstanceDeletionCheck for a moment every minute.
- The admission plugins are those that kube-apiserver has on by default, and with `--enable-admission-plugins` further
  ones. ServiceAccount is off until it is named, as on the recorded servers; it makes the account `default` itself. Not there:
  EventRateLimit, ImagePolicyWebhook, PersistentVolumeLabel, SecurityContextDeny. No file configures plugins. NodeRestriction looks for audiences of tokens in
  CSI volumes, and not in those that Kubernetes would translate to them.
- A ResourceQuota holds by its status, as in kube-apiserver: writes are charged to `status.used` once there is a
  `status.hard`, which the quota controller fills in (`--controllers resourcequota`), or a test by an update of `/status`.
  Without the controller nothing is given back when objects go. Of the gate InPlacePodVerticalScaling before 1.33, usage does not follow the status of containers.
- Of `scheduling` in a Job's spec (1.37, behind the gate WorkloadWithJob) only the number of pods of a gang and the choice
  of one policy are checked. Where Python knows no time zones, a CronJob may name any that looks like one.
- Names, keys and attributes inside a certificate request that Go cannot read get other error messages.
- HorizontalPodAutoscalers in autoscaling/v1 drop `observedGeneration: 0`. Updates of a Node that still has the old
  `spec.configSource` are not validated. For webhook configurations and network policies an empty list and none are the
  same, also for their generation. Before 1.34, messages about quantities that are not integers show them rounded, and
  refused changes of volumes and volume claims are shown by other differences.
- Services have cluster IPs of 10.0.0.0/24 and node ports from 30000 to 32767, chosen at random, and one IP family, as on the
  recorded servers. No controller makes an IPAddress again that somebody deletes, or holds a ServiceCIDR while addresses
  are in use. The endpoint of the service `kubernetes` is an address that no network has. ClusterCIDRs (1.27 and 1.28)
  are not validated.
- JSON deeper than 900 levels is refused; Kubernetes takes ten thousand.
- Numbers in messages about a wrong type are shown as they were read: `100.0` where `1e2` was sent. A number
  beyond float64 is refused. Of bytes that are no UTF-8, U+FFFD is shown.
- Where Kubernetes reports errors in the order of a Go map, they are in the order of names here.
- Nothing is deleted by a garbage collector, no finalizer is removed by a controller, and a deleted namespace
  stays Terminating until somebody finalizes it, as the recorded servers ran without controllers.
"""  # noqa: E501 - the lines of the page


def render() -> str:
    """Returns the Markdown text of docs/fidelity.md."""
    return (
        _HEAD
        + "".join(_count(recording) for recording in RECORDINGS)
        + "".join(_world_count(recording) for recording in WORLD_RECORDINGS)
        + _DIFFERENCES
        + "".join(_row(entry) for entry in known.KNOWN)
        + _WORLD
        + "".join(_world_rows())
        + _LIMITS
    )


def _answered(recording: Recording) -> int:
    """Counts the exchanges with a recorded response."""
    return sum("answer" in exchange for scenario in recording.scenarios.values() for exchange in scenario)


def _world_count(recording: Recording) -> str:
    scenarios = world.listed()[recording.name].values()
    worded, differing = (
        sum(len(each.get(part, ())) for each in scenarios) for part in (world.WORDS, world.ANSWER)
    )
    exchanges = _answered(recording)
    cells = (len(recording.scenarios), exchanges, exchanges - worded - differing, worded, differing)
    return f"| {recording.name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |\n"


def _world_rows() -> Iterator[str]:
    """Yields the lines of the table with a row for each scenario that has differences.

    In a cell, "7" means that exchange 7 differs, and "7w" that only the text of a message differs.
    """
    names = [recording.release for recording in WORLD_RECORDINGS]
    yield f"| scenario | {' | '.join(names)} |\n|---|{'---|' * len(names)}\n"
    known_of = world.listed()
    for scenario in sorted({scenario for differences in known_of.values() for scenario in differences}):
        cells = []
        for recording in WORLD_RECORDINGS:
            differences = known_of[recording.name].get(scenario, {})
            marked = [(number, "") for number in differences.get(world.ANSWER, ())]
            marked += [(number, "w") for number in differences.get(world.WORDS, ())]
            total = len(recording.scenarios.get(scenario, ()))
            numbers = ", ".join(f"{number}{mark}" for number, mark in sorted(marked))
            cells.append(f"{numbers} of {total}" if numbers else "-" if total else "")
        yield f"| {scenario} | " + " | ".join(cells) + " |\n"


def _count(recording: Recording) -> str:
    exchanges = _answered(recording)
    worded, differing = (
        sum(
            len(entry.exchanges)
            for scenario in recording.scenarios
            for entry in known.of(recording.name, scenario)
            if entry.wording_only is wording
        )
        for wording in (True, False)
    )
    cells = (len(recording.scenarios), exchanges, exchanges - worded - differing, worded, differing)
    return f"| {recording.name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |\n"


def _row(entry: known.Known) -> str:
    part = "words of messages" if entry.wording_only else "the answer"
    numbers = ", ".join(map(str, sorted(entry.exchanges)))
    return f"| {entry.recordings} | {entry.scenario} | {numbers} | {part} | {entry.reason} |\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render())
