"""In headless Chromium, the views of the live page show the state of the server and react to clicks."""

from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.releases.serving import default_description
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.page_objects import (
    ALLOCATION,
    CLAIM,
    CONSUMER,
    GROUP,
    VIEWS,
    new_pod,
    new_slice,
    node,
)

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]


def configmap(name: str, data: str = "first", **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"x": data}}


def open_request(browser: Browser, number: int) -> None:
    """Waits for a request in the table, and clicks it."""
    script = (
        "const all = [...document.querySelectorAll('button.time')];"
        "const e = all.find((e) => e.textContent.startsWith(`Request ${arguments[0]} `));"
        "if (e) e.click(); return Boolean(e)"
    )
    browser.wait(lambda: browser.run(script, number), f"request {number}")


# objects ----------------------------------------------------------------------------------------


def test_objects_are_listed_by_kind_and_new_ones_appear(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/objects/-/namespaces")
    browser.see("kube-system")
    api.create_namespace("appears-by-itself")
    browser.see("appears-by-itself")
    browser.fill("#search", "kube-")
    browser.see("3 of 5 objects")


def test_the_chosen_kind_can_be_read(browser: Browser, api: FakeAPI) -> None:
    api.create(CLAIM)
    browser.open(f"{api.page}#/objects/-/namespaces")
    browser.see("kube-system")
    script = """
        const all = [...document.querySelectorAll('.kinds a')];
        const [chosen, other] = [all.find((e) => e.ariaCurrent), all.find((e) => !e.ariaCurrent)];
        const top = (e) => e.getBoundingClientRect().top;
        const style = getComputedStyle(chosen);
        return [style.color != style.backgroundColor, top(all[0]) != top(all[1])]
    """
    assert browser.run(script) == [True, True]


def test_a_table_has_the_columns_of_kubectl_and_is_sorted_by_its_headers(
    browser: Browser, api: FakeAPI
) -> None:
    api.create_all([new_pod("b"), new_pod("a"), new_pod("c")])
    browser.open(f"{api.page}#/objects/-/pods")
    browser.see("Restarts")
    arrow = """
        const button = [...document.querySelectorAll('th button')].find((e) => e.textContent == 'Name');
        return [button.parentElement.ariaSort, getComputedStyle(button, '::after').content[1]]
    """
    assert browser.run(arrow) == ["none", "↕"]
    rows = "return [...document.querySelectorAll('tbody td.name')].map((e) => e.textContent)"
    browser.click("Name")
    browser.wait(lambda: browser.run(rows) == ["a", "b", "c"], "ascending names")
    assert browser.run(arrow) == ["ascending", "↑"]
    browser.click("Name")
    browser.wait(lambda: browser.run(rows) == ["c", "b", "a"], "descending names")
    assert browser.run(arrow) == ["descending", "↓"]


def test_requests_are_filtered_by_user_and_time_in_the_server(browser: Browser, api: FakeAPI) -> None:
    api.create(configmap("one"))
    browser.open(f"{api.page}#/requests?name=one")
    browser.see("configmaps", "tbody")
    browser.fill("#user", "nobody")
    browser.see("No request matches")
    browser.fill("#user", "")
    browser.see("configmaps", "tbody")
    browser.fill("#until", "1h")
    browser.see("No request matches")
    browser.fill("#until", "")
    browser.fill("#since", "2h")
    browser.see("configmaps", "tbody")
    browser.fill("#since", "yesterday")
    browser.see("since: 'yesterday' is not a time or duration", ".problem")


def test_labels_and_namespace_filter_objects(browser: Browser, api: FakeAPI) -> None:
    api.create_all([configmap("one", app="train"), configmap("two", app="infer")])
    browser.open(f"{api.page}#/objects/-/configmaps")
    browser.see("two")
    browser.fill("#labels", "app=train")
    browser.wait(lambda: "two" not in browser.text("main table"), "the filtered table")
    browser.see("one", "main table")
    api.delete("ConfigMap", "one")
    browser.see("There is no ConfigMap")
    browser.fill("#labels", "")
    browser.fill("#namespace", "kube-system")
    browser.wait(lambda: "default" not in browser.text("main table"), "the namespace's table")


def test_ten_thousand_objects_are_shown_by_the_page(browser: Browser, api: FakeAPI) -> None:
    snapshot = api.snapshot()
    api.create_all(
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{n:05}"}} for n in range(10_000)]
    )
    browser.open(f"{api.page}#/objects/-/namespaces")
    browser.see("10,004 objects")
    assert browser.run("return document.querySelectorAll('tbody tr').length") < 200
    browser.fill("#search", "n09999")
    browser.see("1 of 10,004 objects")
    browser.see("n09999", "main table")
    api.restore(snapshot)


def test_an_object_is_created_after_a_dry_run_that_names_the_wrong_field(
    browser: Browser, api: FakeAPI
) -> None:
    browser.open(f"{api.page}#/objects/-/configmaps")
    browser.click("Create")
    browser.wait(
        lambda: browser.run("return Boolean(document.querySelector('dialog textarea'))"), "the editor"
    )
    assert browser.run("return [...document.querySelectorAll('dialog button.main')].at(-1).disabled") is True
    text = "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: made\n  labels:\n    app: '-'\n"
    browser.fill("dialog textarea", text)
    browser.click("Check with a dry run")
    browser.see("metadata.labels", "dialog .problem li")
    browser.see("Line 5", "dialog .problem li")
    browser.fill("dialog textarea", text.replace("'-'", "train"))
    browser.click("Check with a dry run")
    browser.see("The server accepts this", "dialog")
    with pytest.raises(StatusError, match="404"):
        api.get("ConfigMap", "made")
    browser.run("[...document.querySelectorAll('dialog button.main')].at(-1).click()")
    browser.see("made", "main table")
    assert api.get("ConfigMap", "made")["metadata"]["labels"] == {"app": "train"}


def test_an_object_is_edited_and_deleted(browser: Browser, api: FakeAPI) -> None:
    api.create(configmap("a"))
    browser.open(f"{api.page}#/object/-/configmaps/default/a")
    browser.click("Edit")
    browser.wait(
        lambda: browser.run("return Boolean(document.querySelector('dialog textarea'))"), "the editor"
    )
    text = browser.run("return document.querySelector('dialog textarea').value")
    browser.fill("dialog textarea", text.replace("first", "second"))
    browser.click("Check with a dry run")
    browser.see('data.x "second"', "dialog .changes")
    browser.click("Save")
    browser.see("x: second", ".yaml")
    assert api.get("ConfigMap", "a")["data"] == {"x": "second"}
    browser.click("Delete")
    dialog = "return document.querySelector('dialog')?.textContent ?? ''"
    browser.wait(lambda: "kubectl delete configmaps a -n default" in browser.run(dialog), "the command")
    browser.run("document.querySelector('dialog button.danger').click()")
    browser.see("The object is deleted")
    with pytest.raises(StatusError, match="404"):
        api.get("ConfigMap", "a")


def test_an_object_is_shown_as_it_was_at_a_version(browser: Browser, api: FakeAPI) -> None:
    created = api.create(configmap("a"))
    version = created["metadata"]["resourceVersion"]
    api.create_namespace("other")
    api.update({**created, "data": {"x": "second"}})
    place = f"{api.page}#/object/-/configmaps/default/a"
    for at in (version, str(int(version) + 1)):
        browser.open(f"{place}/{at}")
        browser.see(f"The object as it was at version {at}")
        browser.see(f"created at {version}", "[aria-current=true]")
        browser.click("YAML")
        browser.see("x: first", ".yaml")
    browser.open(f"{place}/1?tab=yaml")
    browser.see("The object as it was at version 1 is not kept")
    browser.see("x: second", ".yaml")


def test_the_yaml_of_an_object_begins_with_its_version_and_kind(browser: Browser, api: FakeAPI) -> None:
    api.create(configmap("a"))
    browser.open(f"{api.page}#/object/-/configmaps/default/a")
    browser.see("x: first", ".yaml")
    assert browser.text(".yaml pre").startswith("apiVersion: v1\nkind: ConfigMap\nmetadata:")


def test_managed_fields_are_folded_and_the_history_has_differences(browser: Browser, api: FakeAPI) -> None:
    created = api.create(configmap("a"))
    api.update({**created, "data": {"x": "second"}})
    browser.open(f"{api.page}#/object/-/configmaps/default/a")
    browser.see("x: second", ".yaml")
    assert "managedFields" not in browser.text(".yaml pre")
    browser.click("Show managed fields (1)")
    browser.see("managedFields", ".yaml pre")
    browser.click("History (2)")
    browser.see('data.x "second"', ".changes .added")
    browser.see('data.x "first"', ".changes .removed")


def test_the_history_has_long_values_as_yaml(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}})
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=history")
    browser.see("    driver: gpu.example.com\n", ".changes .added pre")
    browser.see("reserved", ".lead")


