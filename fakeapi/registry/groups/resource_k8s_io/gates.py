"""The gates that fields of resource.k8s.io are behind."""

ADMIN_ACCESS = "DRAAdminAccess"
CONTROL_PLANE_CONTROLLER = "DRAControlPlaneController"
DEVICE_STATUS = "DRAResourceClaimDeviceStatus"
DEVICE_TAINTS = "DRADeviceTaints"
PARTITIONABLE_DEVICES = "DRAPartitionableDevices"
PRIORITIZED_LIST = "DRAPrioritizedList"
