"""Installing: puts manifests into a server in dependency order.

| module | contents |
|---|---|
| `sources` | finds manifests in text, files and directories |
| `references` | finds the references between objects |
| `plan` | checks manifests and puts them in order |
| `installer` | applies manifests through the API of a server |
| `manifest_installer` | installs manifests at each start and each reset of a server |
"""
