"""The launcher: a separate program that starts one process of a container in new namespaces.

The server starts a launcher for each container and for each command in a container. The launcher imports only
the standard library, so that it starts quickly.
"""
