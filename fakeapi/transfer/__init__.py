"""Exports objects from any cluster as plain manifests, and imports manifests into a server.

| module | contents |
|---|---|
| `served` | discovers the resources of a server |
| `selection` | selects the objects to read |
| `reading` | reads the selected objects of a server page by page |
| `cluster` | reads objects of a real cluster, with their namespaces and without credentials |
| `exporting` | exports the objects of a fakeapi server or of a real cluster |
| `database` | serves a copy of a database, so that an export can read the copy |
| `manifests`, `yaml_text`, `files` | convert objects to manifests, and write these as YAML and to files |
| `importing` | applies manifests to a server |
| `bounds` | limits the numbers of objects, pages, resources and versions to read |
"""