def test_an_object_has_its_conditions_with_bad_news_first(browser: Browser, api: FakeAPI) -> None:
    created = api.create(node("node-1"))
    conditions = [
        {"type": "MemoryPressure", "status": "False", "reason": "Enough", "message": "enough memory"},
        {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "PLEG is not healthy"},
    ]
    api.update_status({**created, "status": {"conditions": conditions}})
    browser.open(f"{api.page}#/object/-/nodes/-/node-1")
    browser.see("PLEG is not healthy", "aside .events .warn")
    first = "return document.querySelector('aside .events strong').textContent"
    assert browser.run(first) == "Ready"


def test_the_history_and_the_timeline_name_who_bound_a_pod(browser: Browser) -> None:
    with FakeAPI(release="1.36", controllers="scheduler") as api:
        resources = {"cpu": "4", "memory": "8Gi", "pods": "10"}
        created = api.create(node("node-1"))
        created = api.update_status({**created, "status": {"capacity": resources, "allocatable": resources}})
        api.update({**created, "spec": {}})
        pod = new_pod("trainer")
        del pod["spec"]["resourceClaims"]
        api.create(pod)
        api.settle()
        browser.open(f"{api.page}#/object/-/pods/default/trainer?tab=history")
        browser.see("by kube-scheduler", ".history li")
        browser.open(f"{api.page}#/object/-/pods/default/trainer?tab=time")
        browser.see("scheduled to node-1 by kube-scheduler", ".steps-list")


