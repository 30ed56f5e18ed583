"""The core group, `v1`.

Its kinds are imported one by one: every server needs namespaces, and few need them all.
"""

KINDS = {
    "bindings": "binding.BINDING",
    "namespaces": "namespace.NAMESPACE",
    "pods": "pod.POD",
}
"""Where the definition of each resource stands."""
