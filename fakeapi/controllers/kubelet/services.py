"""The gRPC services of DRA drivers, by the names that drivers register."""

NEW_SERVICES = {
    "v1.DRAPlugin": "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/",
    "v1beta1.DRAPlugin": "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/",
    "v1alpha4.Node": "/v1alpha3.Node/",
}
"""Prefix of the gRPC method names, by the service name that a DRA driver registers."""

SERVICES = tuple(NEW_SERVICES)
OLD_BATCH = "/v1alpha3.Node/"
OLD_SINGLE = "/v1alpha2.Node/"
