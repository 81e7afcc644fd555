import type { FileFormat } from './prepare-tables';

/**
 * blocks         the log, in runs of some 500 to 2,000 observations: what is known of each without reading it.
 *                Retention deletes the oldest first: what is left is one unbroken tail (but see gaps, and `pinned`).
 * block_index    per block: columns to filter by, names and versions by hash (block-encoding.ts), and how many
 *                observations each part holds. `hashes`: the different ones, to pass over a block without reading
 *                more of it. `churn`: what was sent and became different (block-churn.ts). `vocabulary`: the texts
 *                and shapes that its rows refer to (vocabulary.ts).
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
 * checkpoints    the fold up to seq, in chunks by client; `complete` = 0 while it is being written.
 * permalinks     stored views; bodies that one names are exempt from retention.
 */
const tables = `
CREATE TABLE blocks (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  count INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  kinds INTEGER NOT NULL,
  pinned INTEGER NOT NULL
);
CREATE TABLE block_index (
  first_seq INTEGER PRIMARY KEY,
  parts TEXT NOT NULL,
  columns BLOB NOT NULL,
  terms BLOB NOT NULL,
  hashes BLOB NOT NULL,
  churn BLOB NOT NULL,
  vocabulary BLOB NOT NULL
);
CREATE TABLE block_parts (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE TABLE waiting (
  first_seq INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  client_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  kept_until INTEGER NOT NULL DEFAULT 0,
  json NOT NULL,
  UNIQUE (client_id, seq)
);
CREATE TABLE snapshot_chunks (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE TABLE pins (
  id INTEGER PRIMARY KEY,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  client_id TEXT,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE pinned_bodies (
  hash TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  PRIMARY KEY (hash, first_seq)
) WITHOUT ROWID;
CREATE INDEX pinned_bodies_by_block ON pinned_bodies (first_seq);
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
  pack_id INTEGER NOT NULL,
  pack_from INTEGER NOT NULL,
  UNIQUE (hash, type_url)
);
CREATE INDEX bodies_by_last_seq ON bodies (last_seq);
CREATE INDEX bodies_by_pack ON bodies (pack_id);
CREATE TABLE body_packs (
  id INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
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

export const logFormat: FileFormat = {
  what: 'a recording of xdscope',
  /** "xdsc". */
  applicationId: 0x78647363,
  version: 1,
  tables,
  smallTables: ['blocks', 'gaps', 'pins', 'checkpoints', 'waiting'],
  pragmas: [
    // The file itself remembers WAL.
    'journal_mode = WAL',
    // FULL: what is acknowledged survives a power cut too (decision 0001).
    'synchronous = FULL',
    // Pages that are written again and again, as those of indices, go into the file once in so many (some 32 MB).
    'wal_autocheckpoint = 8000',
    'journal_size_limit = 33554432',
    'cache_size = -16384',
  ],
};
