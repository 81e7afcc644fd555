import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/observation';
import { parseChanges, type RowChange } from './row-columns';

/**
 * A client as it is sent to a thread that needs all of it: rows as they are stored, so that they are parsed only
 * there.
 */
export interface ClientTexts {
  readonly client: Omit<ClientState, 'reports'>;
  readonly reports: readonly {
    /** Its key in ClientState.reports. */
    readonly key: string;
    readonly report: Omit<ClientReport, 'resources'>;
    /** For parseChanges(); later layers are newer. */
    readonly layers: readonly string[];
  }[];
}

export function parseClientTexts({ client, reports }: ClientTexts): ClientState {
  return {
    ...client,
    reports: new Map(
      reports.map(({ key, report, layers }) => [key, { ...report, resources: parseRows(layers) }]),
    ),
  };
}

/** By resourceKey(). */
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