def test_a_pod_links_to_its_claim_node_and_events(browser: Browser, api: FakeAPI) -> None:
    api.create(CLAIM)
    pod = new_pod("trainer")
    pod["spec"]["nodeName"] = "node-1"
    created = api.create(pod)
    reference = {"kind": "Pod", "namespace": "default", "name": "trainer", "uid": created["metadata"]["uid"]}
    metadata = {"name": "e", "namespace": "default"}
    api.create(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": metadata,
            "involvedObject": reference,
            "reason": "FailedPrepare",
            "message": "no driver",
            "type": "Warning",
        }
    )
    browser.open(f"{api.page}#/object/-/pods/default/trainer")
    browser.see("node-1 (missing)", "aside .links")
    assert "gpu (missing)" not in browser.text("aside .links")
    browser.see("FailedPrepare", "aside")
    browser.see("no driver", "aside")
    links = "return [...document.querySelectorAll('aside a')].map((e) => e.getAttribute('href'))"
    wanted = {"#/object/-/nodes/-/node-1", "#/object/resource.k8s.io/resourceclaims/default/gpu"}
    assert wanted <= set(browser.run(links))


def test_the_page_of_a_missing_object_offers_to_create_it(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/object/resource.k8s.io/deviceclasses/-/gpus")
    browser.see("deviceclasses 'gpus' does not exist")
    browser.click("Create gpus")
    text = "return document.querySelector('dialog textarea')?.value ?? ''"
    browser.wait(lambda: "name: gpus" in browser.run(text), "the editor with the name")
    focus = "return document.activeElement.tagName"
    browser.wait(lambda: browser.run(focus) == "TEXTAREA", "the focus in the editor")


def test_the_events_of_an_object_have_the_last_time_and_the_count(browser: Browser, api: FakeAPI) -> None:
    api.create(new_pod("trainer"))
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "trainer"},
        "reason": "FailedPrepare",
        "message": "no driver",
        "type": "Warning",
        "count": 1005,
        "firstTimestamp": "2020-01-01T00:00:00Z",
        "lastTimestamp": "2021-01-01T00:00:00Z",
    }
    api.create(event)
    browser.open(f"{api.page}#/object/-/pods/default/trainer")
    browser.see("\N{MULTIPLICATION SIGN}1,005 in", "aside .events")


# claims and devices -----------------------------------------------------------------------------


def test_claims_have_states_and_pending_ones_come_first(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    api.create({**CLAIM, "metadata": {"name": "waits"}})
    pod = api.create(new_pod("trainer"))
    api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}})
    browser.open(f"{api.page}#/claims")
    states = "return [...document.querySelectorAll('tbody .state')].map((e) => e.textContent)"
    browser.wait(lambda: browser.run(states) == ["pending", "reserved"], "a pending and a reserved claim")
    browser.see("node-1/gpu-0", "main table")
    browser.see("the cluster has no nodes", "main table")
    api.update_status({**pod, "status": {"phase": "Running"}})
    browser.wait(lambda: browser.run(states) == ["pending", "prepared"], "a prepared claim")
    browser.fill("#search", "trainer")
    browser.see("1 claim of 2")


