import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/observation';

/** Rows on their way between the threads: as they are stored, and what changed since. Nobody parses them twice. */
export interface RowTexts {
  /** JSON arrays of rows; of a layer also the keys of those that went. What comes later is newer. */
  readonly stored: readonly string[];
  /** The same. */
  readonly changed: string;
}

/** A client on its way between the threads. */
export interface ClientTexts {
  readonly client: Omit<ClientState, 'reports'>;
  readonly reports: readonly {
    /** Its key in ClientState.reports. */
    readonly key: string;
    readonly report: Omit<ClientReport, 'resources'>;
    readonly rows: RowTexts;
  }[];
}

export type RowChange = readonly [key: string, row: ResourceState | null];

export function parseClientTexts({ client, reports }: ClientTexts): ClientState {
  return {
    ...client,
    reports: new Map(
      reports.map(({ key, report, rows }) => [key, { ...report, resources: parseRowTexts(rows) }]),
    ),
  };
}

/** The rows of a RowTexts, by resourceKey(). */
export function parseRowTexts({ stored, changed }: RowTexts): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const json of stored) applyChanges(rows, parseLayer(json));
  applyChanges(rows, parseLayer(changed));
  return rows;
}

export function applyChanges(rows: Map<string, ResourceState>, changes: Iterable<RowChange>): void {
  for (const [key, row] of changes) {
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
}

export function parseLayer(json: string): RowChange[] {
  const entries = JSON.parse(json) as (ResourceState | string)[];
  return entries.map((entry) => (typeof entry === 'string' ? [entry, null] : [resourceKey(entry), entry]));
}
