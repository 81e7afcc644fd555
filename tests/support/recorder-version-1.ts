import Database from 'libsql';
import type { Observation } from '@/lib/observation/observation';

/** A recording as the first version of the schema had it. */
export function writeVersion1(file: string, observations: readonly Observation[]): void {
  const sql = new Database(file);
  sql.exec(`
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    CREATE TABLE observations (
      seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, vantage TEXT NOT NULL,
      source_id TEXT NOT NULL, client_id TEXT, type_url TEXT, json_chars INTEGER NOT NULL, json NOT NULL
    );
    CREATE INDEX observations_by_client ON observations (client_id, seq) WHERE client_id IS NOT NULL;
    CREATE INDEX observations_by_kind ON observations (kind, seq);
    CREATE TABLE gaps (
      from_seq INTEGER PRIMARY KEY, to_seq INTEGER NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER NOT NULL,
      reason TEXT NOT NULL
    );
    CREATE TABLE bodies (
      id INTEGER PRIMARY KEY, hash TEXT NOT NULL, type_url TEXT NOT NULL, size INTEGER NOT NULL,
      last_seq INTEGER NOT NULL, UNIQUE (hash, type_url)
    );
    CREATE INDEX bodies_by_last_seq ON bodies (last_seq);
    CREATE TABLE body_bytes (body_id INTEGER PRIMARY KEY, encoding INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE checkpoints (
      id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, created_at INTEGER NOT NULL, complete INTEGER NOT NULL
    );
    CREATE TABLE checkpoint_chunks (
      id INTEGER PRIMARY KEY, checkpoint_id INTEGER NOT NULL, client_id TEXT NOT NULL, json NOT NULL
    );
    CREATE INDEX checkpoint_chunks_by_client ON checkpoint_chunks (checkpoint_id, client_id);
    CREATE TABLE permalinks (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, content NOT NULL);
    CREATE TABLE permalink_bodies (
      hash TEXT NOT NULL, permalink_id TEXT NOT NULL, PRIMARY KEY (hash, permalink_id)
    ) WITHOUT ROWID;
    PRAGMA application_id = ${0x78647363};
    PRAGMA user_version = 1;
  `);
  const insert = sql.prepare('INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  sql.exec('BEGIN');
  for (const [index, observation] of observations.entries()) {
    const { at, kind, vantage, sourceId } = observation;
    const json = JSON.stringify(observation);
    const clientId = 'clientId' in observation ? observation.clientId : null;
    const typeUrl = 'typeUrl' in observation ? observation.typeUrl : null;
    insert.run([index + 1, at, kind, vantage, sourceId, clientId, typeUrl, json.length, json]);
  }
  // The state after half of it is in a checkpoint: only what came later is needed for a restart.
  sql.exec(`INSERT INTO checkpoints VALUES (1, ${Math.floor(observations.length / 2)}, 1, 1)`);
  sql.exec('COMMIT');
  sql.close();
}
