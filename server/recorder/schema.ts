import { damagedFile } from './damaged-file';
import { RecorderError } from './recorder-error';
import type { SqlFile } from './sql-file';
import { moveRecent } from './waiting-rows';

export const schemaVersion = 5;

/** "xdsc": tells a recording from any other SQLite file. */
const applicationId = 0x78647363;

/**
 * blocks         the log, in runs of some 500 to 2,000 observations: what is known of each without reading it.
 *                Retention deletes the oldest first: what is left is one unbroken tail (but see gaps, and `pinned`).
 * block_index    per block: columns to filter by, names and versions by hash (block-encoding.ts), and how many
 *                observations each part holds. `hashes`: the different ones, to pass over a block without reading
 *                more of it; null in blocks of version 2, which have them in `terms`. `churn`: what was sent and
 *                became different (block-churn.ts); null in blocks of older versions: their texts tell it.
 *                `vocabulary`: what its rows are told with (vocabulary.ts); null in blocks before version 5: their
 *                parts hold the Observations' JSON without their seq.
 * block_parts    per block: the Observations as rows (row-tags.ts), client by client (block-parts.ts).
 * waiting        the newest observations, too few for a block yet, batch by batch (waiting-rows.ts).
 * snapshots      one client after seq, now and then: fields, and its rows as a list of chunks. As the oldest one
 *                left of a client it keeps the bodies that it names up to the observation `kept_until`.
 * snapshot_chunks   rows by hash of their key, and layers of what changed since; snapshots share them
 *                (stored-rows.ts).
 * pins           ranges that people keep; blocks in them are marked when retention passes over them.
 * pinned_bodies  what the observations of such blocks name.
 * gaps           what could not be recorded: from_seq to to_seq are missing in the log.
 * bodies         one row per body; `last_seq` is the newest seq of an observation or checkpoint that names it, or a
 *                little more. As observations go oldest first, a body is named by one that is left only if last_seq
 *                is not older than the oldest one left: no reference rows are needed to collect what nobody names.
 * body_packs     the bytes of bodies that came together, one after the other, deflated: apart from bodies, so that
 *                raising last_seq never rewrites them. `size`: inflated. A body is at `pack_from` (body-packs.ts).
 * body_bytes     the same of one body, as version 2 wrote it: those have no `pack_id`.
 * checkpoints    the fold up to seq, in chunks by client; `complete` = 0 while it is being written.
 * permalinks     frozen views; bodies that one names are exempt from retention.
 */
/** Made where they are missing: after a crash of version 2 between two steps, too. */
const version2 = `
CREATE TABLE IF NOT EXISTS blocks (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  count INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  kinds INTEGER NOT NULL,
  pinned INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS block_index (
  first_seq INTEGER PRIMARY KEY,
  parts TEXT NOT NULL,
  columns BLOB NOT NULL,
  terms BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS block_parts (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS recent (
  seq INTEGER PRIMARY KEY,
  json NOT NULL
);
CREATE TABLE IF NOT EXISTS snapshots (
  id INTEGER PRIMARY KEY,
  client_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  kept_until INTEGER NOT NULL DEFAULT 0,
  json NOT NULL,
  UNIQUE (client_id, seq)
);
CREATE TABLE IF NOT EXISTS snapshot_chunks (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS pins (
  id INTEGER PRIMARY KEY,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  client_id TEXT,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS pinned_bodies (
  hash TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  PRIMARY KEY (hash, first_seq)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pinned_bodies_by_block ON pinned_bodies (first_seq);
`;

/** What a file of version 2 lacks. */
const sinceVersion2 = `
ALTER TABLE block_index ADD COLUMN hashes BLOB;
ALTER TABLE bodies ADD COLUMN pack_id INTEGER;
ALTER TABLE bodies ADD COLUMN pack_from INTEGER;
CREATE INDEX bodies_by_pack ON bodies (pack_id) WHERE pack_id IS NOT NULL;
CREATE TABLE body_packs (
  id INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
`;

