"""Transfer: exports objects from any cluster as plain manifests, and imports manifests into a server.

`remote` sends the requests, `kinds` and `selection` determine the objects to read, `reading` reads them,
`manifests` makes plain manifests of them, `files` writes these, `importing` applies them.
"""
