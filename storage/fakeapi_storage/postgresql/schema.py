"""The tables and functions of a PostgreSQL database, and the statements that use them.

`fakeapi_log` has a row for each change, like the log in SQLite. `fakeapi_state` has one row. A write locks
this row until the write is committed. Therefore revisions have no gaps, and become visible in their order.

Every change of `fakeapi_log` is one call of a function, in its own transaction. A server never has an open
transaction between two messages. Therefore a server that is stopped or disconnected holds no lock.
"""

from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, MetaData, Table, Text, true

SCHEMA_VERSION = 1
"""Version of the tables and functions. The table `fakeapi_state` records the version."""

PREFIX = "fakeapi_"
"""The beginning of the names of all tables and functions."""

CHANNEL = "fakeapi_log"
"""The channel for notifications of changes.

The payload is the new revision, or empty if the whole log was replaced.
"""

OPENING_LOCK = 0x66616B65
"""The advisory lock of a server that checks whether the tables exist, and creates missing tables."""

COMPACTING_LOCK = OPENING_LOCK + 1
"""The advisory lock of the server that compacts."""

JOINING_LOCK = OPENING_LOCK + 2
"""The advisory lock of a session that checks the other sessions and then sets its own name."""

_metadata = MetaData()
_state = Table(
    "fakeapi_state",
    _metadata,
    Column("id", Boolean, primary_key=True, server_default=true()),
    Column("schema_version", Integer, nullable=False),
    Column("format", Integer, nullable=False),
    Column("epoch", BigInteger, nullable=False, comment="grows when all entries are replaced"),
    Column("revision", BigInteger, nullable=False),
    Column("compacted", BigInteger, nullable=False),
    Column("labels", Text, nullable=False),
    Column("agreed", Text, nullable=False, comment="what all servers must have alike; secret"),
)
_log = Table(
    "fakeapi_log",
    _metadata,
    Column("revision", BigInteger, primary_key=True, autoincrement=False),
    Column("key", LargeBinary, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("previous", BigInteger, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("value", LargeBinary),
)
TABLES = _metadata

INDEX = "CREATE INDEX fakeapi_log_key ON fakeapi_log (sha256(key), revision)"
"""Creates the index that finds the last change of a key.

The index contains hashes, because a key can be too long for an index.
"""

_APPEND = """
CREATE FUNCTION fakeapi_append(
    known bigint, at_epoch bigint, keys bytea[], expected bigint[], deletes boolean[], vals bytea[],
    guards bytea[], guard_ends bytea[], guarded_since bigint[]
) RETURNS TABLE (
    o_number bigint, o_revision bigint, o_key bytea, o_created bigint, o_previous bigint, o_deleted boolean,
    o_value bytea
) LANGUAGE plpgsql AS $$
DECLARE
    state fakeapi_state%ROWTYPE;
    write record;
    last_change record;
    is_live boolean;
    next_revision bigint;
BEGIN
    SELECT * INTO STRICT state FROM fakeapi_state FOR UPDATE;
    o_number := -1; o_revision := state.revision; o_created := state.compacted; o_previous := state.epoch;
    RETURN NEXT;
    IF state.epoch <> at_epoch THEN
        RETURN;
    END IF;
    IF known >= state.compacted THEN
        RETURN QUERY SELECT 0::bigint, revision, key, created, previous, deleted, value
            FROM fakeapi_log WHERE revision > known ORDER BY revision;
    END IF;
    next_revision := state.revision;
    FOR write IN
        SELECT * FROM unnest(keys, expected, deletes, vals, guards, guard_ends, guarded_since) WITH ORDINALITY
            AS w(key, expected, deletes, value, guard, guard_end, guarded_since, number)
    LOOP
        SELECT revision, created, deleted INTO last_change FROM fakeapi_log
            WHERE sha256(key) = sha256(write.key) ORDER BY revision DESC LIMIT 1;
        is_live := FOUND AND NOT last_change.deleted;
        o_number := write.number; o_key := NULL; o_value := NULL; o_deleted := write.deletes;
        o_revision := 0; o_created := 0; o_previous := coalesce(last_change.revision, 0);
        IF (CASE WHEN write.expected = 0 THEN NOT is_live
                ELSE is_live AND last_change.revision = write.expected END)
            AND (write.guard IS NULL OR NOT EXISTS (
                SELECT FROM fakeapi_log WHERE revision > write.guarded_since
                    AND key >= write.guard AND key < write.guard_end))
        THEN
            next_revision := next_revision + 1;
            o_revision := next_revision;
            o_created := CASE WHEN is_live THEN last_change.created ELSE next_revision END;
            INSERT INTO fakeapi_log
                VALUES (o_revision, write.key, o_created, o_previous, write.deletes, write.value);
        END IF;
        RETURN NEXT;
    END LOOP;
    IF next_revision > state.revision THEN
        UPDATE fakeapi_state SET revision = next_revision;
        PERFORM pg_notify('fakeapi_log', next_revision::text);
    END IF;
END $$
"""

_COMPACT = f"""
CREATE FUNCTION fakeapi_compact(
    at_epoch bigint, known_compacted bigint, wanted bigint, stale bigint[], waits boolean
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    state fakeapi_state%ROWTYPE;
BEGIN
    IF waits THEN
        PERFORM pg_advisory_xact_lock({COMPACTING_LOCK});
    ELSIF NOT pg_try_advisory_xact_lock({COMPACTING_LOCK}) THEN
        RETURN known_compacted;
    END IF;
    SELECT * INTO STRICT state FROM fakeapi_state FOR UPDATE;
    IF state.epoch <> at_epoch OR state.compacted <> known_compacted OR wanted > state.revision THEN
        RETURN state.compacted;
    END IF;
    DELETE FROM fakeapi_log WHERE revision = ANY (stale);
    UPDATE fakeapi_state SET compacted = wanted;
    RETURN wanted;
END $$
"""  # noqa: S608 - a constant

_REPLACE = """
CREATE FUNCTION fakeapi_replace(
    wanted bigint, rewind boolean, revisions bigint[], keys bytea[], createds bigint[], vals bytea[]
) RETURNS TABLE (o_revision bigint, o_epoch bigint) LANGUAGE plpgsql AS $$
DECLARE
    state fakeapi_state%ROWTYPE;
BEGIN
    SELECT * INTO STRICT state FROM fakeapi_state FOR UPDATE;
    o_revision := CASE WHEN rewind THEN wanted ELSE greatest(wanted, state.revision) + 1 END;
    o_epoch := state.epoch + 1;
    DELETE FROM fakeapi_log;
    INSERT INTO fakeapi_log SELECT revision, key, created, 0, false, value
        FROM unnest(revisions, keys, createds, vals) AS entry(revision, key, created, value);
    UPDATE fakeapi_state SET epoch = o_epoch, revision = o_revision, compacted = o_revision;
    PERFORM pg_notify('fakeapi_log', '');
    RETURN NEXT;
END $$
"""

FUNCTIONS = (_APPEND, _COMPACT, _REPLACE)

READ = """
SELECT state.epoch, state.compacted, state.revision AS current,
    log.revision, log.key, log.created, log.previous, log.deleted, log.value
FROM fakeapi_state AS state LEFT JOIN fakeapi_log AS log
    ON log.revision > CASE WHEN state.epoch = $1 AND $2 BETWEEN state.compacted AND state.revision
        THEN $2 ELSE -1 END
ORDER BY log.revision
"""
"""Reads the state of the log, and the rows after the revision $2 that a reader knows of the epoch $1.

Reads all rows if the epoch differs, or if the revision is older than the last compaction or newer than the
log. The result includes all changes that were committed before the statement was sent.
"""

JOIN = f"""
WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock({JOINING_LOCK})::text AS taken),
others AS MATERIALIZED (
    SELECT DISTINCT application_name
        FROM turn CROSS JOIN LATERAL pg_stat_get_activity(nullif(length(taken), 0))
        WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND starts_with(application_name, $1) AND application_name <> $2
)
SELECT array(SELECT application_name FROM others) AS others,
    CASE WHEN NOT EXISTS (SELECT FROM others) THEN set_config('application_name', $2, false) END
"""  # noqa: S608 - a constant
"""Sets the session name, unless another session's name has the same schema number but other settings.

PostgreSQL must read the sessions only after it has taken the lock. Therefore the argument of
`pg_stat_get_activity` is computed from the result of the lock. This argument is always null, which means all
sessions.
"""

READ_STATE = "SELECT schema_version, format, labels, agreed FROM fakeapi_state"
INSERT_STATE = (
    "INSERT INTO fakeapi_state (schema_version, format, epoch, revision, compacted, labels, agreed) "
    "VALUES (:schema_version, :format, :epoch, :revision, :revision, '{}', '{}')"
)
APPEND = "SELECT * FROM fakeapi_append($1, $2, $3, $4, $5, $6, $7, $8, $9)"
COMPACT = "SELECT fakeapi_compact($1, $2, $3, $4, $5)"
REPLACE = "SELECT * FROM fakeapi_replace($1, $2, $3, $4, $5, $6)"
AGREE = """
UPDATE fakeapi_state SET agreed = CASE WHEN agreed::jsonb ? $1 THEN agreed
    ELSE (agreed::jsonb || jsonb_build_object($1::text, $2::text))::text END
RETURNING agreed::jsonb ->> $1
"""
SET_LABELS = "UPDATE fakeapi_state SET labels = $1"

RELATIONS = (
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
    "AND relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT EXISTS (SELECT FROM pg_depend "
    "WHERE objid = pg_class.oid AND deptype = 'e') ORDER BY relname LIMIT 4"
)
"""Returns the names of up to four tables and views in the schema. Leaves out tables of extensions."""
