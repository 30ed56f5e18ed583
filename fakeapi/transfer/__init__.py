"""Transfer: exports objects from any cluster as plain manifests, and imports manifests into a server.

| module | contents |
|---|---|
| `served`, `selection` | the resources of a server, and the choice of the objects to read |
| `reading`, `cluster`, `exporting` | read the chosen objects of a server, of any cluster, and for an export |
| `database` | serves a copy of a database, so that exports can read it |
| `manifests`, `yaml_text`, `files` | turn objects into plain manifests, and write them as YAML and to files |
| `importing` | applies manifests to a server |
| `bounds` | the limits of reading |
"""
