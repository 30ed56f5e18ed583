"""Renders docs/fidelity.md from the recordings and the tables of known differences."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.conformance import known, world
from tests.conformance.error_messages import ERROR_MESSAGES
from tests.conformance.recordings import RECORDINGS, WORLD_RECORDINGS, Recording

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"

_HEAD = """\
# Fidelity

`make fidelity` generates this page from `fixtures/traces/conformance`, `tests/conformance/known.py` and
`tests/conformance/world_differences.json`. Do not edit it.

[Differences and their reasons](#differences-and-their-reasons) lists what is not faithful.

The recordings contain the responses of Kubernetes' own API servers, 1.27 to 1.37. Each recording has about 160 scenarios
of resource.k8s.io; with v1beta2 and newer versions it has about 230. `make test` sends the same requests to fakeapi with
the same release. It compares every status, header and body, every watch event and every message. uids, times,
resourceVersions and random suffixes may differ, but equal values must stay equal.

The requests of a recording use v1alpha2 up to 1.30, v1alpha3 from 1.31 to 1.33, and v1 from 1.34 on. The suffixes
`-v1beta1` and `-v1beta2` name another version. For `-all-gates`, the recorded server had all feature gates of these kinds
on. `world-` are recordings of all other kinds: pods, nodes, workloads, services, roles, reviews, custom resources. 1.37 has
no recording of the other kinds.

1.37 is also compared with Kubernetes 1.37.1's own validation code, for about 1,400 creates and updates of generated
objects. 900 of these objects belong to resource.k8s.io, in all versions, with default gates and with all gates. 500 belong
to other kinds with declared rules. The errors are equal; the generated objects have no empty lists. 1.34 and 1.36 are
compared in the same way.

| recording | scenarios | exchanges | as recorded | only words differ | response differs |
|---|--:|--:|--:|--:|--:|
"""  # noqa: E501 - the lines of the page

_RANDOM = """
## Random requests beside kube-apiserver

`make differential` builds kube-apiserver and sends the same random, mostly valid requests to both servers: all verbs,
patch types and subresources, apply by several managers, dry runs, field validation, selectors, pages, tables and deletes
with preconditions, for 65 kinds of 1.37. A "story" is a sequence of requests for one kind. For each difference, the program
looks for the shortest story that shows it. Known differences have a name and a reason in
`tests/differential/exchanges/known.py`.

`--sort` selects other stories: `custom` (a CustomResourceDefinition with a random schema and CEL rules, and objects of it),
`watches` (a watch from the start of a story, with bookmarks, Tables and selectors), `policies` (a ValidatingAdmissionPolicy
with a binding and parameters), `quotas` and `ranges` (a ResourceQuota or a LimitRange in the namespace), `webhooks`
(webhook configurations that call one HTTPS endpoint), and `even` (all verbs and patch types equally often).

In the stories of `webhooks`, the URL of a webhook names a rule, such as `/m/label` or `/0/deny-code`. The endpoint answers
both servers by this rule: it allows, denies, warns, patches, answers wrongly, or waits until the call times out. The
stories vary failurePolicy, matchPolicy, selectors, match conditions, reinvocation, review versions and dry runs. The
program also compares the AdmissionReviews that both servers send. `python -m tests.differential.rbac.run` compares RBAC
decisions and impersonation.

At the end of a run, the program prints its coverage:

- the pairs of kind and verb with the fewest requests,
- the resources that stories never use, with the reasons,
- the share of error messages that kube-apiserver sent. A message is a place in `fakeapi/kinds` that returns an error with
  a known field or text.

| release | seed | exchanges | stories with a difference without a name |
|---|--:|--:|--:|
{runs}
{covered}
The differences of seed 20261137 are corrected. In the runs with the seeds 20261132 and 20261138, a correction for
HorizontalPodAutoscalers of v1 lost managed fields; it was removed after the runs. Not corrected:

- 1.34, story 1715: both servers choose addresses of Services at random.
- 1.36, story 2911, and one like it: an error shows the random uid of an IPAddress. The comparison replaces the digits at
  its start, as those of a resourceVersion.

The runs have found these mistakes, which are corrected. `--only RESOURCE` repeats the requests of a kind. The last column
has the number of a story that showed the difference: `make differential ARGS="--release 1.37 --seed 20261128 --story 1318"`
repeats it. Numbers without a release are from 1.37 and this seed. Stories of 1.34 have the seed 20261134, and stories of
1.31 the seed 20261131.

| resource | before | now, as kube-apiserver | story |
|---|---|---|---|
| leases, poddisruptionbudgets, runtimeclasses, admission policies, events of v1 | refused finalizers without a domain | accepted | |
| resourcepoolstatusrequests | updated without a resourceVersion | 422 | |
| services, validatingadmissionpolicies | an apply to the status of a missing object got 404 | creates the object | |
| services | a PUT to the status of a missing object took an address | takes no address | |
| csidrivers and others | a delete that takes away the last finalizers, with a resourceVersion | 409 | |
| persistentvolumeclaims | the first update without a change kept the resourceVersion | changes it | |
| pods | kept `status.volumeHealth` without its feature gate | dropped | |
| pods and workloads | images with more than 255 characters got a wrong pull policy | IfNotPresent | |
| ingresses | `rules: []` was shown as null | left out | |
| jobs, claim templates, volumes and others | errors printed an empty list as null | as [] | |
| networkpolicies | an empty list did not change the generation | changes it | |
| ipaddresses | generateName got a random suffix | gets none | |
| limitranges, roles, clusterroles, csistoragecapacities | an empty table had `rows: []` | `rows: null` | |
| secrets | the error for an object in `data` named the type string | names []uint8 | |
| nodes | the error for an invalid podCIDR had no index | has its index | |
| persistentvolumes | errors of 1.37 had the fields in another order | in the order of core/v1 | |
| horizontalpodautoscalers of v1 | `observedGeneration: 0` was dropped | kept | |
| all kinds that a PUT creates | a dry run left out the resourceVersion of the body | shows it | |
| deployments, prioritylevelconfigurations and others | a dry run of a delete that removes the last finalizers returned a Status | returns an object without data | 1318, 1265 |
| horizontalpodautoscalers | accepted a negative `observedGeneration` of a condition (1.37) | 422 | 3597 |
| horizontalpodautoscalers | empty scaling policies got a default | 422 | 6132 |
| resourceslices, claim templates and others | an empty list inside an atomic list kept the owner of the list | changes it | 967, 4668 |
| jobs, cronjobs, replicasets | accepted `ports: []` of an ephemeral container in a template | 422 | 674, 8079 |
| jobs, deployments, volume claims | an error printed empty lists of a label selector | left out | 1454, 6897 |
| cronjobs, jobs | the error for an empty list of exit codes printed null | prints [] | 10098 |
| certificatesigningrequests | the error for an empty request printed null | prints "" | |
| serviceaccounts | an apply to an object with an item without its key: `failed to merge config` | names the object and the item | 4043 |
| configmaps | the error for a number in `binaryData` named []byte | names []uint8 | 6306 |
| validatingadmissionpolicies | a `fieldRef` of type checking was not parsed | 422 for an invalid JSONPath | 11065 |
| claims and templates of v1beta1 | the error for empty tolerations beside `firstAvailable` printed [] | prints null | 9732, 10836 |
| claims and templates of v1beta1 | the error for empty selectors beside a device class printed null | prints [] | 1.34: 5211 |
| volumeattachments | errors up to 1.36 had the volume sources in another order | in the order of the internal type | 1.34: 62 |
| pods | dropped `allocatedResources` of a status without its gate (1.33 to 1.35) | kept | 1.34: 450 |
| pods | an error printed `volumeMounts: []` while ImageVolume is off | prints null | 1.34: 702 |
| controllerrevisions | a strategic merge patch replaced `data` | merges it | seed 20261137: 3071 |
| statefulsets | the error for changed volume claim templates printed another version | prints the internal version | seed 20261137: 150 |
| persistentvolumes | errors about node affinity counted characters | count bytes, from 1.35 on | seed 20261137: 1568 |
| resourceslices of v1beta1 | empty taints beside a `basic` device changed the owner | keep it | seed 20261137: 6158 |
| pods | up to 1.32, the error for a repeated host address was in another place | comes before the other errors | 1.31: 4321 |
| namespaces and others | `finalizers: []` changed the time of managed fields | keeps it | 1.31: 5045 |
| serviceaccounts | updates set owners although an unchanged item of `secrets` has no name | keep managed fields; up to 1.36, drop them | seed 20261201: 3718, 13013 |
| all kinds with quantities in atomic lists | an update that sends `1500m` as `1.5`, or a metric of `8Gi` unchanged, kept the owner of the list | changes it, as reflect.DeepEqual does | 1.34: 7543; 1.34, seed 20261204: 9661 |
| jobs | up to 1.31, the error for a long `managedBy` said "must have at most 63 bytes" | "may not be longer than 63" | 1.31, seed 20261132: 5234 |
| all kinds, with an admission policy | a policy that refuses to delete a collection got the name of the object | gets none; the error says "Unknown" | `--sort policies`, seed 103: 6 |
| pods | a `runtimeClassName` with a slash is 403 | 500 | `--sort quotas ranges`, seed 104: 47 |
| pods | up to 1.35, an update kept `allocatedResourcesStatus` of containers without its gate | dropped | 1.31, `--sort webhooks`, seed 411: 135 |
| pods, with a webhook | a delete of a pod without a node was reviewed once, with the requested grace period | twice, with the effective grace period | `--sort webhooks`, seed 402: 243, 291 |
| pods and namespaces that are already being deleted, with a webhook | a further delete was reviewed | not reviewed | |
| namespaces, with a webhook | the review of a delete had no uid in the preconditions | has it | 1.31, `--sort webhooks`, seed 411: 14 |
| namespaces, with a webhook | after a rename by a webhook, later reviews had the new name; the namespace of a generated name was set | have the requested name; no namespace | `--sort webhooks`, seed 402: 82, 114 |
| all kinds, with a webhook | a DELETE lost the warnings of its webhooks | sends them | `--sort webhooks`, seed 402: 220, 261 |
| all kinds, with a webhook | an empty warning was sent | left out | `--sort webhooks`, seed 401: 32 |
| all kinds, with a webhook | a denial with `retryAfterSeconds` had no header Retry-After | has it | `--sort webhooks`, seed 401: 42 |
| all kinds, with a webhook | a review showed empty lists that a client sent | left out, as by Go's encoding/json | `--sort webhooks`, seed 401: 15 |
| all kinds, with a webhook | the uid of a patch was hidden from later webhooks; an apply stored it, without a creationTimestamp | shown, but replaced | `--sort webhooks`, seed 402: 7, 113 |
| all kinds, with a webhook | reviews of a create lacked the resourceVersion of the body | have it | `--sort webhooks`, seed 402: 264; 1.31, seed 411: 69 |
| all kinds, with a webhook | invalid managedFields were restored before webhooks were called again | after all rounds | `--sort webhooks`, seed 402: 53 |
| all kinds, with a webhook | the first patch of an object with new managedFields counted as a change only if it changed a value | always counts | `--sort webhooks`, seed 402: 68 |
| all kinds, with a webhook | a webhook that renamed an applied object led to 409 | 201, at the requested name | 1.31, `--sort webhooks`, seed 411: 75 |
| all kinds, with a webhook | the error for an unknown kind in a response named line 110 of scheme.go | 100 up to 1.32, 111 from 1.35 on | `--sort webhooks`, seed 402: 101 |
| podcertificaterequests | from 1.37 on, a create owned the status that it cannot set | owns none | `--sort messages`, seed 1: 10 |
| storageversions | from 1.34 on, the error for a condition without a reason or message had a detail | has none | seed 1: 218 |
| pods and workloads | errors about metadata of claim templates had the order of the body and the name `uid` | have Go's order, and `uID` | seed 1: 161, 510 |
| clusterroles | from 1.37 on, the error for an invalid aggregation selector printed "null" | prints null | seed 1: 735 |
| customresourcedefinitions | an error about several versions printed schemas with other names | prints the internal form | seed 1: 751 |
| resourceclaims | an empty list in `reservedFor` of a claim without an allocation was refused | accepted | seed 1: 804 |
| resourceslices | DRAFractionalCapacityRange was enabled by default in 1.37 | disabled: it needs `--min-compatibility-version` 1.37 | seed 1: 808 |
| localsubjectaccessreviews | an error printed the metadata in the order of the body | in Go's order | seed 1: 820 |
| runtimeclasses | the error for huge pages in the overhead had another text | "1Mi is not positive integer multiple of hugepages-2Mi" | seed 1: 821 |
| flowschemas | errors printed `DeprecatedServiceAccount` and `ApiGroups` | ServiceAccount, APIGroups | seed 31: 488 |
| evictions | the error for a reverted condition printed an empty list as null | as [] | `--gates all`, seed 4: 152 |
| pods | with the gate H2CContainerProbe, HTTP probes and handlers got no default protocol | HTTP1 | `--gates all`, seed 4: 289 |
| all kinds, while declarative validation takes over | errors of an update lost their repetition (1.33, 1.34) | are repeated | 1.34, `--gates all`, seed 22: 16 |
| certificatesigningrequests | with the gate DeclarativeValidationTakeover, a request without conditions was refused (1.34) | stored | 1.34, `--gates all`, seed 22: 7 |
| pods | two mappings of an extended resource could differ in their request before 1.35 | only from 1.35 on | 1.34, `--gates all`, seed 22: 202 |
| storageversionmigrations | in 1.34, the error for a missing time or reason of a condition had a detail | has none | 1.34, `--gates all`, seed 22: 258 |
| pods | up to 1.32, an update kept `status.resize` without its feature gate | dropped | 1.31, seed 20261212: 7849 |
| pods | a write to the status refused another deletionTimestamp | ignores it | seed 20261213: 7614 |
| claims | the error for a duplicate device status left out its empty conditions | prints [] | `--sort even`, seed 20261221: 2126 |
| horizontalpodautoscalers | up to 1.33, an error for the resource of a container metric did not quote it | quotes it if it is not qualified | 1.31, seed 20261231: 1032 |
| volumeattributesclasses | 1.33 added a finalizer without the feature gate | adds none | 1.33, seed 20261242: 57 |
| nodes | an error for a resource without a name said `status.allocatable.` | `status.allocatable[]` | `--sort even`, seed 20261234: 5271 |
| jobs, cronjobs | accepted an empty map in the resources of an ephemeral container | 422 | `--sort messages`, seed 24: 725 |
| horizontalpodautoscalers of v1 | stored an `averageValue` of 0 beside a CPU utilization | stores none, until a client sends the annotation back | seed 20261201: 1646; 1.34, seed 20261204: 2982 |
"""  # noqa: E501 - the lines of the page

_RANDOM_RUNS: tuple[tuple[str, str, int, int], ...] = (
    ("1.31", "20261132", 40_000, 18),
    ("1.34", "20261135", 60_006, 2),
    ("1.37", "20261137", 60_005, 6),
    ("1.37", "20261138", 40_006, 13),
    ("1.37", "20261201", 100_008, 3),
    ("1.34", "20261211", 100_001, 0),
    ("1.31", "20261212", 100_006, 1),
    ("1.37", "20261213", 100_004, 1),
    ("1.33", "20261243", 30_002, 0),
    ("1.31", "20261231", 100_001, 0),
    ("1.34", "20261233", 100_005, 0),
    ("1.37", "20261232", 100_004, 0),
    ("1.36", "20261244", 50_002, 2),
)
"""Runs of `make differential`: release, seed, exchanges, stories with a difference without a name."""

_COVERED: tuple[tuple[str, str, str, int, int, int], ...] = (
    ("1.31", "20261236", "even", 40_000, 745, 27),
    ("1.34", "20261235", "even", 40_005, 803, 25),
    ("1.37", "20261234", "even", 40_002, 865, 23),
)
"""Coverage of runs: release, seed, sorts, exchanges, pairs of kind and verb, requests of the rarest pair."""

_DIFFERENCES = """
## Differences and their reasons

| recordings | scenario | exchanges | difference | reason |
|---|---|---|---|---|
"""

_WORLD = """
### Kinds other than claims

For each scenario, the table lists the numbers of the exchanges whose responses differ: "3 of 6" is the third of six
exchanges. `w` means that only the text of a message differs. The name of a scenario contains the kind: `kinds.pods_live`
is the life of a pod, `kinds.pods_refused` has refused requests for pods. In `neighbours.nodes`, the first recorded
response was changed by hand: the response already contains the status that the next request sends.

"""  # noqa: E501 - the lines of the page

_LIMITS = """
## Differences that no recording shows

### Requests, users and limits

- fakeapi does not support the subresource `proxy` of nodes, pods and services. Logs, exec, attach and port-forward reach
  only the pods of its own kubelets ([Pods](pods.md)). `/metrics` has only [these metrics](requests.md#metrics).
- The recorded servers of 1.32 and 1.33 had no built-in version, so they warned that future releases deprecate v1alpha3 and
  v1beta1. Released servers and fakeapi do not send these warnings.
- If you start fakeapi without a release, it serves the same claims as 1.37 (v1, v1beta2, v1beta1) and as 1.33 (v1alpha3).
  v1alpha3 shows fields that 1.33 lacks as they are stored, but does not accept them. If a spec or an allocation has such
  fields, an update through v1alpha3 is refused as a change of immutable fields.
- By default, every user may do everything, as on a server with AlwaysAllow. With `--authorization rbac`, roles decide
  ([Users](users.md)). A client without a token is `kubernetes-admin` in the group `system:masters`.
- Some scenarios for v1beta2 and newer versions change a namespace between recorded requests. These requests are replayed,
  but their responses are not compared.
- fakeapi refuses JSON that is nested deeper than 900 levels; Kubernetes accepts 10,000 levels.
- Errors about a wrong type print a number as it was read: `100.0` if the client sent `1e2`. fakeapi refuses numbers beyond
  float64. It prints U+FFFD for bytes that are not valid UTF-8.
- CBOR values of a wrong type get the error messages for JSON. fakeapi drops the tags of times, and does not normalise the
  times.
- Kubernetes reports some errors in the random order of a Go map. fakeapi reports them in the order of names.

### Validation

- Since 1.33, an error of a declared rule (declarative validation) replaces handwritten errors with the same reason and
  field. An error about a change replaces only errors about a change, and an error that mentions another field replaces
  only such errors. In Kubernetes, the code marks each error that is replaced. A shard selector that is not valid CEL gets
  an error message of fakeapi's own.
- fakeapi does not check types in the status of a ValidatingAdmissionPolicy; in Kubernetes, a controller of
  kube-controller-manager does this. Audit annotations of policies are dropped. fakeapi evaluates policies and their bindings
  in the order of their names. Without the extra `cel`, policies refuse and change nothing, and a warning says so. JSON
  patches are applied as by json-patch 4.12. 1.35 and newer use json-patch 4.13, which refuses a scalar as the whole
  document, and accepts a test of a missing value against null.
- If the rules of a custom object or the expressions of a policy use their whole cost budget, kube-apiserver needs a second,
  and fakeapi about ten seconds. fakeapi evaluates them in a thread, and serves other clients meanwhile.
- In `scheduling` of a Job's spec (1.37, with the gate WorkloadWithJob), fakeapi checks only the number of pods in a gang,
  and that one policy is chosen. If Python has no time zone data, a CronJob may name any text that looks like a time zone.
- An immutable ConfigMap or Secret accepts `data: {}` or `binaryData: {}` where the stored object has no such field.
- If a client writes a HorizontalPodAutoscaler through v1 with `currentCPUUtilizationPercentage`, v2 shows an `averageValue`
  of 0 at once. Kubernetes shows it after the next write through v1.
- Certificate requests with names, keys or attributes that Go cannot read get other error messages.
- Updates of a Node that still has the old `spec.configSource` are not validated. Before 1.34, error messages round
  quantities that are not integers, and errors about changed volumes and volume claims print other differences.

### Admission and webhooks

- fakeapi calls webhooks like kube-apiserver, but follows no redirects and uses no proxies. Services carry no traffic, so
  `--webhook-service` sets the URL of a service's webhook; with `--run`, fakeapi calls the process behind the service
  ([Images as processes](run.md)). Otherwise these calls fail as if the connection was refused. Annotations for the audit
  log are dropped. The deadline of the client's request (`timeout`) does not end a call. The error about an expired
  certificate omits its times. A match condition that fakeapi cannot evaluate counts as true, and a warning says so.
- The admission plugins that are on by default in kube-apiserver are on, except ServiceAccount, which the recorded servers
  had off too. `--enable-admission-plugins` adds others. If you add ServiceAccount, the
  server creates the account `default` in each namespace. EventRateLimit, ImagePolicyWebhook, PersistentVolumeLabel and
  SecurityContextDeny are missing. Plugins cannot be configured by a file.
  NodeRestriction reads the audiences of tokens in CSI volumes, but not in volumes that Kubernetes would translate to CSI
  volumes.
- A ResourceQuota is enforced by its status, as in kube-apiserver: writes are charged to `status.used` if there is a
  `status.hard`. The quota controller writes `status.hard` (`--controllers resourcequota`), or a test updates `/status`.
  Without the controller, deleting objects does not reduce `status.used`. With the gate InPlacePodVerticalScaling before
  1.33, the usage ignores the status of containers.

### Controllers and allocation

- Services have cluster IPs from 10.0.0.0/24, node ports from 30000 to 32767, both chosen at random, and one IP family, as on
  the recorded servers. No controller recreates a deleted IPAddress, or protects a ServiceCIDR while its addresses
  are in use. The endpoint of the service `kubernetes` is an address that no network uses. ClusterCIDRs (1.27 and 1.28)
  are not validated. No controller binds volumes, and the [scheduler](controllers.md#the-scheduler) ignores them.
- While finalizers block objects of a deleted CustomResourceDefinition, its condition keeps the reason
  InstanceDeletionInProgress. In Kubernetes, the reason is InstanceDeletionCheck for a moment every minute.
- By default, no garbage collector deletes objects and no controller removes finalizers. A deleted namespace stays
  Terminating until a client finalizes it. The recorded servers ran without controllers, too.
"""  # noqa: E501 - the lines of the page


def render() -> str:
    """Returns the Markdown text of docs/fidelity.md."""
    return (
        _HEAD
        + "".join(_count(recording) for recording in RECORDINGS)
        + "".join(_world_count(recording) for recording in WORLD_RECORDINGS)
        + _RANDOM.format(runs=_rows(_RANDOM_RUNS), covered=_covered())
        + f"\n{ERROR_MESSAGES.rstrip()}\n"
        + _DIFFERENCES
        + "".join(_row(entry) for entry in known.KNOWN)
        + _WORLD
        + "".join(_world_rows())
        + _LIMITS
    )


def _rows(rows: Iterable[tuple[object, ...]]) -> str:
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _covered() -> str:
    """Returns the table of the coverage of runs; an empty text without runs."""
    head = "| release | seed | sorts | exchanges | pairs of kind and verb | requests of the rarest pair |\n"
    return f"{head}|---|--:|---|--:|--:|--:|\n{_rows(_COVERED)}" if _COVERED else ""


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _answered(recording: Recording) -> int:
    """Counts the recorded requests that have a recorded response."""
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
    """Yields the lines of a Markdown table with a row for each scenario that has differences.

    In a cell, "7" means that the response to request 7 differs. "7w" means that only the text of a message
    differs.
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
    part = "words of messages" if entry.wording_only else "response"
    numbers = ", ".join(map(str, sorted(entry.exchanges)))
    return f"| {entry.recordings} | {entry.scenario} | {numbers} | {part} | {entry.reason} |\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render())
