"""The SQL statements of a SQLite database, which `python -m tools.sqlite_statements` has compiled."""
# ruff: noqa: E501 - each statement is one line

CREATE_LOG = 'CREATE TABLE log ( revision INTEGER NOT NULL, "key" TEXT NOT NULL, created INTEGER NOT NULL, previous INTEGER NOT NULL, deleted BOOLEAN NOT NULL, value BLOB, checksum INTEGER NOT NULL, PRIMARY KEY (revision), UNIQUE ("key", previous) )'
CREATE_META = "CREATE TABLE meta ( compacted INTEGER NOT NULL, format INTEGER NOT NULL )"
CREATE_LABEL = "CREATE TABLE label ( name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name) )"
APPEND = 'INSERT INTO log (revision, "key", created, previous, deleted, value, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)'
READ = 'SELECT log.revision, log."key", log.created, log.previous, log.deleted, log.value, log.checksum FROM log WHERE log.revision > ? ORDER BY log.revision'
FORGET = "DELETE FROM log WHERE log.revision = ?"
WIPE = "DELETE FROM log"
INSERT_META = "INSERT INTO meta (compacted, format) VALUES (?, ?)"
READ_META = "SELECT meta.compacted FROM meta"
READ_FORMAT = "SELECT meta.format FROM meta"
COMPACT = "UPDATE meta SET compacted=?"
READ_LABELS = "SELECT label.name, label.value FROM label"
DELETE_LABELS = "DELETE FROM label"
INSERT_LABEL = "INSERT INTO label (name, value) VALUES (?, ?)"
