"""Installing: puts manifests into a server in dependency order.

`documents` reads text, `sources` finds manifests in files and directories, `plan` checks and orders them,
`installer` applies them through the API, and `manifest_installer` does so at each start and each reset.
"""
