import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';

/**
 * Texts and JSON are stored as UTF-8 in bytes: a text of PostgreSQL cannot contain NUL and is sorted by locale, and libsql
 * aborts its process where a damaged text is not UTF-8. text-bytes.ts converts them.
 */
type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>;

/** One row, with id 1. A writer updates it before it writes observations, so that writers take turns. */
interface LogHeads {
  readonly id: number;
  /** The newest seq that was assigned. */
  readonly seq: number;
  /** Retention deletes nothing after it: client_snapshots and the source directory cover what came before. */
  readonly checkpoint_seq: number;
  /** Incremented when texts are deleted, so that writers forget which ids they know. */
  readonly texts_version: number;
}

/** The newest batch of each collector: a batch that is sent again is not stored again. */
interface Collectors {
  readonly id: Bytes;
  readonly n: number;
}

/** Each text once for each of its roles (textRoles). Errors are in lower case, because they are only searched. */
interface Texts {
  readonly id: Generated<number>;
  readonly role: number;
  /** The first 16 bytes of the SHA-256 of role and text: an index entry of PostgreSQL has at most 2,704 bytes. */
  readonly hash: Bytes;
  readonly text: Bytes;
}

/** What an observation is filtered by. Its content is in `payloads`. */
interface Observations {
  /** Assigned by the store: 1, 2, 3... */
  readonly seq: number;
  /** Whole milliseconds. */
  readonly at: number;
  /** Position in storedKinds. */
  readonly kind: number;
  /** Position in storedVantages. */
  readonly vantage: number;
  /** These four are ids of texts. Several types are one text (joinTypes). */
  readonly source: number;
  readonly client: number | null;
  readonly stream: number | null;
  readonly types: number | null;
  /** Hash of the nonce of a response, or of the response that a request answers. */
  readonly nonce: number | null;
  /** Microseconds. */
  readonly took: number | null;
  /** 1 if the observation is a rejection (isRejection), else 0. */
  readonly rejected: number;
}

/** Names, versions and error texts of observations. */
interface Terms {
  readonly text: number;
  readonly seq: number;
}

/**
 * The JSON of consecutive observations, one a line, deflated. The line of an observation is seq - first_seq. A batch is
 * stored as it comes; small ones are later joined (payloads.ts).
 */
interface Payloads {
  readonly first_seq: number;
  readonly count: number;
  /** Size of the lines in UTF-8. */
  readonly size: number;
  /** 1 once it is joined with its neighbours, or large enough not to be. */
  readonly sealed: number;
  readonly bytes: Bytes;
}

/** A body is stored once for each hash and type. */
interface Bodies {
  /** SHA-256. */
  readonly hash: Bytes;
  readonly type_url: Bytes;
  /** Size of the body. `bytes` are deflated if they are fewer. */
  readonly size: number;
  /** At least the seq of the newest observation, snapshot or checkpoint that names the body. */
  readonly last_seq: number;
  readonly bytes: Bytes;
}

/** A body that a holder names is kept, whatever its last_seq. */
interface BodyHolders {
  readonly hash: Bytes;
  /** Such as "permalink:ID" and "pin:3". */
  readonly holder: Bytes;
}

/**
 * The fold of one client with all observations up to `seq`: as a whole, or what changed since the snapshot before it
 * (client-snapshot.ts). For a checkpoint, that before or at it is the newest of each client.
 */
interface ClientSnapshots {
  readonly client: number;
  readonly seq: number;
  /** The seq of the whole snapshot that it is read with, and of those in between with the same base. Its own if it is whole. */
  readonly base_seq: number;
  /** The number of rows in `bytes`. */
  readonly rows: number;
  /** Time of the first observation in the fold. */
  readonly begins_at: number;
  /** The bodies that the fold names are kept up to this seq. */
  readonly kept_until: number;
  /** 1 if only a checkpoint needs it, and the next one of the client replaces it. Such a snapshot is whole. */
  readonly is_checkpoint: number;
  /** Empty if the client was removed. */
  readonly bytes: Bytes;
}

/** Consecutive observations, each in one part: a batch, or batches that were joined. Both ends are included. */
interface LogParts {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly from_at: number;
  readonly to_at: number;
  /** 1 once the part is so large that it is not joined with its neighbours. */
  readonly sealed: number;
  /** Their churn entries (churn.ts), deflated; empty if they have none. */
  readonly churn: Bytes;
}

