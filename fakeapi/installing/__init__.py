"""Installing: puts manifests into a server, in the order that they need.

`documents` reads text, `sources` finds manifests in files and directories, `plan` checks and orders them,
`installer` applies them through the API, `application` does so at each start and each reset of a server.
"""
