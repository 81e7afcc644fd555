import type { FileFormat } from './open-database';

/**
 * series     LoadSeries as JSON, with what it is searched by. Series of a cluster are in the same shards, of some hundred
 *            series each, because they are read together.
 * raw        values as they were reported, in blocks of one minute (load-block.ts). `rolled` is 1 once the minute is
 *            closed, that is, once the same values are in `rolled`; both change in one transaction.
 * rolled     sums over a minute (tier 1) or an hour (tier 2) of a shard's series; `rolled` is 0 for a minute that is in no
 *            hour yet. Late values make additional rows of the same minute, which readers add up.
 * raw_times  times of the first and of the last value of a row of raw.
 * fleet      sums of all clients (load-fleet.ts) over 5 s (fleet-cells.ts): one row for each row of raw, until closing the
 *            minute joins those of the minute into one without raw_id.
 * reach      from when on raw values (tier 0), minutes and hours are complete; older ones were deleted.
 */
const tables = `
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  client_id TEXT NOT NULL,
  cluster TEXT NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX series_by_cluster ON series (cluster);
CREATE INDEX series_by_client ON series (client_id);
CREATE TABLE raw (
  id INTEGER PRIMARY KEY,
  minute INTEGER NOT NULL,
  rolled INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE INDEX raw_by_minute ON raw (rolled, minute);
CREATE TABLE rolled (
  id INTEGER PRIMARY KEY,
  tier INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  rolled INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE INDEX rolled_by_time ON rolled (tier, shard, begins_at);
CREATE INDEX rolled_by_age ON rolled (tier, begins_at);
CREATE INDEX unrolled ON rolled (begins_at) WHERE tier = 1 AND rolled = 0;
CREATE TABLE reach (
  tier INTEGER PRIMARY KEY,
  from_at INTEGER NOT NULL
);
CREATE TABLE raw_times (
  id INTEGER PRIMARY KEY,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
);
CREATE TABLE fleet (
  id INTEGER PRIMARY KEY,
  raw_id INTEGER UNIQUE,
  minute INTEGER NOT NULL,
  rolled INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE INDEX fleet_by_minute ON fleet (rolled, minute);
`;

export const loadFormat: FileFormat = {
  what: 'load of xdscope',
  applicationId: 0x7864736c,
  version: 1,
  tables,
  smallTables: ['reach', 'series'],
  // Acknowledged reports survive a power cut (decision 0001).
  pragmas: ['journal_mode = WAL', 'synchronous = FULL', 'journal_size_limit = 16777216'],
};
