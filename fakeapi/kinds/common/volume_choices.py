"""The valid values of fields in the volume sources of pods and PersistentVolumes.

Follows `validateHostPathType` and `validateAzureDisk` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from typing import Final

HOST_PATH_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
CACHING_MODES: Final = ("None", "ReadOnly", "ReadWrite")
DISK_KINDS: Final = ("Dedicated", "Managed", "Shared")
MANAGED_DISK: Final = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
)
BLOB_DISK: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
HOST_AND_PORT: Final = "must be a host:port pair or multiple pairs separated by commas"