/** The numbers of observations of each minute. */
interface Densities {
  /** Start of the minute. */
  readonly minute: number;
  readonly kind: number;
  /** 0 if they have no type. */
  readonly types: number;
  readonly count: number;
}

/** Small state. `version` is incremented with each change. */
interface States {
  readonly key: Bytes;
  readonly json: Bytes;
  readonly version: number;
}

interface Permalinks {
  readonly id: Bytes;
  readonly created_at: number;
  /** JSON, deflated. */
  readonly content: Bytes;
}

/** Ranges of the log that retention does not delete. Both ends are included. */
interface Pins {
  readonly id: Generated<number>;
  readonly from_at: number;
  readonly to_at: number;
  /** null if the pin is for all clients. */
  readonly client_id: Bytes | null;
  readonly label: Bytes;
  readonly created_at: number;
}

/** The observations from_seq to to_seq, both included, were not recorded. */
interface Gaps {
  readonly from_seq: number;
  readonly to_seq: number;
  readonly from_at: number;
  readonly to_at: number;
  readonly reason: Bytes;
}

/** A series of load: LoadSeries as JSON, with what it is searched by. */
interface LoadSeriesRows {
  /** Positive for a series of a client, negative for a sum over all clients. Assigned by the recorder. */
  readonly id: number;
  /** Series of one cluster are in the same shards, of some hundred series each, because they are read together. */
  readonly shard: number;
  readonly client: Bytes;
  readonly cluster: Bytes;
  readonly series: Bytes;
}

/** Values of one minute as they were reported, in the order in which they came (server/live/load/load-block.ts). */
interface LoadRaw {
  readonly id: number;
  readonly minute: number;
  /** 1 once the minute is closed: once the same values are in load_sums. Both change in one transaction. */
  readonly rolled: number;
  readonly bytes: Bytes;
}

