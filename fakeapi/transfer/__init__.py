"""Transfer: exports objects from any cluster as plain manifests, and imports manifests into a server.

| module | contents |
|---|---|
| `served`, `selection` | the resources of a server, and the choice of the objects to read |
| `reading` | reads the selected objects of a server page by page |
| `cluster` | reads objects of a real cluster, with their namespaces and without credentials |
| `exporting` | exports the objects of a fakeapi server or of a real cluster |
| `database` | serves a copy of a database, so that exports can read it |
| `manifests`, `yaml_text`, `files` | convert objects to manifests, and write these as YAML and to files |
| `importing` | applies manifests to a server |
| `bounds` | the limits of reading |
"""