def test_every_claim_can_be_reached(browser: Browser, api: FakeAPI) -> None:
    api.create_all([{**CLAIM, "metadata": {"name": f"c-{n:04}"}} for n in range(150)])
    browser.open(f"{api.page}#/claims")
    browser.see("150 claims")
    browser.click("▸ 150 claims")
    browser.see("c-0001", "main table")
    browser.run("document.querySelector('.table').scrollTop = 1e6")
    browser.see("c-0149", "main table")


def test_the_map_shows_devices_with_their_claims_and_pods(browser: Browser, api: FakeAPI) -> None:
    api.create_all([node("node-1"), node("node-2")])
    taint = {"key": "broken", "effect": "NoSchedule"}
    api.create(new_slice({"name": "gpu-0"}, {"name": "gpu-1", "taints": [taint]}, {"name": "gpu-2"}))
    claim = api.create(CLAIM)
    browser.open(f"{api.page}#/devices")
    browser.see("2 nodes, 3 devices of 1 driver")
    api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}})
    squares = "return [...document.querySelectorAll('.square')].map((e) => e.classList[1])"
    browser.wait(lambda: browser.run(squares) == ["reserved", "tainted", "free"], "the states of the devices")
    browser.see("1 of 3 free", ".pool")
    driver = "return [...document.querySelectorAll('.driver .numbers > span')].map((e) => e.textContent)"
    assert browser.run(driver) == ["1 reserved", "1 free", "1 tainted"]
    browser.run("document.querySelector('.pool').click()")
    browser.see("default/gpu → trainer", "dialog")
    browser.see("broken:NoSchedule", "dialog")
    browser.click("Close")
    browser.fill("#search", "trainer")
    browser.wait(lambda: "node-2" not in browser.text("main"), "only the node of the pod")
    assert browser.run("return document.querySelectorAll('.square.dim').length") == 2
    browser.fill("#search", "nothing-like-it")
    browser.see("No device matches")


def test_a_pending_pod_has_its_whole_reason(browser: Browser, api: FakeAPI) -> None:
    api.create(CLAIM)
    pod = api.create(new_pod("trainer"))
    message = (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 cannot allocate all claims. " + "x" * 300
    )
    reason = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    api.update_status({**pod, "status": {"phase": "Pending", "conditions": [reason]}})
    browser.open(f"{api.page}#/pending")
    browser.see("1 pod is pending. The pods use 1 pending claim")
    browser.see(message, ".waiting .reason")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth") is True


def test_a_pending_pod_is_explained_with_what_would_help(browser: Browser) -> None:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim") as api:
        api.create({"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}})
        resources = {"cpu": "4", "memory": "8Gi", "pods": "10"}
        created = api.create(node("node-1"))
        status = {"capacity": resources, "allocatable": resources}
        created = api.update_status({**created, "status": status})
        api.update({**created, "spec": {}})
        api.create_all([CLAIM, new_pod("trainer")])
        api.settle()
        browser.open(f"{api.page}#/pending")
        browser.see("request a", ".one-waiting .summary")
        browser.fill("#search", "node-1")
        browser.see("request a", ".one-waiting .summary")
        browser.fill("#search", "nothing-like-it")
        browser.see("Nothing pending matches")
        browser.open(f"{api.page}#/claims")
        browser.see("request a", "td.grow")
        browser.run("document.querySelector('td.grow a').click()")
        browser.see("request a", ".explained .answer")
        browser.open(f"{api.page}#/pending/claim/default/gpu")
        browser.see("pending", ".one-waiting[aria-current] .answer")
        browser.open(f"{api.page}#/pending/pod/default/trainer")
        browser.see("pending", ".explained .answer")
        browser.see("request a", ".explained")
        browser.run("document.querySelector('.nodes-explained summary').click()")
        browser.see("node-1", ".nodes-explained")
        browser.see("does not fit", ".nodes-explained")


def test_a_claim_that_waits_for_its_finalizers_is_among_the_pending_ones(
    browser: Browser, api: FakeAPI
) -> None:
    api.create({**CLAIM, "metadata": {"name": "gpu", "finalizers": ["example.com/keep"]}})
    api.delete("ResourceClaim", "gpu")
    browser.open(f"{api.page}#/pending")
    browser.see("1 claim is being deleted")
    browser.see("waits for finalizer example.com/keep", ".one-waiting .summary")


def test_the_timeline_of_a_claim_has_the_steps_of_its_pods(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    pod = api.create(new_pod("trainer"))
    api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}})
    api.update_status({**pod, "status": {"phase": "Running"}})
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=time")
    browser.see("pod trainer: Running", ".steps-list")


