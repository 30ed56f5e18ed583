"""Installing: puts manifests into a server in dependency order.

`documents` reads text, `sources` finds manifests in files and directories, `plan` checks and orders them,
`installer` applies them through the API, `manifest_installer` applies them at each start and each reset of a server.
"""
