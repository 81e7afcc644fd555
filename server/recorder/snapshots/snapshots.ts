import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { EpochMs } from '@/lib/xds/units';
import type { LogStorage } from '../storage/log-storage';
import type { StoredSnapshot } from '../storage/state-stores';
import { type ClientParts, joinClient, splitClient } from './client-parts';
import type { ClientTexts } from './client-texts';
import { LazyResources } from './lazy-resources';
import { chunkIdsOf, layerTexts, readRows, type StoredRows, storedTexts, storeRows } from './stored-rows';

/** JSON of a snapshot: the client without its rows, which are in chunks. */
type SnapshotContent = ClientParts<StoredRows>;

/** A client in the form in which it is sent between threads, without its stored rows, which are read chunk by chunk. */
export type ClientOutline = ClientParts<OutlinedRows>;

export interface OutlinedRows {
  readonly stored: StoredRows | null;
  /** Changes since the stored rows, as layers for parseChanges(). */
  readonly changed: readonly string[];
}

export function restoreSnapshot({ chunks }: LogStorage, { json }: Pick<StoredSnapshot, 'json'>): ClientState {
  const resourcesOf = (rows: StoredRows) => new LazyResources(rows, (stored) => readRows(chunks, stored));
  return joinClient(contentOf(json), resourcesOf);
}

/** Must be called within a transaction. Returns the state to continue with, because `state` refers to outdated rows. */
export function storeSnapshot(
  storage: LogStorage,
  state: ClientState,
  seq: number,
  beginsAt: EpochMs,
): ClientState {
  const content: SnapshotContent = splitClient(state, (resources) =>
    resources instanceof LazyResources
      ? storeRows(storage.chunks, resources.stored, resources.changes)
      : storeRows(storage.chunks, null, resources),
  );
  const json = JSON.stringify(content);
  return restoreSnapshot(storage, storage.snapshots.save(state.clientId, { seq, beginsAt, json }));
}

export function outlineClient(state: ClientState): ClientOutline {
  return splitClient(state, outlineRows);
}

function outlineRows(resources: ClientReport['resources']): OutlinedRows {
  return resources instanceof LazyResources
    ? { stored: resources.stored, changed: layerTexts(resources.changes) }
    : { stored: null, changed: layerTexts(resources) };
}

export function clientTexts({ chunks }: LogStorage, state: ClientState): ClientTexts {
  return splitClient(state, (resources) => {
    const { stored, changed } = outlineRows(resources);
    return [...(stored === null ? [] : storedTexts(chunks, stored)), ...changed];
  });
}

/** Within a transaction, deletes a snapshot and the chunks that neither the previous nor the next one shares. */
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
