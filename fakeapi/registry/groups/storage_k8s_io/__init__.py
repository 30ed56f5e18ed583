"""The group storage.k8s.io: what volumes are made of, by whom, and where they are attached."""

from fakeapi.registry.groups.storage_k8s_io.csi_driver import CSI_DRIVER
from fakeapi.registry.groups.storage_k8s_io.csi_node import CSI_NODE
from fakeapi.registry.groups.storage_k8s_io.csi_storage_capacity import CSI_STORAGE_CAPACITY
from fakeapi.registry.groups.storage_k8s_io.storage_class import STORAGE_CLASS
from fakeapi.registry.groups.storage_k8s_io.volume_attachment import VOLUME_ATTACHMENT
from fakeapi.registry.groups.storage_k8s_io.volume_attributes_class import VOLUME_ATTRIBUTES_CLASS

KINDS = (
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
    VOLUME_ATTRIBUTES_CLASS,
)