const sinceVersion3 = 'ALTER TABLE block_index ADD COLUMN churn BLOB';

const sinceVersion4 = `
ALTER TABLE block_index ADD COLUMN vocabulary BLOB;
CREATE TABLE waiting (
  first_seq INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
`;

/** Those that version 1 has, too. */
const tables = `
CREATE TABLE gaps (
  from_seq INTEGER PRIMARY KEY,
  to_seq INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  reason TEXT NOT NULL
);
CREATE TABLE bodies (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  type_url TEXT NOT NULL,
  size INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  UNIQUE (hash, type_url)
);
CREATE INDEX bodies_by_last_seq ON bodies (last_seq);
CREATE TABLE body_bytes (
  body_id INTEGER PRIMARY KEY,
  encoding INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  complete INTEGER NOT NULL
);
CREATE TABLE checkpoint_chunks (
  id INTEGER PRIMARY KEY,
  checkpoint_id INTEGER NOT NULL,
  client_id TEXT NOT NULL,
  json NOT NULL
);
CREATE INDEX checkpoint_chunks_by_client ON checkpoint_chunks (checkpoint_id, client_id);
CREATE TABLE permalinks (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  content NOT NULL
);
CREATE TABLE permalink_bodies (
  hash TEXT NOT NULL,
  permalink_id TEXT NOT NULL,
  PRIMARY KEY (hash, permalink_id)
) WITHOUT ROWID;
`;

/** Makes a new file a recording, takes one of ours as it is, and refuses everything else without touching it. */
export function prepareSchema(sql: SqlFile, file: string): void {
  const found = { applicationId: pragma(sql, 'application_id'), version: pragma(sql, 'user_version') };
  const isEmpty = sql.number('SELECT count(*) AS n FROM sqlite_schema') === 0;
  if (!isEmpty && found.applicationId !== applicationId) {
    throw damagedFile(file, 'expected a recording of xdscope, got another SQLite file');
  }
  if (!isEmpty && found.version < 1) {
    throw damagedFile(file, `expected schema version 1 to ${schemaVersion}, got ${found.version}`);
  }
  if (found.version > schemaVersion) {
    throw new RecorderError(
      'NEWER_SCHEMA',
      `${file}: expected schema version ${schemaVersion} or older, got ${found.version}: ` +
        'a newer xdscope wrote it; use that one, or another data dir',
    );
  }
  // WAL is remembered by the file.
  sql.all('PRAGMA journal_mode = WAL');
  // FULL: what is acknowledged survives a power cut too (decision 0001).
  sql.exec('PRAGMA synchronous = FULL');
  // Pages that are written again and again, as those of indices, go into the file once in so many (some 32 MB).
  sql.all('PRAGMA wal_autocheckpoint = 8000');
  sql.all('PRAGMA journal_size_limit = 33554432');
  sql.all('PRAGMA cache_size = -16384');
  if (isEmpty || found.version < schemaVersion) {
    sql.transaction(() => {
      if (isEmpty) sql.exec(tables);
      else if (found.version === 1) leaveVersion1(sql);
      sql.exec(version2);
      if (found.version < 3) sql.exec(sinceVersion2);
      if (found.version < 4) sql.exec(sinceVersion3);
      sql.exec(sinceVersion4);
      moveRecent(sql);
      sql.exec(`PRAGMA application_id = ${applicationId}`);
      sql.exec(`PRAGMA user_version = ${schemaVersion}`);
    });
  }
}

/** Their rows become blocks step by step: see convert-version-1.ts. */
function leaveVersion1(sql: SqlFile): void {
  sql.exec('ALTER TABLE observations RENAME TO observations_v1');
  sql.exec('DROP INDEX observations_by_client');
  sql.exec('DROP INDEX observations_by_kind');
}

function pragma(sql: SqlFile, name: 'application_id' | 'user_version'): number {
  return sql.number(`SELECT ${name} AS n FROM pragma_${name}`) ?? 0;
}
