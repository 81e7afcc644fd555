import type { ClientState } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import { type ClientParts, joinClient } from './client-parts';
import { parseChanges, type RowChange } from './row-columns';

/** A client that is sent whole to another thread, as layers for parseChanges(), the newest last. */
export type ClientTexts = ClientParts<readonly string[]>;

export function parseClientTexts(texts: ClientTexts): ClientState {
  return joinClient(texts, parseRows);
}

function parseRows(layers: readonly string[]): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const json of layers) applyChanges(rows, parseChanges(json));
  return rows;
}

export function applyChanges(rows: Map<string, ResourceState>, changes: Iterable<RowChange>): void {
  for (const [key, row] of changes) {
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
}