def test_the_timeline_has_writes_refused_writes_faults_and_events(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    with api.faults.conflict("resourceclaims/status", times=1, called="race"), pytest.raises(StatusError):
        api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    claim = api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    claim = api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}})
    api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=time")
    for text in (
        "created",
        "update refused: 409 Conflict",
        "fault race",
        "allocated",
        "released by pod trainer",
    ):
        browser.see(text, ".steps-list")
    order = browser.run("return [...document.querySelectorAll('.step strong')].map((e) => e.textContent)")
    assert order == [
        "created",
        "update refused: 409 Conflict",
        "allocated",
        "reserved for pod trainer",
        "released by pod trainer",
    ]
    assert browser.run("return document.querySelector('.lanes canvas').height") > 0


def test_a_timeline_has_times_of_whole_seconds_in_the_order_of_the_writes(
    browser: Browser, api: FakeAPI
) -> None:
    pod = new_pod("trainer")
    del pod["spec"]["resourceClaims"]
    api.create(pod)
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "trainer"}}
    target = {"apiVersion": "v1", "kind": "Node", "name": "node-1"}
    path = "/api/v1/namespaces/default/pods/trainer/binding"
    api.request("POST", path, body={**binding, "target": target})
    api.update_status({**api.get("Pod", "trainer"), "status": {"phase": "Running"}})
    browser.open(f"{api.page}#/object/-/pods/default/trainer?tab=time")
    browser.see("Running", ".steps-list")
    order = browser.run("return [...document.querySelectorAll('.step strong')].map((e) => e.textContent)")
    assert order == ["created", "scheduled to node-1", "Running"]
    assert "-" not in browser.text("main .object-main p.soft")


# traffic ----------------------------------------------------------------------------------------


def test_requests_come_with_code_and_actor(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/requests")
    browser.see("No request matches")
    with pytest.raises(StatusError, match="404"):
        api.get("Namespace", "nobody")
    browser.see('namespaces "nobody" not found', "main table")
    browser.see("fakeapi", "main table")


def test_requests_are_filtered_in_the_server_and_heartbeats_hidden(browser: Browser, api: FakeAPI) -> None:
    api.create(configmap("wanted"))
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "heartbeat"}}
    api.create(lease)
    for _ in range(400):
        api.request("GET", "/api/v1/namespaces/default")
    browser.open(f"{api.page}#/requests")
    browser.see("The newest 300 of ")
    assert "wanted" not in browser.text("main table")
    browser.fill("#search", "wanted")
    browser.see("wanted", "main table")
    browser.fill("#search", "")
    browser.fill("#verb", "create")
    browser.see("wanted", "main table")
    assert "heartbeat" not in browser.text("main table")
    browser.run("document.querySelector('#heartbeats').click()")
    browser.see("heartbeat", "main table")


def test_a_request_shows_its_bodies_as_curl_and_becomes_a_fault(browser: Browser, api: FakeAPI) -> None:
    created = api.create(configmap("a"))
    stale = {**created, "metadata": {**created["metadata"], "resourceVersion": "1"}}
    with pytest.raises(StatusError, match="409"):
        api.update(stale)
    number = max(each.number for each in api.requests)
    browser.open(f"{api.page}#/requests")
    open_request(browser, number)
    browser.see("x: first", "dialog")
    browser.see("reason: Conflict", "dialog")
    browser.see(f"curl -sS -X PUT {api.url}/api/v1/namespaces/default/configmaps/a", "dialog")
    assert "fakeapi.faults.refuse(" in browser.run("return document.querySelector('dialog').textContent")
    browser.click("Arm this fault")
    browser.see("refuse", "main table")
    with pytest.raises(StatusError, match="409"):
        api.update(created)
    api.update(created)


