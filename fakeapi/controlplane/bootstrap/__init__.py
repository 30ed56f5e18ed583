"""The objects that the server itself makes in a new cluster, beside its namespaces.

They are made when their resource is first asked for, so that a server that is never asked costs nothing.
`making` says which module knows those of a resource.
"""
