import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { EpochMs } from '@/lib/xds/units';
import type { ChunkStore } from '../storage/immutable-stores';
import type { LogStorage } from '../storage/log-storage';
import type { StoredSnapshot } from '../storage/state-stores';
import type { ClientOutline } from './client-outline';
import type { ClientTexts } from './client-texts';
import { LazyResources } from './lazy-resources';
import { chunkIdsOf, layerTexts, readRows, type StoredRows, storedTexts, storeRows } from './stored-rows';

type ReportFields = Omit<ClientReport, 'resources'>;

/** JSON of a snapshot: the client without its rows, which are in chunks. */
interface SnapshotContent {
  readonly client: Omit<ClientState, 'reports'>;
  readonly reports: readonly {
    readonly key: string;
    readonly report: ReportFields;
    readonly rows: StoredRows;
  }[];
}

export function restoreSnapshot({ chunks }: LogStorage, { json }: Pick<StoredSnapshot, 'json'>): ClientState {
  const { client, reports } = contentOf(json);
  return {
    ...client,
    reports: new Map(
      reports.map(({ key, report, rows }) => [key, { ...report, resources: lazyRows(chunks, rows) }]),
    ),
  };
}

/** Must be called within a transaction. Returns the state to continue with; the given one refers to outdated rows. */
export function storeSnapshot(
  storage: LogStorage,
  state: ClientState,
  seq: number,
  beginsAt: EpochMs,
): ClientState {
  const { reports, ...client } = state;
  const content: SnapshotContent = {
    client,
    reports: Array.from(reports, ([key, { resources, ...report }]) => {
      const isLazy = resources instanceof LazyResources;
      const rows = isLazy
        ? storeRows(storage.chunks, resources.stored, resources.changes)
        : storeRows(storage.chunks, null, resources);
      return { key, report, rows };
    }),
  };
  const json = JSON.stringify(content);
  return restoreSnapshot(storage, storage.snapshots.save(state.clientId, { seq, beginsAt, json }));
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

export function clientTexts({ chunks }: LogStorage, state: ClientState): ClientTexts {
  const { client, reports } = outlineClient(state);
  return {
    client,
    reports: reports.map(({ rows: { stored, changed }, ...rest }) => ({
      ...rest,
      layers: [...(stored === null ? [] : storedTexts(chunks, stored)), ...changed],
    })),
  };
}

/** Deletes a snapshot, and its chunks that neither the snapshot before nor the one after shares. Within a transaction. */
export function deleteSnapshot({ snapshots, chunks }: LogStorage, clientId: string, seq: number): void {
  const around = snapshots.findAround(clientId, seq);
  const deleted = around.find((snapshot) => snapshot.seq === seq);
  if (deleted === undefined) return;
  const shared = new Set(around.filter((snapshot) => snapshot !== deleted).flatMap(chunkIds));
  chunks.delete(chunkIds(deleted).filter((id) => !shared.has(id)));
  snapshots.delete(deleted.id);
}

function chunkIds({ json }: StoredSnapshot): number[] {
  return contentOf(json).reports.flatMap(({ rows }) => chunkIdsOf(rows));
}

function contentOf(json: string): SnapshotContent {
  return JSON.parse(json) as SnapshotContent;
}

function lazyRows(chunks: ChunkStore, rows: StoredRows): LazyResources {
  return new LazyResources(rows, (stored) => readRows(chunks, stored));
}
