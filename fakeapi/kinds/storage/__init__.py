"""The group storage.k8s.io: storage classes, CSI drivers and the attachment of volumes."""

from fakeapi.kinds.storage.csi_driver import CSI_DRIVER
from fakeapi.kinds.storage.csi_node import CSI_NODE
from fakeapi.kinds.storage.csi_storage_capacity import CSI_STORAGE_CAPACITY
from fakeapi.kinds.storage.storage_class import STORAGE_CLASS
from fakeapi.kinds.storage.volume_attachment import VOLUME_ATTACHMENT
from fakeapi.kinds.storage.volume_attributes_class import VOLUME_ATTRIBUTES_CLASS

KINDS = (
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
    VOLUME_ATTRIBUTES_CLASS,
)