def test_requests_that_count_an_event_once_more_are_one_row(browser: Browser, api: FakeAPI) -> None:
    reference = {"kind": "Pod", "namespace": "default", "name": "trainer"}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": reference}
    api.create({**event, "reason": "A", "message": "a", "type": "Warning", "count": 1})
    for count in range(2, 9):
        api.patch("Event", "e", {"count": count})
    browser.open(f"{api.page}#/requests")
    browser.see("\N{MULTIPLICATION SIGN}7", "main table")
    assert browser.run("return document.querySelectorAll('tbody tr').length") == 2
    browser.see("in 2 rows: patches that count the same Event again share a row")
    browser.click("\N{MULTIPLICATION SIGN}7")
    browser.see("count: 8", "dialog")


def test_folded_requests_leave_room_for_others(browser: Browser, api: FakeAPI) -> None:
    api.create(configmap("early"))
    reference = {"kind": "Pod", "namespace": "default", "name": "trainer"}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": reference}
    api.create({**event, "reason": "A", "message": "a", "type": "Warning", "count": 1})
    for count in range(2, 330):
        api.patch("Event", "e", {"count": count})
    browser.open(f"{api.page}#/requests")
    browser.see("default/early", "main table")


def test_a_refused_create_has_its_generate_name_and_the_end_of_its_message(
    browser: Browser, api: FakeAPI
) -> None:
    path = "/api/v1/namespaces/nowhere/configmaps"
    with pytest.raises(StatusError, match="404"):
        api.request("POST", path, body={**configmap("a"), "metadata": {"generateName": "made-"}})
    with pytest.raises(StatusError, match="422"):
        api.create(configmap("Bad_Name"))
    browser.open(f"{api.page}#/requests")
    browser.see("configmaps nowhere/made-\N{HORIZONTAL ELLIPSIS}", "main table")
    message = "return document.querySelector('td.of-message').innerText"
    assert browser.run(message).startswith("metadata.name: Invalid value")
    browser.run("document.querySelector('td.of-message').click()")
    browser.see("Bad_Name", "dialog")


