import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { EpochMs } from '@/lib/xds/units';
import {
  chunkIdsOf,
  deleteChunks,
  layerTexts,
  readRows,
  type StoredRows,
  storedTexts,
  storeRows,
} from '../blocks/stored-rows';
import { packJson, unpackJson } from '../bodies/packing';
import type { SqlFile, SqlText } from '../database/sql-file';
import type { ClientOutline } from './client-outline';
import type { ClientTexts } from './client-texts';
import { LazyResources } from './lazy-resources';

type ReportFields = Omit<ClientReport, 'resources'>;

/** What a snapshot keeps of a client beside its rows. */
interface SnapshotContent {
  readonly client: Omit<ClientState, 'reports'>;
  readonly reports: readonly {
    readonly key: string;
    readonly report: ReportFields;
    readonly rows: StoredRows;
  }[];
}

export interface SnapshotRow {
  readonly id: number;
  /** Everything up to here is folded in. */
  readonly seq: number;
  /** When the first observation was made that is. */
  readonly beginsAt: EpochMs;
  readonly json: SqlText;
}

const columns = 'id, seq, begins_at AS beginsAt, json';

/** The newest one that holds nothing after `seq`, or so many before it. */
export function findSnapshot(sql: SqlFile, clientId: string, seq: number, back = 0): SnapshotRow | undefined {
  return sql.first<SnapshotRow>(
    `SELECT ${columns} FROM snapshots WHERE client_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1 OFFSET ?`,
    [clientId, seq, back],
  );
}

export function restoreSnapshot(sql: SqlFile, { json }: SnapshotRow): ClientState {
  const { client, reports } = contentOf(json);
  return {
    ...client,
    reports: new Map(
      reports.map(({ key, report, rows }) => [key, { ...report, resources: lazyRows(sql, rows) }]),
    ),
  };
}

/**
 * Keeps a client as it is after `seq`. Inside a transaction. Returns the state to go on with: MUTATES nothing, the
 * given one has served.
 */
export function storeSnapshot(sql: SqlFile, state: ClientState, seq: number, beginsAt: EpochMs): ClientState {
  const { reports, ...client } = state;
  const content: SnapshotContent = {
    client,
    reports: Array.from(reports, ([key, { resources, ...report }]) => {
      const isLazy = resources instanceof LazyResources;
      const rows = isLazy
        ? storeRows(sql, resources.stored, resources.changes)
        : storeRows(sql, null, resources);
      return { key, report, rows };
    }),
  };
  const json = JSON.stringify(content);
  sql.run('DELETE FROM snapshots WHERE client_id = ? AND seq = ?', [state.clientId, seq]);
  const { lastInsertRowid: id } = sql.run(
    'INSERT INTO snapshots (client_id, seq, begins_at, json) VALUES (?, ?, ?, ?)',
    [state.clientId, seq, beginsAt, packJson(json)],
  );
  return restoreSnapshot(sql, { id, seq, beginsAt, json });
}

export function outlineClient({ reports, ...client }: ClientState): ClientOutline {
  return {
    client,
    reports: Array.from(reports, ([key, { resources, ...report }]) => ({
      key,
      report,
      rows:
        resources instanceof LazyResources
          ? { stored: resources.stored, changed: layerTexts(resources.changes) }
          : { stored: null, changed: layerTexts(resources) },
    })),
  };
}

/** Each report's rows as JSON arrays, with the report's fields. */
export function clientTexts(sql: SqlFile, state: ClientState): ClientTexts {
  const { client, reports } = outlineClient(state);
  return {
    client,
    reports: reports.map(({ rows: { stored, changed }, ...rest }) => ({
      ...rest,
      layers: [...(stored === null ? [] : storedTexts(sql, stored)), ...changed],
    })),
  };
}

/** Deletes a snapshot, and the chunks that neither the one before it nor the one after it shares. In a transaction. */
export function deleteSnapshot(sql: SqlFile, clientId: string, seq: number): void {
  const found = sql.all<SnapshotRow>(
    `SELECT ${columns} FROM snapshots WHERE client_id = ? AND seq >=
       coalesce((SELECT max(seq) FROM snapshots WHERE client_id = ? AND seq < ?), 0) ORDER BY seq LIMIT 3`,
    [clientId, clientId, seq],
  );
  const gone = found.find((row) => row.seq === seq);
  if (!gone) return;
  const kept = new Set(found.filter((row) => row !== gone).flatMap(chunkIds));
  deleteChunks(
    sql,
    chunkIds(gone).filter((id) => !kept.has(id)),
  );
  sql.run('DELETE FROM snapshots WHERE id = ?', [gone.id]);
}

function chunkIds({ json }: SnapshotRow): number[] {
  return contentOf(json).reports.flatMap(({ rows }) => chunkIdsOf(rows));
}

function contentOf(json: SqlText): SnapshotContent {
  return JSON.parse(unpackJson(json)) as SnapshotContent;
}

function lazyRows(sql: SqlFile, rows: StoredRows): LazyResources {
  return new LazyResources(rows, (stored) => readRows(sql, stored));
}
