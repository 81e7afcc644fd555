import type { FileFormat } from './prepare-tables';

/**
 * series   what lines of numbers there are: a LoadSeries as JSON, and what it is looked for by. Series of a cluster are in
 *          the same shards, of some hundred series each: what is asked for together is read together.
 * raw      values as they came, in blocks (load-block.ts), each of one minute. It is the journal too: `rolled` is 0
 *          until the same values are in `rolled` of the minute, which happens in one transaction.
 * rolled   sums of a minute (tier 1) or an hour (tier 2) of a shard's series; `rolled` is 0 in a minute that is in no
 *          hour yet. There may be several of one span: what comes late is a row more, and readers add them up.
 * raw_times  of a row of raw: the time of its first and its last value.
 * fleet    of all clients together (load-fleet.ts): sums of 5 s (fleet-cells.ts), for each row of raw one that is written
 *          with it; `rolled` is 0 as long as it is 0 there, and then those of a minute become one, of no row of raw.
 * reach    from when on raw values (tier 0), minutes and hours are kept: what is older was deleted.
 *
 * So every value that ever came is in exactly one place of {hours, minutes that are in no hour, raw values that are in no
 * minute}, and of {minutes, raw values that are in no minute}, and in raw: at any moment, a crash included.
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
  /** "xdsl". */
  applicationId: 0x7864736c,
  version: 1,
  tables,
  smallTables: ['reach', 'series'],
  // As for the log: what is acknowledged survives a power cut too (decision 0001).
  pragmas: ['journal_mode = WAL', 'synchronous = FULL', 'journal_size_limit = 16777216'],
};
