"""The Go names of fields, which are not always the capitalized JSON names.

Follows the types of k8s.io/api and of k8s.io/kubernetes `pkg/apis`, which have the same names.
"""

from fakeapi.machinery.schema.nodes import Struct

_SPELLED = {
    "cel": "CEL",
    "cidr": "CIDR",
    "cidrs": "CIDRs",
    "uid": "UID",
    "ip": "IP",
    "ips": "IPs",
    "tty": "TTY",
    "os": "OS",
    "nfs": "NFS",
    "iscsi": "ISCSI",
    "rbd": "RBD",
    "cephfs": "CephFS",
    "fc": "FC",
    "csi": "CSI",
    "storageos": "StorageOS",
    "gcePersistentDisk": "GCEPersistentDisk",
    "awsElasticBlockStore": "AWSElasticBlockStore",
    "pdName": "PDName",
    "fsType": "FSType",
    "iqn": "IQN",
    "iscsiInterface": "ISCSIInterface",
    "chapAuthDiscovery": "DiscoveryCHAPAuth",
    "chapAuthSession": "SessionCHAPAuth",
    "wwids": "WWIDs",
    "diskURI": "DataDiskURI",
    "sslEnabled": "SSLEnabled",
    "dnsPolicy": "DNSPolicy",
    "dnsConfig": "DNSConfig",
    "httpGet": "HTTPGet",
    "httpHeaders": "HTTPHeaders",
    "tcpSocket": "TCPSocket",
    "grpc": "GRPC",
    "seLinuxOptions": "SELinuxOptions",
    "seLinuxChangePolicy": "SELinuxChangePolicy",
    "gmsaCredentialSpecName": "GMSACredentialSpecName",
    "gmsaCredentialSpec": "GMSACredentialSpec",
    "fsGroup": "FSGroup",
    "fsGroupChangePolicy": "FSGroupChangePolicy",
    "apiGroup": "APIGroup",
    "apiGroups": "APIGroups",
    "apiVersion": "APIVersion",
    "apiVersions": "APIVersions",
    "nodeID": "NodeID",
}
_RBD = {"monitors": "CephMonitors", "image": "RBDImage", "pool": "RBDPool", "user": "RadosUser"}
_GLUSTERFS = {"endpoints": "EndpointsName"}
_OF_TYPES = {
    "GlusterfsVolumeSource": _GLUSTERFS,
    "PodSpec": {"serviceAccount": "DeprecatedServiceAccount"},
    "GlusterfsPersistentVolumeSource": _GLUSTERFS,
    "RBDVolumeSource": _RBD,
    "RBDPersistentVolumeSource": _RBD,
}
"""Go names of fields that only one type has: type name -> JSON name -> Go name."""
_ATTRIBUTE_VALUES = frozenset(("int", "bool", "string", "version"))


def go_name(name: str, struct: Struct) -> str:
    """Returns the Go name of a field of a struct from its JSON name: `uid` gives `UID`."""
    type_name = struct.go_type.rpartition(".")[2]
    if type_name == "DeviceAttribute":
        singular = name.removesuffix("s") if name not in _ATTRIBUTE_VALUES else name
        return singular.capitalize() + ("Value" if singular == name else "Values")
    of_type = _OF_TYPES.get(type_name, {}).get(name)
    return of_type or _SPELLED.get(name) or name[0].upper() + name[1:]
