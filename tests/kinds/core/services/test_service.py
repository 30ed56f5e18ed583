"""Service: validation, and the cluster IPs and node ports that the server chooses."""

from typing import Any

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, canonical, resource_of

IPS, FAMILIES, POLICY = "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy"


def services(release: str = "1.33") -> Resource:
    return resource_of(release, "", "v1", "services")


def service(**spec: Any) -> Body:
    return {"spec": {"selector": {"app": "a"}, "ports": [{"port": 80}], **spec}}


def _texts(error: ApiError) -> list[str]:
    causes = () if error.details is None else error.details.causes
    return [f"{each.field}: {each.message}" for each in causes]


def begun(body: Body, release: str = "1.33", *, dry_run: bool = False) -> Body:
    """Returns a new Service as the server stores it, with the chosen addresses and ports."""
    resource = services(release)
    assert resource.hooks is not None
    obj = resource.hooks.begin_create(canonical(resource, body), dry_run=dry_run)
    return resource.strategy_for("").prepare_create(obj)


def refused(body: Body, release: str = "1.33") -> list[str]:
    """Validates a new Service; returns the errors as `field: message`, [] if there are none."""
    try:
        obj = begun(body, release)
    except ApiError as error:
        return (
            []
            if error.details is None
            else [f"{each.field}: {each.message}" for each in error.details.causes]
        )
    return [str(error) for error in services(release).strategy_for("").validate_create(obj)]


def changed(body: Body, update: Body, release: str = "1.33") -> tuple[Body, list[str]]:
    """Creates a Service and updates it; returns the updated Service and the errors of the update.

    The Service is {} if the server cannot allocate its addresses or ports.
    """
    resource, old = services(release), begun(body, release)
    assert resource.hooks is not None
    strategy = resource.strategy_for("")
    try:
        new = resource.hooks.begin_update(canonical(resource, update), old, dry_run=False)
    except ApiError as error:
        return {}, _texts(error)
    new = strategy.prepare_update(new, old)
    return new, [str(error) for error in strategy.validate_update(new, old)]


def test_a_service_is_given_an_address_of_its_family() -> None:
    spec = begun(service())["spec"]
    assert spec["clusterIPs"] == [spec["clusterIP"]]
    assert spec["clusterIP"].startswith("10.0.0.")
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4"], "SingleStack")


@pytest.mark.parametrize(
    ("given", "families", "policy"),
    [
        (service(clusterIP="None"), ["IPv4"], "SingleStack"),
        ({"spec": {"clusterIP": "None"}}, ["IPv4", "IPv6"], "RequireDualStack"),
        ({"spec": {"clusterIP": "None", "ipFamilies": ["IPv6"]}}, ["IPv6", "IPv4"], "RequireDualStack"),
        ({"spec": {"clusterIP": "None", "ipFamilyPolicy": "SingleStack"}}, ["IPv4"], "SingleStack"),
        (service(ipFamilyPolicy="PreferDualStack"), ["IPv4"], "PreferDualStack"),
    ],
)
def test_families_are_filled_in(given: Body, families: list[str], policy: str) -> None:
    spec = begun(given)["spec"]
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (families, policy)


def test_external_names_have_no_address() -> None:
    spec = begun({"spec": {"type": "ExternalName", "externalName": "example.com"}})["spec"]
    assert not {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"} & set(
        spec
    )


def test_node_ports_are_given_where_the_type_has_them() -> None:
    ports = [
        {"name": "a", "port": 80},
        {"name": "b", "port": 80, "protocol": "UDP"},
        {"name": "c", "port": 81},
    ]
    values = [port.get("nodePort") for port in begun(service(type="NodePort", ports=ports))["spec"]["ports"]]
    assert values[0] == values[1] != values[2]
    assert all(30000 <= port <= 32767 for port in values)
    unallocated = service(type="LoadBalancer", allocateLoadBalancerNodePorts=False)
    assert "nodePort" not in begun(unallocated)["spec"]["ports"][0]
    local = begun(service(type="LoadBalancer", externalTrafficPolicy="Local"))
    assert 30000 <= local["spec"]["healthCheckNodePort"] <= 32767


