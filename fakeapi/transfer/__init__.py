"""Transfer: objects as plain manifests, read from any cluster by GET, and put into a server.

`remote` asks over HTTP, `kinds` and `selection` say what is read, `reading` reads it, `manifests` and
`references` make plain manifests of it, `files` writes them, `importing` applies them.
"""