def test_requests_that_come_too_fast_are_counted(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/requests")
    browser.see("No request matches")

    def are_counted() -> bool:
        for _ in range(300):
            api.request("GET", "/api/v1/namespaces")
        return "came too fast and are not shown" in browser.text("main")

    browser.wait(are_counted, "the number of requests that are not shown")
    assert browser.run("return document.querySelectorAll('tbody tr').length") < 200
    browser.click("Pause")
    shown = browser.text("main table")
    api.request("GET", "/api/v1/namespaces/kube-system")
    assert browser.text("main table") == shown
    browser.click("Resume")
    browser.see("kube-system", "main table")


def test_open_watches_are_listed(browser: Browser, api: FakeAPI) -> None:
    with FakeAPI(release="1.36", controllers="resourceclaim") as server:
        browser.open(f"{server.page}#/watches")
        browser.see("resourceclaims", "main table")
        browser.see("shared-informers", "main table")


# control ----------------------------------------------------------------------------------------


def test_a_fault_armed_with_a_click_fails_the_next_request(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    browser.open(f"{api.page}#/faults")
    browser.see("No fault is armed")
    browser.fill("#target", "resourceclaims/status")
    browser.fill("#times", "1")
    browser.click("Arm conflict")
    browser.see("conflict", "main table")
    with pytest.raises(StatusError, match="409"):
        api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    fired = "return document.querySelector('tbody td:nth-child(6)').textContent"
    browser.wait(lambda: browser.run(fired) == "1", "the count of affected requests")
    browser.click("Disarm conflict")
    browser.see("No fault is armed")
    browser.fill("#rule", "{")
    browser.click("Arm the rule")
    browser.see("The rule is not JSON")


def test_a_suggested_change_is_applied_after_a_panel_says_what_it_does(browser: Browser) -> None:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim") as api:
        cordoned = {**node("node-1"), "spec": {"unschedulable": True}}
        api.create(cordoned)
        api.update_status({**api.get("Node", "node-1"), "status": {"allocatable": {"pods": "9", "cpu": "4"}}})
        pod = new_pod("trainer")
        del pod["spec"]["resourceClaims"]
        api.create(pod)
        api.settle()
        browser.open(f"{api.page}#/pending/pod/default/trainer")
        browser.click("Uncordon Node node-1…")
        browser.see("Removes spec.unschedulable from Node node-1", "dialog")
        browser.see("kubectl uncordon node-1", "dialog")
        browser.see('fakeapi.patch("Node", "node-1", {"spec": {"unschedulable": None}})', "dialog")
        assert api.get("Node", "node-1")["spec"]["unschedulable"] is True
        browser.click("Uncordon")
        browser.wait(lambda: "unschedulable" not in api.get("Node", "node-1")["spec"], "the change")


def test_a_suggested_deletion_says_what_it_does(browser: Browser) -> None:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim") as api:
        api.create_all([node("node-1"), new_slice({"name": "gpu-0"})])
        status = {"allocatable": {"pods": "9"}, "conditions": [{"type": "Ready", "status": "True"}]}
        ready = api.update_status({**api.get("Node", "node-1"), "status": status})
        api.update({**ready, "spec": {}})  # without the taint of a new node
        spec = {"selectors": [{"cel": {"expression": "true"}}]}
        api.create({"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": spec})
        for name in ("first", "second"):
            api.create({**CLAIM, "metadata": {"name": name}})
            api.create(new_pod(name, name))
            api.settle()
        browser.open(f"{api.page}#/pending/pod/default/second")
        browser.click("Delete Pod default/first…")
        browser.see("Deletes Pod default/first.", "dialog")
        browser.see("kubectl delete pods first -n default", "dialog")
        browser.see('fakeapi.delete("Pod", "first", namespace="default")', "dialog")
        browser.click("Delete")
        # Without a kubelet, the pod stays.
        browser.wait(lambda: "deletionTimestamp" in api.get("Pod", "first")["metadata"], "the deletion")


def test_a_snapshot_is_taken_and_restored_with_a_click(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/clock")
    browser.click("Take a snapshot")
    browser.see("1 snapshot")
    api.create_namespace("goes-again")
    browser.click("Compare with now: base")
    browser.see("namespaces goes-again")
    browser.click("Restore: base")
    browser.click("Restore base now")
    browser.wait(lambda: len(api.list("Namespace")) == 4, "the restored state")
    browser.click("Delete: base")
    browser.click("Delete base now")
    browser.see("No snapshot is kept")


def test_the_clock_is_frozen_and_advanced_with_a_click(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/clock")
    browser.click("Freeze")
    browser.see("frozen", "#now")
    before = api.clock.now()
    browser.click("Advance by 60 s")
    browser.wait(lambda: api.clock.now() == before + 60, "the advanced clock")
    same = browser.run("return document.querySelector('.same').textContent")
    assert "fakeapi.clock.advance(60)" in same
    assert "fakeapi clock advance 60" in same
    browser.click("Resume")
    browser.see("running, adjusted", "#now")


def test_a_simulated_driver_is_stopped_and_its_devices_are_broken_with_a_click(browser: Browser) -> None:
    drivers = {"gpu.example.com": 2}
    with FakeAPI(release="1.36", controllers="kubelet", nodes="node-1", drivers=drivers) as api:
        browser.open(f"{api.page}#/controllers")
        browser.see("runs on 1 node", ".drivers-card")
        browser.click("Stop")
        browser.see("stopped", ".drivers-card")
        browser.click("Start")
        browser.see("runs on 1 node", ".drivers-card")
        api.driver("gpu.example.com").prepare(error="firmware is locked")
        browser.see("fails: firmware is locked", ".drivers-card .pill.bad")
        browser.open(f"{api.page}#/devices")
        browser.wait(lambda: browser.run("return Boolean(document.querySelector('.pool'))"), "the pool")
        browser.run("document.querySelector('.pool').click()")
        browser.click("Taint")
        browser.see("fakeapi.example.com/broken:NoSchedule", "dialog")


def test_controllers_are_listed_with_what_they_do(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/controllers")
    browser.see("No controller runs in this server")
    with FakeAPI(release="1.36", controllers="resourceclaim,garbagecollector") as server:
        browser.open(f"{server.page}#/controllers")
        browser.see("garbagecollector", "main table")


# the frame --------------------------------------------------------------------------------------


def test_the_page_of_a_server_with_a_token_asks_for_the_token_first(browser: Browser) -> None:
    with FakeAPI(token="let-me-in") as api:
        api.create(new_pod("waits"))
        browser.open("about:blank")
        browser.open(f"{api.page}#/objects/-/namespaces")
        browser.see("This server asks for its token", "body")
        assert "kube-system" not in browser.text("body")
        assert "is pending" not in browser.text("nav")
        browser.fill("#token-value", "let-me-in")
        browser.click("Continue")
        browser.see("kube-system")
        browser.see("1 pod is pending", "nav")


def test_the_page_reports_an_unknown_view(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/nonsense")
    browser.see("There is no such view")
    browser.run("document.querySelector('.views a[href=\"#/clock\"]').click()")
    browser.see("Clock and snapshots", "main h1")


def test_the_navigation_shows_the_number_of_pending_pods(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/devices")
    api.create(new_pod("waits"))
    browser.see("1 pod is pending", "nav")
    api.delete("Pod", "waits")
    browser.wait(lambda: "is pending" not in browser.text("nav"), "no pending pod")


def test_the_page_describes_the_releases_in_the_words_of_serve(browser: Browser) -> None:
    with FakeAPI() as server:
        browser.open(server.page)
        browser.see(default_description(), "#state")
        navigation = "const e = document.querySelector('.side'); return e.scrollWidth <= e.clientWidth"
        assert browser.run(navigation) is True


def test_keys_open_views_search_and_help(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/requests")
    browser.see("Requests", "main h1")
    browser.press("g", "c")
    browser.see("Claims", "main h1")
    browser.press("/")
    assert browser.run("return document.activeElement.id") == "search"
    browser.run("document.activeElement.blur()")
    browser.press("?")
    browser.see("Keyboard", "dialog h2")
    browser.press("?")
    browser.wait(
        lambda: not browser.run("return Boolean(document.querySelector('dialog'))"), "the closed help"
    )


def test_the_keyboard_is_not_lost_when_a_view_is_drawn_anew(browser: Browser, api: FakeAPI) -> None:
    api.faults.conflict("pods", called="mine")
    fault = api.faults.forbidden("list namespaces", called="other")
    browser.open(f"{api.page}#/faults")
    script = (
        "const e = document.querySelector('button[aria-label=\"Disarm mine\"]');"
        "if (e) e.focus(); return Boolean(e)"
    )
    browser.wait(lambda: browser.run(script), "the button")
    with pytest.raises(StatusError):
        api.list("Namespace")
    assert fault.fired == 1
    browser.wait(
        lambda: browser.run("return document.querySelector('tbody .good')?.textContent") == "1", "the fault"
    )
    assert browser.run("return document.activeElement.ariaLabel") == "Disarm mine"


def test_hostile_text_in_objects_stays_text_in_every_view(browser: Browser, api: FakeAPI) -> None:
    text = "<img src=x onerror=document.title='taken'><script>document.title='taken'</script>\"'>${1}</td>"
    path = "javascript:document.title='taken'"
    api.create(configmap("a", text))
    api.create(node("node-1"))
    attributes = {"productName": {"string": text[:60]}}
    api.create(new_slice({"name": "gpu-0", "attributes": attributes}))
    claim = api.create({**CLAIM, "metadata": {"name": "gpu", "annotations": {"note": text}}})
    api.update_status(
        {**claim, "status": {"allocation": ALLOCATION, "reservedFor": [{**CONSUMER, "name": "x"}]}}
    )
    pod = api.create(new_pod("trainer"))
    reason = {"type": "PodScheduled", "status": "False", "reason": "A", "message": text}
    api.update_status(
        {**pod, "status": {"phase": "Pending", "reason": text, "message": text, "conditions": [reason]}}
    )
    reference = {"kind": "Pod", "namespace": "default", "name": "trainer"}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": reference}
    api.create(
        {**event, "reason": text[:100], "message": text, "type": "Warning", "source": {"component": path}}
    )
    api.faults.refuse("list secrets", code=400, reason=text, message=text)
    with pytest.raises(StatusError):
        api.list("Secret")
    number = max(each.number for each in api.requests)
    pages = [f"#/{view}" for view in VIEWS] + [
        "#/objects/-/events",
        "#/object/-/configmaps/default/a",
        "#/object/-/pods/default/trainer",
        "#/object/-/pods/default/trainer?tab=time",
        "#/object/resource.k8s.io/resourceclaims/default/gpu?tab=history",
        f"#/objects/{text.replace('/', '%2F')}/pods",
        "#/object/-/pods/default/%E0%A4%A",
    ]
    for page in pages:
        browser.open("about:blank")
        browser.open(f"{api.page}{page}")
        browser.wait(lambda: browser.text("main h1, main h2, main .problem"), f"the view {page}")
        assert browser.run("return document.querySelectorAll('main img, main script').length") == 0, page
        assert "taken" not in browser.run("return document.title.replace(location.hash, '')"), page
        links = browser.run("return [...document.querySelectorAll('a')].map((e) => e.protocol)")
        assert "javascript:" not in links, page
    browser.open(f"{api.page}#/requests")
    open_request(browser, number)
    browser.see("onerror", "dialog")
    assert browser.run("return document.querySelectorAll('dialog img').length") == 0