/** The times of the first and the last value of a row of load_raw. */
interface LoadRawTimes {
  readonly id: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** Sums of a shard's series over a minute or an hour. Late values are additional rows; readers add them up. */
interface LoadSums {
  readonly id: Generated<number>;
  /** 1: minutes, 2: hours. */
  readonly tier: number;
  readonly shard: number;
  readonly begins_at: number;
  /** 1 for a minute that is in an hour. */
  readonly rolled: number;
  readonly bytes: Bytes;
}

/** Sums over all clients in cells of 5 s: a row for each row of load_raw, until the minute is closed and they are one row. */
interface LoadFleet {
  readonly id: Generated<number>;
  readonly minute: number;
  readonly rolled: number;
  readonly bytes: Bytes;
}

/** From when on raw values (tier 0), minutes and hours are complete. Older ones were deleted. */
interface LoadReaches {
  readonly tier: number;
  readonly from_at: number;
}

/** What collectors have forwarded and the process that folds the fleet has not recorded yet (waiting-load.ts). */
interface LoadWaiting {
  readonly id: Generated<number>;
  /** NumberedSeries as JSON, deflated. */
  readonly series: Bytes;
  /** Values of these series (server/live/load/load-block.ts). */
  readonly bytes: Bytes;
}

/** Who observes what several processes could observe (leases.ts). `expires_at`: by the clock of the database. */
interface Leases {
  readonly name: Bytes;
  readonly holder: Bytes;
  /** The fencing number: incremented when another process takes the lease over. */
  readonly fence: number;
  readonly expires_at: number;
  /** The number of observations that were rejected because they were made under an earlier number. */
  readonly rejected: number;
}

/** The processes that would observe it. */
interface LeaseClaims {
  readonly name: Bytes;
  readonly holder: Bytes;
  readonly expires_at: number;
}

/** What lists filter, sort and count clients by, as of heads_position. head_facts and head_contents have the rest. */
interface ClientHeads {
  readonly id: Bytes;
  /** Sorts by name (nameKey), cut to maxIndexedBytes. */
  readonly name: Bytes;
  /** Smaller if its state is worse, then if more resources are in trouble. */
  readonly status: number;
  readonly changed_at: number;
  /** Position in headFreshness. */
  readonly fresh: number;
  /** Position of its worst state in `states`; -1 if it has no resource. */
  readonly worst: number;
  readonly trouble: number;
  /** 1 if a resource waits. */
  readonly waiting: number;
  readonly nacks: number;
  /** 1 if its scopes stand for it (gRFC A71), so that it is not counted. */
  readonly is_whole: number;
  /** Equal digests mean that nothing of the client changed. */
  readonly digest: Bytes;
  /** -1 if it is not known. */
  readonly size: number;
  readonly resources: number;
  /** The node id and what is wrong, in lower case. */
  readonly node_id: Bytes;
  readonly trouble_text: Bytes;
  /** Ids in head_facts, of which each column has a part. */
  readonly node_facts: Bytes;
  readonly config_facts: Bytes;
  readonly other_facts: Bytes;
}

/** Values by field (head-facts.ts), once for all clients that have the same. */
interface HeadFacts {
  /** Position in factsColumns. */
  readonly part: number;
  /** The first 16 bytes of the SHA-256 of the facts. */
  readonly id: Bytes;
  readonly facts: Bytes;
}

/** The open issues of a client; a client without issues has no row. */
interface ClientIssues {
  readonly id: Bytes;
  /** IssueOfClient[] as JSON, as the list shows them. */
  readonly issues: Bytes;
}

/** Apart from client_heads, because a count reads all of those. */
interface HeadContents {
  readonly id: Bytes;
  /** StoredHead as JSON, deflated. */
  readonly json: Bytes;
}

/** One row, with id 1, once heads were written. */
interface HeadsPosition {
  readonly id: number;
  /** All observations up to this one are in the heads. */
  readonly seq: number;
  /** Incremented with each transaction that changes heads. */
  readonly version: number;
  /** FleetTotals as JSON. */
  readonly totals: Bytes;
}

/** What processes ask the one that folds the fleet (fleet-questions.ts). JSON, deflated. */
interface FleetQuestionRows {
  readonly id: Bytes;
  readonly asked_at: number;
  readonly question: Bytes;
  readonly answer: ColumnType<Buffer | null, Uint8Array | null, Uint8Array>;
}

/** The tables of SQLite and of PostgreSQL. */
export interface StoreTables {
  readonly log_heads: LogHeads;
  readonly collectors: Collectors;
  readonly texts: Texts;
  readonly observations: Observations;
  readonly terms: Terms;
  readonly payloads: Payloads;
  readonly bodies: Bodies;
  readonly body_holders: BodyHolders;
  readonly client_snapshots: ClientSnapshots;
  readonly log_parts: LogParts;
  readonly densities: Densities;
  readonly state: States;
  readonly permalinks: Permalinks;
  readonly pins: Pins;
  readonly gaps: Gaps;
  readonly load_series: LoadSeriesRows;
  readonly load_raw: LoadRaw;
  readonly load_raw_times: LoadRawTimes;
  readonly load_sums: LoadSums;
  readonly load_fleet: LoadFleet;
  readonly load_reach: LoadReaches;
  readonly load_waiting: LoadWaiting;
  readonly leases: Leases;
  readonly lease_claims: LeaseClaims;
  readonly client_heads: ClientHeads;
  readonly head_facts: HeadFacts;
  readonly head_contents: HeadContents;
  readonly client_issues: ClientIssues;
  readonly heads_position: HeadsPosition;
  readonly fleet_questions: FleetQuestionRows;
}

export type StoreEngine = 'sqlite' | 'postgres';

/** An open database. The queries are the same on both engines; only opening differs. */
export interface StoreDatabase {
  readonly engine: StoreEngine;
  readonly db: Kysely<StoreTables>;
  /**
   * Size of the database, in bytes. `used` does not count what is free within it. PostgreSQL keeps the space of deleted rows for
   * new ones, so that it is the sum of the values, and of some 200 bytes for each observation.
   */
  size(): Promise<{ readonly bytes: number; readonly used: number }>;
  /** Returns some free space to the file system, as far as the engine does not do that itself. Returns whether there is more. */
  shrink(): Promise<boolean>;
  /** Opens a connection that receives the notices of notify(); `onEnd` is called when it has ended. Absent on SQLite. */
  listen?(
    onNotice: (text: string) => void,
    onEnd: () => void,
  ): Promise<{ readonly close: () => Promise<void> }>;
  close(): Promise<void>;
}

export type StoreTransaction = Transaction<StoreTables>;

/** The positions are part of the format: append only. */
export const textRoles = ['source', 'client', 'stream', 'types', 'name', 'version', 'error'] as const;
export type TextRole = (typeof textRoles)[number];
