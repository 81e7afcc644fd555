import type { FileFormat } from './open-database';

/**
 * blocks           BlockMeta of each block of the log. Retention deletes the oldest first, so the rest is contiguous, except
 *                  for gaps and for pinned blocks.
 * block_index      the pieces of each block (NewBlock), which `blocks/` encodes; `parts`: the number of observations in
 *                  each part.
 * block_parts      rows of observations (row-tags.ts), client by client (block-parts.ts).
 * waiting          batches of the newest observations, too few for a block yet.
 * snapshots        folds of single clients; `json` lists the chunks of the rows. The oldest one of a client keeps the bodies
 *                  that it names up to the seq `kept_until`.
 * snapshot_chunks  rows, and layers of changes; snapshots share them (stored-rows.ts).
 * pins             ranges that retention keeps; it marks their blocks when it reaches them.
 * pinned_bodies    bodies that pinned blocks name.
 * gaps             observations from_seq to to_seq were not recorded.
 * bodies           `last_seq` is at least the highest seq of an observation or checkpoint that names the body. Because the
 *                  oldest observations are deleted first, a body is unnamed if last_seq is below the oldest seq left: no
 *                  rows for references are needed.
 * body_packs       bytes of bodies that were inserted together, deflated together; `size` is inflated, and a body begins
 *                  at `pack_from`. They are apart from bodies, so that raising last_seq does not rewrite them.
 * checkpoints      folds of all clients, in chunks by client; `complete` is 0 while one is being written.
 * permalinks       stored views; permalink_bodies are never deleted.
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
  applicationId: 0x78647363,
  version: 1,
  tables,
  smallTables: ['blocks', 'gaps', 'pins', 'checkpoints', 'waiting'],
  pragmas: [
    'journal_mode = WAL',
    // FULL: acknowledged observations survive a power cut (decision 0001).
    'synchronous = FULL',
    // A page that changes often, such as one of an index, is copied into the file only once in this many pages (32 MB).
    'wal_autocheckpoint = 8000',
    'journal_size_limit = 33554432',
    'cache_size = -16384',
  ],
};