def test_a_dry_run_shows_numbers_that_no_service_has() -> None:
    spec = begun(service(type="NodePort"), dry_run=True)["spec"]
    assert (spec["clusterIP"], spec["ports"][0]["nodePort"]) == ("10.0.0.0", 32769)


RANGE = "The range of valid ports is 30000-32767"
NODE_PORT = "spec.ports[0].nodePort"
LOCAL_ONLY = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
AFFINITY = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
BALANCER_ONLY = "Forbidden: may only be used when `type` is 'LoadBalancer'"
SUPPORTED = 'supported values: "PreferClose"'


@pytest.mark.parametrize(
    ("body", "field", "problem"),
    [
        (service(ports=[]), "spec.ports", "Required value"),
        (service(clusterIP="x"), f"{IPS}[0]", "must be a valid IP address"),
        (service(clusterIP="1.2.3.4"), IPS, "the provided network does not match the current range"),
        (service(ipFamilyPolicy="RequireDualStack"), POLICY, "this cluster is not configured for dual-stack"),
        (service(ipFamilies=["IPv6"]), f"{FAMILIES}[0]", "not configured on this cluster"),
        (service(type="NodePort", clusterIP="None"), f"{IPS}[0]", "may not be set to 'None' for NodePort"),
        (service(type="NodePort", ports=[{"port": 80, "nodePort": 80}]), NODE_PORT, RANGE),
        (service(ports=[{"port": 80, "nodePort": 30080}]), NODE_PORT, "when `type` is 'ClusterIP'"),
        (service(ports=[{"port": 80}, {"port": 81, "name": "a"}]), "spec.ports[0].name", "Required value"),
        (service(loadBalancerSourceRanges=["10.0.0.0/8"]), "spec.LoadBalancerSourceRanges", BALANCER_ONLY),
        (
            service(type="LoadBalancer", loadBalancerSourceRanges=[" 10.0.0.0/8 ", "x"]),
            "spec.LoadBalancerSourceRanges[1]",
            "must be a valid CIDR value",
        ),
        (
            service(sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": {"timeoutSeconds": 0}}),
            AFFINITY,
            "must be greater than 0 and less than 86400",
        ),
        (service(externalTrafficPolicy="Local"), "spec.externalTrafficPolicy", "externally-accessible"),
        (service(healthCheckNodePort=30000), "spec.healthCheckNodePort", LOCAL_ONLY),
        (service(externalIPs=["127.0.0.1"]), "spec.externalIPs[0]", "may not be in the loopback range"),
        (service(trafficDistribution="PreferSameNode"), "spec.trafficDistribution", SUPPORTED),
        (service(loadBalancerClass="example.com/a"), "spec.loadBalancerClass", BALANCER_ONLY),
        (service(allocateLoadBalancerNodePorts=True), "spec.allocateLoadBalancerNodePorts", BALANCER_ONLY),
        (service(internalTrafficPolicy="Odd"), "spec.internalTrafficPolicy", "Unsupported value"),
    ],
)
def test_a_service_says_only_what_its_type_allows(body: Body, field: str, problem: str) -> None:
    (error,) = refused(body)
    assert error.startswith(f"{field}: ")
    assert problem in error


def test_rules_differ_by_release() -> None:
    far = service(trafficDistribution="PreferSameNode")
    assert refused(far, "1.34") == []
    kubelet = service(type="LoadBalancer", ports=[{"port": 10250}])
    assert len(refused(kubelet, "1.32")) == 1
    assert refused(kubelet) == []
    outside = service(externalIPs=["192.0.2.1"], externalTrafficPolicy="Local")
    assert refused(outside) == []
    assert len(refused(outside, "1.28")) == 1
    assert refused(service(externalIPs=["192.0.2.1"]), "1.28") == []


def test_a_manifest_can_be_sent_again() -> None:
    sent = service(type="NodePort")
    new, errors = changed(sent, sent)
    assert errors == []
    assert new["spec"]["clusterIP"]
    assert new["spec"]["ports"][0]["nodePort"]


def test_an_address_stays_as_it_was_given() -> None:
    _, errors = changed(service(), service(clusterIP="10.0.0.250"))
    assert errors == [f'{IPS}[0]: Invalid value: []string{{"10.0.0.250"}}: may not change once set']


def test_another_type_drops_what_it_does_not_need() -> None:
    new, errors = changed(service(type="NodePort"), service(type="ClusterIP"))
    assert errors == []
    assert "nodePort" not in new["spec"]["ports"][0]
    assert "externalTrafficPolicy" not in new["spec"]
    named = {"spec": {"type": "ExternalName", "externalName": "example.com", "sessionAffinity": "None"}}
    new, errors = changed(service(), named)
    assert errors == []
    assert "clusterIP" not in new["spec"]


def test_a_second_family_that_there_is_no_range_of_is_an_internal_error() -> None:
    """The server responds with 500, because Kubernetes' server panics for this change before validation."""
    resource = services()
    assert resource.hooks is not None
    new = canonical(resource, {"spec": {"clusterIP": "None", "ipFamilyPolicy": "RequireDualStack"}})
    with pytest.raises(ApiError, match="panic") as refused_by:
        resource.hooks.begin_update(new, begun(service()), dry_run=False)
    assert refused_by.value.code == 500


def test_a_status_names_the_points_of_a_load_balancer() -> None:
    resource = services()
    strategy = resource.strategy_for("status")
    balanced = begun(service(type="LoadBalancer"))

    def errors_of(old: Body, **point: str) -> list[str]:
        new = {**old, "status": {"loadBalancer": {"ingress": [point]}}}
        return [str(error) for error in strategy.validate_update(new, old)]

    path = "status.loadBalancer.ingress"
    assert errors_of(balanced, ip="1.2.3.4", ipMode="VIP") == []
    assert errors_of(balanced, ip="1.2.3.4") == [
        f"{path}[0].ipMode: Required value: must be specified when `ip` is set"
    ]
    assert errors_of(begun(service()), ip="1.2.3.4", ipMode="VIP") == [
        f"{path}: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"
    ]


@pytest.mark.parametrize(
    ("release", "body", "warnings"),
    [
        ("1.33", service(externalName="example.com"), 1),
        ("1.27", service(externalName="example.com"), 0),
        ("1.34", service(clusterIP="None", sessionAffinity="ClientIP"), 1),
        ("1.33", service(clusterIP="None", sessionAffinity="ClientIP"), 0),
        ("1.36", service(externalIPs=["192.0.2.1"]), 1),
        ("1.35", service(trafficDistribution="PreferClose"), 1),
        ("1.32", service(type="LoadBalancer", loadBalancerIP="x"), 1),
    ],
)
def test_what_no_one_heeds_is_warned_of(release: str, body: Body, warnings: int) -> None:
    strategy = services(release).strategy_for("")
    assert len(strategy.warnings_on_create(begun(body, release))) == warnings


def test_names_of_services_begin_with_a_letter_until_they_need_not() -> None:
    assert services("1.35").name_validator("0a", False)
    assert services("1.36").name_validator("0a", False) == []


def test_services_are_selected_by_type_and_address_where_the_release_has_it() -> None:
    assert "spec.type" in services("1.31").field_labels.labels
    assert "spec.type" not in services("1.30").field_labels.labels


def test_tables_show_how_a_service_is_reached() -> None:
    resource = services()
    cells = {column.name: column.cell for column in resource.columns}
    obj = begun(service(type="LoadBalancer", externalIPs=["192.0.2.1"]))
    port = obj["spec"]["ports"][0]["nodePort"]
    assert cells["External-IP"](obj, 0) == "192.0.2.1"
    assert cells["Port(s)"](obj, 0) == f"80:{port}/TCP"
    assert cells["Selector"](obj, 0) == "app=a"
